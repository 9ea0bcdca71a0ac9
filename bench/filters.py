"""Filters against other libraries on data of the size of LETOR, and alone on WEB10K's size.

    .venv/bin/python bench/filters.py [--folder FOLDER] [--only kendall|mrmr|web10k] [--repeats N]

Kendall: the mean over queries of tau-b for all pairs of 64 features, against scipy's kendalltau in
a loop over queries and pairs; the matrices are compared. mRMR: a whole path, against
mrmr-selection's regression on the same values in memory (F statistic and Pearson correlation; ours
with Pearson over all documents). BestGain has no public implementation to compare with. web10k:
every filter of the registry, seconds and peak memory of the process. Times exclude reading; two
threads.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas
import pyarrow.parquet as parquet
from scipy.stats import kendalltau

THREADS = 2


def binary(name):
    return os.environ.get(name) or sys.exit(f"set {name} to the built program")


def make_data(folder, preset, part, *options):
    """Create the preset once; return one of its files."""
    folder = folder / preset
    if not (folder / part).exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [binary("FEATHERANK_BIN"), "synth", "--preset", preset, "--format", "parquet", "-o", str(folder), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / part


def ours(data, *words, repeats=1):
    """The median run of the timing program."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(THREADS)}
    runs = []
    for _ in range(repeats):
        command = [binary("TIME_SELECTORS_BIN"), str(data), *words]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        runs.append(json.loads(done.stdout))
    return sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]


def values(data):
    table = parquet.read_table(data)
    columns = [name for name in table.column_names if name not in ("label", "qid", "query", "doc", "docid")]
    labels = table["label"].to_numpy()
    queries = np.asarray(table["qid"].to_pylist())
    return pandas.DataFrame({name: table[name].to_numpy() for name in columns}), labels, queries


def kendall(data, repeats):
    frame, _, queries = values(data)
    matrix = ours(data, "correlate", "kendall", repeats=repeats)
    columns = frame.to_numpy()
    width = columns.shape[1]
    sums, counts = np.zeros((width, width)), np.zeros((width, width))
    starts = np.flatnonzero(np.r_[True, queries[1:] != queries[:-1], True])
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for begin, end in zip(starts[:-1], starts[1:]):
            rows = columns[begin:end]
            for a in range(width):
                for b in range(a):
                    tau = kendalltau(rows[:, a], rows[:, b]).statistic
                    if not np.isnan(tau):
                        sums[a, b] += tau
                        counts[a, b] += 1
    seconds = time.perf_counter() - start
    apart = max(
        abs(sums[a, b] / counts[a, b] - matrix["found"][a][b])
        for a in range(width) for b in range(a) if counts[a, b]
    )
    print(f"Kendall matrix, {len(starts) - 1} queries x {len(frame)} documents x {width} features:")
    print(f"  scipy {seconds:.1f} s, featherank {matrix['seconds']:.3f} s, ratio {seconds / matrix['seconds']:.0f}; "
          f"largest difference {apart:.1e}")


def mrmr(data, repeats):
    from mrmr import mrmr_regression

    frame, labels, _ = values(data)
    target = pandas.Series(labels)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        mrmr_regression(frame, target, K=frame.shape[1], n_jobs=THREADS, show_progress=False)
        times.append(time.perf_counter() - start)
    theirs = statistics.median(times)
    for settings in (["similarity=pearson", "scope=pooled"], []):
        run = ours(data, "select", "mrmr", *settings, repeats=repeats)
        print(f"mRMR, all {frame.shape[1]} features in order, {' '.join(settings) or 'defaults'}: mrmr-selection {theirs:.2f} s, "
              f"featherank {run['seconds']:.3f} s, ratio {theirs / run['seconds']:.0f}")


def best_gain(data, repeats):
    run = ours(data, "select", "best-gain", repeats=repeats)
    print(f"BestGain with its whole path: {run['seconds']:.3f} s, {len(run['found'])} features selected")


def web10k(data):
    methods = json.loads(subprocess.run([binary("FEATHERANK_BIN"), "methods", "--json"], check=True, capture_output=True).stdout)
    filters = [entry["name"] for entry in methods if entry.get("category") == "filter"]
    print("| filter | seconds | peak memory, GiB | features |\n|---|---|---|---|")
    for name in filters:
        run = ours(data, "select", name)
        print(f"| {name} | {run['seconds']:.1f} | {run['peak_kib'] / 2**20:.2f} | {len(run['found'])} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent / "out")
    parser.add_argument("--only", choices=["kendall", "mrmr", "best-gain", "web10k"])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores; load average {os.getloadavg()[0]:.1f}")
    wanted = [options.only] if options.only else ["best-gain", "kendall", "mrmr", "web10k"]
    for what in wanted:
        if what == "web10k":
            web10k(make_data(options.folder, "web10k", "train.parquet"))
        else:
            data = make_data(options.folder, "letor", "data.parquet", "--one-file")
            {"best-gain": best_gain, "kendall": kendall, "mrmr": mrmr}[what](data, options.repeats)
    print(f"load average after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
