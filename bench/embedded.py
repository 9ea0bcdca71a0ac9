"""Embedded methods: a lasso path against liblinear, and every method on data of WEB10K's size.

    .venv/bin/python bench/embedded.py [--ohsumed FOLDER] [--mq2008 FOLDER] [--folder FOLDER]
        [--only lasso|web10k] [--values N]

lasso: ||w||_1 + C sum max(0, 1 - w'd)^2 over the preference pairs of the training part of fold 1,
for N values of C from the first feature over 3.5 decades. liblinear (through scikit-learn, with its
default tolerance) is given the differences of all pairs in memory and each C separately; featherank
follows the path. Objectives are compared on those pairs in 64 bits. Then RankRWFS at 10 % for the C
in the middle, against liblinear's time for that C.

web10k: every embedded method of the registry, tuned on validation data; seconds and peak memory of
the process. Two threads.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC

THREADS = 2


def binary(name):
    return os.environ.get(name) or sys.exit(f"set {name} to the built program")


def ours(data, *words):
    environment = {**os.environ, "RAYON_NUM_THREADS": str(THREADS)}
    command = [binary("TIME_SELECTORS_BIN"), str(data), *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout)


def differences(files):
    """x_i - x_j for all pairs of one query with y_i > y_j."""
    parts = [load_svmlight_file(str(file), query_id=True) for file in files]
    width = max(part[0].shape[1] for part in parts)
    pairs = []
    for rows, labels, queries in parts:
        dense = np.zeros((rows.shape[0], width))
        dense[:, : rows.shape[1]] = rows.toarray().astype(np.float32)
        for query in np.unique(queries):
            own = np.flatnonzero(queries == query)
            better, worse = np.nonzero(labels[own][:, None] > labels[own][None, :])
            pairs.append(dense[own[better]] - dense[own[worse]])
    return np.concatenate(pairs)


def objective(pairs, c, weights):
    return np.abs(weights).sum() + c * (np.maximum(0.0, 1.0 - pairs @ weights) ** 2).sum()


def lasso(name, folder, count):
    files = [folder / f"S{part}.txt" for part in (1, 2, 3)]
    if not files[0].exists():
        files = [folder / "Fold1" / "train.txt"]
    pairs = differences(files)
    first = 1.0 / np.abs(2.0 * pairs.sum(axis=0)).max()
    values = [first * 10 ** (3.5 * (i + 1) / count) for i in range(count)]
    data = ",".join(str(file) for file in files)
    run = ours(data, "lasso", *[f"{c:.12g}" for c in values])
    # LinearSVC needs two classes: invert every second pair.
    signs = np.where(np.arange(len(pairs)) % 2 == 0, 1.0, -1.0)
    signed = pairs * signs[:, None]
    theirs, worst, times = 0.0, 0.0, []
    for c, found in zip(values, run["found"]):
        model = LinearSVC(penalty="l1", loss="squared_hinge", dual=False, fit_intercept=False, C=float(f"{c:.12g}"))
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(signed, signs)
        times.append(time.perf_counter() - start)
        mine = objective(pairs, c, np.array(found["weights"][: pairs.shape[1]]))
        other = objective(pairs, c, model.coef_[0])
        worst = max(worst, mine / other - 1.0)
        print(f"  C {c:.3e}: liblinear {times[-1]:.1f} s, objective {other:.8g}; featherank {mine:.8g}, "
              f"{sum(w != 0 for w in found['weights'])} features, kkt {found['kkt']:.1e}", flush=True)
    theirs = sum(times)
    print(f"{name}: {len(pairs)} pairs, {count} values of C: liblinear {theirs:.1f} s, featherank {run['seconds']:.3f} s, "
          f"ratio {theirs / run['seconds']:.0f}; our objective is above theirs by {worst:.1e} at most")
    middle = count // 2
    alone = ours(data, "lasso", f"{values[middle]:.12g}")["seconds"]
    for method in ("rankrwfs-l1", "rankrwfs-l0", "rank-l2-arom"):
        rounds = ours(data, "select", method, "share=0.1", f"c={values[middle]:.12g}")
        print(f"{name}, C {values[middle]:.1e}: {method} at 10 % {rounds['seconds']:.3f} s, liblinear's lasso {times[middle]:.1f} s, "
              f"ratio {times[middle] / rounds['seconds']:.0f}; our lasso for that C alone {alone:.3f} s", flush=True)


def web10k(folder):
    folder = folder / "web10k"
    if not (folder / "vali.parquet").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [binary("FEATHERANK_BIN"), "synth", "--preset", "web10k", "--format", "parquet", "-o", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    methods = json.loads(subprocess.run([binary("FEATHERANK_BIN"), "methods", "--json"], check=True, capture_output=True).stdout)
    print("| method | seconds | peak memory, GiB | features |\n|---|---|---|---|")
    for name in [entry["name"] for entry in methods if entry.get("category") == "embedded"]:
        run = ours(folder / "train.parquet", "select", name, f"valid={folder / 'vali.parquet'}")
        print(f"| {name} | {run['seconds']:.1f} | {run['peak_kib'] / 2**20:.2f} | {len(run['found'])} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ohsumed", type=Path, help="folder with S1.txt, S2.txt, S3.txt of OHSUMED, normalised")
    parser.add_argument("--mq2008", type=Path, help="folder with Fold1/train.txt of MQ2008")
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent / "out")
    parser.add_argument("--only", choices=["lasso", "web10k"])
    parser.add_argument("--values", type=int, default=20)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores; load average {os.getloadavg()[0]:.1f}")
    if options.only != "web10k":
        for name, folder in (("OHSUMED", options.ohsumed), ("MQ2008", options.mq2008)):
            if folder:
                lasso(name, folder, options.values)
    if options.only != "lasso":
        web10k(options.folder)
    print(f"load average after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
