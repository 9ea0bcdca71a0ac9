"""Feature sets of a given size: `auto --k` against other selectors, on untouched test queries.

    FEATHERANK_BIN=target/release/featherank .venv/bin/python bench/auto_k.py --data FOLDER

Every data set is split by query several times. Each method selects k features from the training
queries; LightGBM is trained on them, with a quarter of the training queries for early stopping, and
its NDCG@10 on the test queries counts. Results are kept in a file, one line per data set, split,
size and method; the same command goes on from it. `--summary` prints the tables without
computing.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import lightgbm
import numpy as np
from scipy.stats import wilcoxon
from sklearn.datasets import load_svmlight_file

METHODS = ["auto", "rfe", "best-gain", "greedy-rankrls", "l1-svm", "gas"]
SIZES = [5, 10, 20]
TEST_SHARE, VALID_SHARE = 1 / 3, 1 / 4
CUTOFF = 10

# Many weak features in correlated groups, and few strong features in much noise.
REGIMES = {
    "synth-redundant": ["queries=300", "documents=9000", "useful=10", "redundant=40", "noisy=10"],
    "synth-noisy": ["queries=300", "documents=9000", "useful=8", "redundant=4", "noisy=60"],
}
LETOR = {
    "OHSUMED": [f"OHSUMED/QueryLevelNorm/S{part}.txt" for part in range(1, 6)],
    "MQ2008": [f"MQ2008/S{part}.txt" for part in range(1, 6)],
    "ClueWeb09": [f"ClueWeb09/S{part}.txt" for part in range(1, 6)],
    "LightGBM-rank": ["LightGBM-rank/rank.train", "LightGBM-rank/rank.test"],
    "MSLR-sample": ["MSLR-sample/train.txt", "MSLR-sample/test.txt"],
}


def binary():
    return os.environ.get("FEATHERANK_BIN") or sys.exit("set FEATHERANK_BIN to the built program")


def run(*words):
    return subprocess.run([binary(), *map(str, words)], check=True, capture_output=True, text=True).stdout


def read(path):
    """Values, labels and query ids of a file; sizes of queries may be in a file beside it."""
    values, labels, queries = load_svmlight_file(str(path), query_id=True)
    sizes = Path(f"{path}.query")
    if sizes.exists():
        queries = np.repeat(np.arange(len(counts := np.loadtxt(sizes, dtype=int))), counts)
    return values.toarray(), labels, queries


def load(name, folder):
    """All queries of a data set, numbered from 0."""
    if name in REGIMES:
        made = Path("bench/out") / name
        settings = [word for setting in REGIMES[name] for word in ("--set", setting)]
        if not (made / "data.txt").exists():
            run("synth", "--one-file", "-o", made, "--seed", 1, "--quiet", *settings)
        paths = [made / "data.txt"]
    else:
        paths = [folder / part for part in LETOR[name]]
    parts = [read(path) for path in paths]
    width = max(values.shape[1] for values, _, _ in parts)
    values = np.vstack([np.pad(values, ((0, 0), (0, width - values.shape[1]))) for values, _, _ in parts])
    labels = np.concatenate([labels for _, labels, _ in parts])
    keys = [(part, query) for part, (_, _, queries) in enumerate(parts) for query in queries]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return values.astype(np.float32), labels, np.array([numbers[key] for key in keys])


def split(queries, seed):
    """Query numbers for training, early stopping and testing."""
    order = np.random.default_rng(seed).permutation(queries.max() + 1)
    tested = round(TEST_SHARE * len(order))
    stopping = round(VALID_SHARE * (len(order) - tested))
    return order[tested + stopping :], order[tested : tested + stopping], order[:tested]


def write(path, data, wanted):
    values, labels, queries = data
    with path.open("w") as file:
        for row in np.flatnonzero(np.isin(queries, wanted)):
            cells = " ".join(f"{i}:{value!s}" for i, value in enumerate(values[row], start=1))
            file.write(f"{labels[row]:g} qid:{queries[row]} {cells}\n")


def select(method, k, path, seed):
    words = ["select", path, "--method", method, "--k", k, "--seed", seed, "--quiet", "--json"]
    return [feature["id"] - 1 for feature in json.loads(run(*words))["selected"]]


def ndcg(scores, labels, queries, seed):
    """Mean NDCG over queries with a relevant document; ties in random order."""
    values = []
    random = np.random.default_rng(seed)
    discounts = 1 / np.log2(np.arange(2, CUTOFF + 2))
    for query in np.unique(queries):
        rows = random.permutation(np.flatnonzero(queries == query))
        gains = 2.0 ** labels[rows] - 1
        ideal = np.sort(gains)[::-1][:CUTOFF]
        if ideal[0] > 0:
            found = gains[np.argsort(-scores[rows], kind="stable")][:CUTOFF]
            values.append((found * discounts[: len(found)]).sum() / (ideal * discounts[: len(ideal)]).sum())
    return float(np.mean(values))


def evaluate(data, parts, columns, seed):
    """NDCG on test queries of LightGBM with these columns."""
    values, labels, queries = data

    def part(wanted):
        rows = np.flatnonzero(np.isin(queries, wanted))
        rows = rows[np.argsort(queries[rows], kind="stable")]
        return values[rows][:, sorted(columns)], labels[rows], queries[rows]

    def dataset(x, y, qid, **more):
        return lightgbm.Dataset(x, y.astype(int), group=np.unique(qid, return_counts=True)[1], **more)

    train, valid, test = map(part, parts)
    parameters = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [CUTOFF], "learning_rate": 0.05}
    parameters |= {"num_leaves": 15, "min_data_in_leaf": 20, "seed": seed, "num_threads": 2, "verbosity": -1}
    fitted = dataset(*train)
    stop = lightgbm.early_stopping(30, verbose=False)
    booster = lightgbm.train(parameters, fitted, 500, valid_sets=[dataset(*valid, reference=fitted)], callbacks=[stop])
    return ndcg(booster.predict(test[0]), test[1], test[2], seed)


def measure(args, known, file):
    for name in args.sets:
        data = load(name, args.data)
        for seed in range(1, args.splits + 1):
            wanted = list(product(args.sizes, args.methods))
            missing = [(k, method) for k, method in wanted if (name, seed, k, method) not in known]
            if not missing:
                continue
            parts = split(data[2], seed)
            with tempfile.TemporaryDirectory() as scratch:
                path = Path(scratch) / "train.txt"
                # Methods may use all training queries; those for early stopping are among them.
                write(path, data, np.concatenate(parts[:2]))
                for k, method in missing:
                    start = time.perf_counter()
                    columns = select(method, k, path, seed)
                    seconds = time.perf_counter() - start
                    value = evaluate(data, parts, columns, seed)
                    row = {"data": name, "split": seed, "k": k, "method": method, "value": value, "seconds": seconds}
                    file.write(json.dumps(row) + "\n")
                    file.flush()
                    print(f"{name}, split {seed}, k {k}, {method}: {value:.4f}, {seconds:.1f} s", flush=True)


def summary(known, methods):
    """`auto` against each other method: wins and losses of splits, relative difference, paired test."""
    first = methods[0]
    print(f"\n{first} against        wins  losses  ties  mean difference     p  (by size and data set)")
    for other in methods[1:]:
        pairs = {key[:3]: (known[key], known.get((*key[:3], other))) for key in known if key[3] == first}
        pairs = {key: pair for key, pair in pairs.items() if pair[1] is not None}
        groups = {"all": list(pairs)}
        for at, label in ((2, "k="), (0, "")):
            for value in sorted({key[at] for key in pairs}):
                groups[f"{label}{value}"] = [key for key in pairs if key[at] == value]
        for group, keys in groups.items():
            relative = np.array([(pairs[key][0] - pairs[key][1]) / pairs[key][1] for key in keys])
            p = wilcoxon(relative).pvalue if np.count_nonzero(relative) > 5 else float("nan")
            counts = [int((relative > 0).sum()), int((relative < 0).sum()), int((relative == 0).sum())]
            print(f"{other:15} {group:16} {counts[0]:4} {counts[1]:6} {counts[2]:5} {100 * relative.mean():+10.2f} % {p:10.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--results", type=Path, default=Path("bench/out/auto_k.jsonl"))
    parser.add_argument("--sets", nargs="+", choices=[*LETOR, *REGIMES], default=[*LETOR, *REGIMES])
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args()
    args.results.parent.mkdir(parents=True, exist_ok=True)
    lines = args.results.read_text().splitlines() if args.results.exists() else []
    rows = [json.loads(line) for line in lines]
    known = {(row["data"], row["split"], row["k"], row["method"]): row["value"] for row in rows}
    if not args.summary:
        with args.results.open("a") as file:
            measure(args, known, file)
        rows = [json.loads(line) for line in args.results.read_text().splitlines()]
        known = {(row["data"], row["split"], row["k"], row["method"]): row["value"] for row in rows}
    summary(known, args.methods)


if __name__ == "__main__":
    main()
