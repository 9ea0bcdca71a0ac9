"""Linear rankers: RankSVM against liblinear, and a population of regressions against scikit-learn.

RankSVM: the training part of OHSUMED's first fold. liblinear (scikit-learn's LinearSVC, squared
hinge, no intercept) is given all preference pairs as differences, in both orientations, because it
needs two classes; making them is not timed. Both minimise the same objective, which is checked.
liblinear runs with its default tolerance, primal and dual.

Population: synthetic data of the size of a WEB10K training part. 75 least-squares fits on random
halves of 136 features, with NDCG@10 of every training query. scikit-learn and numpy do a few of
them; featherank does all, including the one pass for the Gram matrix, and its time is divided by
75. scikit-learn gets standardised columns, featherank raw ones.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC

PROJECT = Path(__file__).resolve().parents[1]


def example() -> Path:
    """Build the timing program; return its path."""
    command = ["cargo", "build", "--release", "-p", "featherank-lab"]
    subprocess.run(command, check=True, cwd=PROJECT)
    return PROJECT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "convex_rankers"


def report(*command: str | Path) -> dict:
    printed = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
    return json.loads(printed)


def all_pairs(values: np.ndarray, labels: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Differences of the documents of each preference pair, better minus worse."""
    differences = []
    for query in np.unique(queries):
        own, own_labels = values[queries == query], labels[queries == query]
        better, worse = np.nonzero(own_labels[:, None] > own_labels[None, :])
        differences.append(own[better] - own[worse])
    return np.concatenate(differences)


def compare_ranksvm(rust: Path, folder: Path, c: float) -> None:
    files = [folder / f"S{part}.txt" for part in (1, 2, 3)]
    ours = report(rust, "ranksvm", str(c), *files)
    parts = [load_svmlight_file(str(file), query_id=True, n_features=45) for file in files]
    values = np.concatenate([part[0].toarray() for part in parts])
    labels, queries = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
    pairs = all_pairs(values, labels, queries)
    both = np.concatenate([pairs, -pairs])
    classes = np.concatenate([np.ones(len(pairs)), -np.ones(len(pairs))])
    print(f"RankSVM, C = {c}: {ours['pairs']} pairs, {len(both)} x {both.shape[1]} for liblinear")
    ours_seconds = statistics.median(ours["seconds"])
    print(f"  featherank: {ours_seconds:.4f} s (best {min(ours['seconds']):.4f}), objective {ours['objective']:.6f}, "
          f"gradient {ours['gradient_norm']:.1e}, {ours['steps']} steps")
    for dual in (False, True):
        # Every pair occurs twice, and liblinear's loss has no factor of one half.
        svm = LinearSVC(loss="squared_hinge", dual=dual, fit_intercept=False, C=c / 4)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            svm.fit(both, classes)
        seconds = time.perf_counter() - start
        weights = svm.coef_[0]
        objective = 0.5 * weights @ weights + 0.5 * c * np.sum(np.maximum(0.0, 1.0 - pairs @ weights) ** 2)
        print(f"  liblinear dual={dual}: {seconds:.2f} s, objective {objective:.6f} "
              f"({objective / ours['objective'] - 1:+.1e}), ratio {seconds / ours_seconds:.0f}")


def ndcg(scores: np.ndarray, labels: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """NDCG@10 per query, with ties in input order."""
    discounts = 1.0 / np.log2(np.arange(2, 12))
    values = np.zeros(len(offsets) - 1)
    for query in range(len(offsets) - 1):
        own = labels[offsets[query]:offsets[query + 1]]
        top = own[np.argsort(-scores[offsets[query]:offsets[query + 1]], kind="stable")[:10]]
        best = np.sort(own)[::-1][:10]
        ideal = (2.0**best - 1) @ discounts[: len(best)]
        values[query] = (2.0**top - 1) @ discounts[: len(top)] / ideal if ideal > 0 else 0.0
    return values


def compare_population(rust: Path, folder: Path, repeats: int) -> None:
    if not (folder / "sizes.f32").exists():
        report(rust, "export", folder)
    runs = [report(rust, "population", folder) for _ in range(3)]
    ours = min(runs, key=lambda run: run["seconds"])
    labels = np.fromfile(folder / "labels.f32", np.float32)
    values = np.fromfile(folder / "values.f32", np.float32).reshape(-1, len(labels)).T
    # Not timed. LinearRegression drops directions below 1e-6 of the largest singular value, which
    # would remove columns of raw data in different units.
    values = np.asfortranarray((values - values.mean(axis=0, dtype=np.float64)) / values.std(axis=0, dtype=np.float64), np.float32)
    offsets = np.concatenate([[0], np.cumsum(np.fromfile(folder / "sizes.f32", np.float32).astype(int))])
    times, apart = [], []
    for model in range(repeats):
        start = time.perf_counter()
        half = values[:, ours["subsets"][model]]
        scores = LinearRegression().fit(half, labels).predict(half)
        mean = ndcg(scores, labels, offsets).mean()
        times.append(time.perf_counter() - start)
        apart.append(abs(mean - ours["means"][model]))
    theirs, each = statistics.median(times), statistics.median(run["seconds"] for run in runs) / ours["models"]
    print(f"Population: {len(labels)} documents, {len(values[0])} features, {ours['models']} models")
    print(f"  featherank: {each:.4f} s per model; best run {ours['seconds']:.2f} s in all (Gram {ours['gram_seconds']:.2f}, "
          f"solving {ours['solve_seconds']:.2f}, ranking {ours['measure_seconds']:.2f})")
    print(f"  scikit-learn + numpy: {theirs:.2f} s per model, ratio {theirs / each:.0f}; "
          f"mean NDCG@10 differs by at most {max(apart):.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ohsumed", type=Path, help="folder with S1.txt, S2.txt, S3.txt of OHSUMED, normalised")
    parser.add_argument("--c", type=float, default=1e-4, help="C of RankSVM, multiplying the sum over pairs")
    parser.add_argument("--repeats", type=int, default=3, help="number of models that scikit-learn fits")
    options = parser.parse_args()
    rust = example()
    print(f"{os.cpu_count()} cores; load average {os.getloadavg()[0]:.1f}")
    if options.ohsumed:
        compare_ranksvm(rust, options.ohsumed, options.c)
    compare_population(rust, PROJECT / "bench" / "out" / "population", options.repeats)
    print(f"load average after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
