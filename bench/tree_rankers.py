"""Trees against LightGBM and scikit-learn: same data, same work, one run, two threads.

    .venv/bin/python bench/tree_rankers.py [--folder FOLDER] [--forest-trees N] [--repeats N]

Creates `featherank synth --preset web10k`, trains on its training part, and measures NDCG@10 on its
test part with one implementation (featherank's). Times are of training with binning, with the
values in memory.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import lightgbm
import numpy as np
import pyarrow.parquet as parquet
from sklearn.ensemble import RandomForestRegressor

THREADS = 2
BOOSTED = {"trees": 100, "leaves": 31, "learning-rate": 0.1, "min-leaf": 20}


def binary(name):
    return os.environ.get(name) or sys.exit(f"set {name} to the built program")


def make_data(folder):
    if not (folder / "train.parquet").exists():
        command = [binary("FEATHERANK_BIN"), "synth", "--preset", "web10k", "--format", "parquet", "-o", folder]
        subprocess.run(command, check=True)


def load(path):
    """Features as a row-major float32 matrix, labels, query sizes."""
    table = parquet.read_table(path)
    names = [name for name in table.column_names if name not in ("label", "qid", "docid")]
    values = np.column_stack([table[name].to_numpy() for name in names]).astype(np.float32)
    qid = table["qid"].to_numpy(zero_copy_only=False)
    starts = np.flatnonzero(np.r_[True, qid[1:] != qid[:-1]])
    sizes = np.diff(np.r_[starts, len(qid)])
    return values, table["label"].to_numpy().astype(np.float32), sizes


def ours(folder, ranker, settings):
    command = [binary("FIT_RANKER_BIN"), folder / "train.parquet", folder / "test.parquet", ranker]
    command += [f"{key}={value}" for key, value in settings.items()]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | {"RAYON_NUM_THREADS": str(THREADS)})
    return json.loads(done.stdout)


def ndcg(folder, scores):
    """NDCG@10 of the test part, measured by featherank for both sides."""
    path = folder / "peer.txt"
    np.savetxt(path, scores)
    command = [binary("FEATHERANK_BIN"), "evaluate", folder / "test.parquet", "--scores", path, "-m", "ndcg@10", "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["rankings"][0]["values"][0]["value"]


def boost_lightgbm(train, test):
    (values, labels, sizes), (held_out, _, _) = train, test
    parameters = {
        "objective": "lambdarank",
        "num_leaves": BOOSTED["leaves"],
        "learning_rate": BOOSTED["learning-rate"],
        "min_data_in_leaf": BOOSTED["min-leaf"],
        "max_bin": 255,
        "num_threads": THREADS,
        "verbosity": -1,
    }
    start = time.perf_counter()
    data = lightgbm.Dataset(values, labels, group=sizes).construct()
    binned = time.perf_counter()
    booster = lightgbm.train(parameters, data, num_boost_round=BOOSTED["trees"])
    end = time.perf_counter()
    return end - start, end - binned, booster.predict(held_out)


def grow_sklearn(train, test, trees):
    (values, labels, _), (held_out, _, _) = train, test
    forest = RandomForestRegressor(n_estimators=trees, n_jobs=THREADS, random_state=1)
    start = time.perf_counter()
    forest.fit(values, labels)
    return time.perf_counter() - start, forest.predict(held_out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("bench/out/web10k"))
    parser.add_argument("--forest-trees", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--only", choices=["boosting", "forest"])
    options = parser.parse_args()
    make_data(options.folder)
    train, test = load(options.folder / "train.parquet"), load(options.folder / "test.parquet")
    print(f"training part: {train[0].shape[0]} documents x {train[0].shape[1]} features, {len(train[2])} queries")
    print("| work | peer s | featherank s | ratio | peer NDCG@10 | featherank NDCG@10 |\n|---|---|---|---|---|---|")
    for _ in range(options.repeats):
        if options.only != "forest":
            seconds, boosting, scores = boost_lightgbm(train, test)
            mine = ours(options.folder, "lambdamart", BOOSTED)
            row("LambdaMART 100 x 31, LightGBM", seconds, mine, ndcg(options.folder, scores))
            print(f"(LightGBM without binning: {boosting:.1f} s)")
        if options.only != "boosting":
            seconds, scores = grow_sklearn(train, test, options.forest_trees)
            mine = ours(options.folder, "random-forest", {"trees": options.forest_trees})
            row(f"forest of {options.forest_trees} whole trees, scikit-learn", seconds, mine, ndcg(options.folder, scores))


def row(what, seconds, mine, value):
    print(f"| {what} | {seconds:.1f} | {mine['fit']:.2f} | {seconds / mine['fit']:.1f} | {value:.4f} | {mine['ndcg']:.4f} |", flush=True)


if __name__ == "__main__":
    main()
