"""SPEA2 with its published settings on the training part of `web10k`.

    .venv/bin/python bench/spea2.py [--folder FOLDER] [--only peers|growth] [--fits N]

75 new subsets per generation, an archive of 150, 30 generations, effectiveness and risk.

peers: featherank with Wilcoxon tests and by means, against pymoo's SPEA2 with featherank's
evaluation, with featherank's tests and by means, eleven turns each. The cost of scipy's tests for
pymoo is extrapolated from those of one new subset, and that of scikit-learn's LinearRegression with
ndcg_score for every query from N fits.

growth: seconds per generation while documents, then individuals, double.

Needs FEATHERANK_BIN, TIME_SELECTORS_BIN and EVALUATE_SUBSETS_BIN, the built programs. Two threads.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pyarrow.parquet
from pymoo.algorithms.moo import spea2
from pymoo.core.problem import Problem
from pymoo.operators.crossover.pntx import TwoPointCrossover
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.sampling.rnd import BinaryRandomSampling
from pymoo.optimize import minimize
from scipy.stats import wilcoxon
from sklearn.linear_model import LinearRegression
from sklearn.metrics import ndcg_score

ENVIRONMENT = {**os.environ, "RAYON_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
OFFSPRING, ARCHIVE, GENERATIONS = 75, 150, 30
EVALUATIONS = OFFSPRING * (GENERATIONS + 1)
# Every new subset against the archive and the other new ones, each pair once, in one objective.
PAIRS = GENERATIONS * (OFFSPRING * ARCHIVE + OFFSPRING * (OFFSPRING - 1) // 2)
TURNS = 11


def binary(name):
    return os.environ.get(name) or sys.exit(f"set {name} to the built program")


def synth(folder, *words):
    command = [binary("FEATHERANK_BIN"), "synth", "-o", str(folder), *words, "--quiet"]
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)


def ours(data, **settings):
    words = [f"{name}={value}" for name, value in settings.items()]
    command = [binary("TIME_SELECTORS_BIN"), str(data), "select", "spea2", *words]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout)


class Subsets(Problem):
    """featherank's evaluation of subsets, as a process that answers line by line."""

    def __init__(self, data):
        self.program = subprocess.Popen(
            [binary("EVALUATE_SUBSETS_BIN"), str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
        )
        width, self.setup = self.program.stdout.readline().split()
        super().__init__(n_var=int(width), n_obj=2, xl=0, xu=1, vtype=bool)

    def ask(self, x, before=""):
        self.program.stdin.write(before + " ".join("".join("1" if bit else "0" for bit in row) for row in x) + "\n")
        self.program.stdin.flush()
        return self.program.stdout.readline().split()

    def _evaluate(self, x, out, *args, **kwargs):
        answers = [answer.split(",") for answer in self.ask(x)]
        out["F"] = np.array([[-float(ndcg), float(risk)] for ndcg, risk in answers])

    def domination(self, x):
        """1 if the row's subset beats the column's by featherank's tests, -1 if it is beaten."""
        beats = np.array([np.frombuffer(row.encode(), dtype=np.uint8) == ord("1") for row in self.ask(x, "?")]).astype(int)
        return beats - beats.T


class TestedSurvival(spea2.SPEA2Survival):
    """pymoo's survival with featherank's dominance."""

    def _do(self, problem, pop, *args, **kwargs):
        matrix = problem.domination(pop.get("X"))
        with mock.patch.object(spea2, "Dominator", lambda: SimpleNamespace(calc_domination_matrix=lambda _: matrix)):
            return super()._do(problem, pop, *args, **kwargs)


def pymoo_seconds(data, survival):
    problem = Subsets(data)
    algorithm = spea2.SPEA2(
        pop_size=ARCHIVE,
        n_offsprings=OFFSPRING,
        sampling=BinaryRandomSampling(),
        crossover=TwoPointCrossover(prob=0.8),
        mutation=BitflipMutation(prob=0.2, prob_var=0.3),
        survival=survival(normalize=True),
    )
    start = time.perf_counter()
    result = minimize(problem, algorithm, ("n_eval", EVALUATIONS), seed=1)
    # featherank's time also includes the preparation before the first subset.
    seconds = time.perf_counter() - start + float(problem.setup)
    problem.program.stdin.close()
    return seconds, result.algorithm.evaluator.n_eval


def scipy_seconds(data):
    """Seconds of one signed-rank test, from those of a new subset against the archive."""
    queries = len(set(pyarrow.parquet.read_table(data, columns=["qid"])["qid"].to_pylist()))
    random = np.random.default_rng(1)
    differences = random.normal(size=(ARCHIVE, queries))
    # Two subsets often have the same top ten.
    differences[random.random(differences.shape) < 0.28] = 0
    start = time.perf_counter()
    wilcoxon(differences, axis=1)
    return (time.perf_counter() - start) / ARCHIVE


def scikit_learn_seconds(data, fits):
    table = pyarrow.parquet.read_table(data)
    names = [name for name in table.column_names if name not in ("label", "qid")]
    values = np.column_stack([table[name].to_numpy() for name in names])
    labels, queries = table["label"].to_numpy(), table["qid"].to_numpy()
    cuts = np.flatnonzero(queries[1:] != queries[:-1]) + 1
    spans = list(zip(np.r_[0, cuts], np.r_[cuts, len(queries)]))
    random, seconds = np.random.default_rng(1), []
    for _ in range(fits):
        subset = random.random(len(names)) < 0.5
        start = time.perf_counter()
        scores = LinearRegression(n_jobs=2).fit(values[:, subset], labels).predict(values[:, subset])
        np.mean([ndcg_score(2.0 ** labels[None, a:b] - 1, scores[None, a:b], k=10) for a, b in spans if b - a > 1])
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def peers(folder, fits):
    data = folder / "train.parquet"
    if not data.exists():
        synth(folder, "--preset", "web10k", "--format", "parquet")
    # Alternate, so that load on the machine affects both sides.
    turns = []
    for _ in range(TURNS):
        own, means = ours(data), ours(data, test="means")
        (tested, evaluations), (untested, _) = pymoo_seconds(data, TestedSurvival), pymoo_seconds(data, spea2.SPEA2Survival)
        turns.append([own["seconds"], means["seconds"], tested, untested])
        print("seconds:", np.round(turns[-1], 1).tolist(), flush=True)
    medians, leasts = np.median(turns, axis=0), np.min(turns, axis=0)
    print("| system | work | seconds, median | minimum | ratio of medians |\n|---|---|--:|--:|--:|")
    rows = [
        ("featherank", f"E-R, Wilcoxon, {EVALUATIONS:,} subsets; {own['peak_kib'] / 2**20:.2f} GiB"),
        ("pymoo's SPEA2", f"featherank's evaluation and its tests, {evaluations:,} subsets"),
        ("featherank", "by means"),
        ("pymoo's SPEA2", "featherank's evaluation, by means"),
    ]
    for (system, work), place in zip(rows, [0, 2, 1, 3]):
        print(f"| {system} | {work} | {medians[place]:.1f} | {leasts[place]:.1f} | {medians[place] / medians[0]:.2f} |", flush=True)
    test = scipy_seconds(data)
    tested = medians[3] + test * PAIRS
    print(f"| pymoo's SPEA2 | featherank's evaluation, scipy's Wilcoxon test for {PAIRS:,} pairs, from 150 at {1000 * test:.2f} ms | {tested:,.0f} | | {tested / medians[0]:.0f} |")
    one = scikit_learn_seconds(data, fits)
    total = one * EVALUATIONS
    print(f"| scikit-learn | {EVALUATIONS:,} fits and NDCG, from {fits} at {one:.2f} s | {total:,.0f} | | {total / medians[0]:.0f} |\n", flush=True)


def a_generation(data, **settings):
    """Seconds per generation, from the difference of searches with 2 and 12 generations."""
    seconds = [ours(data, generations=generations, **settings)["seconds"] for generations in (2, 12)]
    return (seconds[1] - seconds[0]) / 10


def exponent(sizes, seconds):
    return np.polyfit(np.log(sizes), np.log(seconds), 1)[0]


def growth():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        sizes = [150_000, 300_000, 600_000, 1_200_000]
        for size in sizes:
            change = ["--set", f"documents={size}", "--set", f"queries={size // 120}"]
            synth(Path(folder) / str(size), "--preset", "web10k", *change, "--format", "parquet")
        parts = [Path(folder) / str(size) / "train.parquet" for size in sizes]
        documents = [pyarrow.parquet.read_metadata(part).num_rows for part in parts]
        rows.append(("documents", documents, [a_generation(part) for part in parts]))
        sizes_of_generations = [25, 50, 100, 200]
        of_sizes = [a_generation(parts[-1], population=number) for number in sizes_of_generations]
        rows.append(("new subsets per generation", sizes_of_generations, of_sizes))
    for name, sizes, seconds in rows:
        heads = " | ".join(f"{size:,}" for size in sizes)
        cells = " | ".join(f"{value:.3f}" for value in seconds)
        print(f"| {name} | {heads} | exponent |\n|---|{'--:|' * (len(sizes) + 1)}")
        print(f"| seconds per generation | {cells} | {exponent(sizes, seconds):.2f} |\n", flush=True)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent / "out" / "web10k")
    arguments.add_argument("--only", choices=["peers", "growth"])
    arguments.add_argument("--fits", type=int, default=5)
    given = arguments.parse_args()
    if given.only != "growth":
        peers(given.folder, given.fits)
    if given.only != "peers":
        growth()


if __name__ == "__main__":
    main()
