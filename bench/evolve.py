"""NSGA-II and SPEA2 against pymoo: hypervolume at equal evaluations on known fronts, and time.

The same operators with the same parameters: simulated binary crossover (eta 15) and polynomial
mutation (eta 20, one gene in thirty) for ZDT1, two-point crossover and bit flips (one in forty) for
leading ones and trailing zeros. Means with standard errors, over as many seeds as a few minutes
allow each side. Needs EVOLVE_BIN, the built program.
"""

import json
import os
import statistics
import subprocess
import time

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.core.problem import Problem
from pymoo.indicators.hv import HV
from pymoo.operators.crossover.pntx import TwoPointCrossover
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.bitflip import BitflipMutation
from pymoo.operators.mutation.pm import PM
from pymoo.operators.sampling.rnd import BinaryRandomSampling, FloatRandomSampling
from pymoo.optimize import minimize

BITS = 40
NUMBERS = 30
SEEDS = {"zdt1": {"pymoo": 100, "featherank": 500}, "lotz": {"pymoo": 100, "featherank": 1000}}


class Zdt1(Problem):
    def __init__(self):
        super().__init__(n_var=NUMBERS, n_obj=2, xl=0.0, xu=1.0)

    def _evaluate(self, x, out, *args, **kwargs):
        scale = 1 + 9 * x[:, 1:].mean(axis=1)
        out["F"] = np.column_stack([x[:, 0], scale * (1 - np.sqrt(x[:, 0] / scale))])


class Lotz(Problem):
    def __init__(self):
        super().__init__(n_var=BITS, n_obj=2, xl=0, xu=1, vtype=bool)

    def _evaluate(self, x, out, *args, **kwargs):
        ones = np.cumprod(x.astype(int), axis=1).sum(axis=1)
        zeros = np.cumprod(1 - x.astype(int)[:, ::-1], axis=1).sum(axis=1)
        out["F"] = np.column_stack([BITS - ones, BITS - zeros]).astype(float)


def theirs(problem, algorithm, population, generations, seed):
    make = {"nsga2": NSGA2, "spea2": SPEA2}[algorithm]
    if problem == "zdt1":
        operators = dict(sampling=FloatRandomSampling(), crossover=SBX(eta=15, prob=0.9), mutation=PM(prob=1.0, eta=20, prob_var=1 / NUMBERS))
    else:
        operators = dict(
            sampling=BinaryRandomSampling(), crossover=TwoPointCrossover(prob=0.9), mutation=BitflipMutation(prob=1.0, prob_var=1 / BITS)
        )
    task, reference = {"zdt1": (Zdt1(), 1.1), "lotz": (Lotz(), BITS + 1.0)}[problem]
    start = time.perf_counter()
    # featherank counts generations after the random one, pymoo includes it.
    result = minimize(task, make(pop_size=population, **operators), ("n_gen", generations + 1), seed=seed)
    return HV(ref_point=np.array([reference] * 2))(result.F), time.perf_counter() - start


def ours(*arguments):
    line = subprocess.run([os.environ["EVOLVE_BIN"], *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    answer = json.loads(line)
    return answer["hypervolume"], answer["seconds"]


def main():
    print("| problem | algorithm | hypervolume, pymoo | hypervolume, featherank | time, pymoo | time, featherank |\n|---|---|---|---|---|---|")
    for problem, population, generations in [("zdt1", 100, 250), ("lotz", 60, 200)]:
        for algorithm in ["nsga2", "spea2"]:
            runs = {
                system: [run(problem, algorithm, population, generations, seed + 1) for seed in range(SEEDS[problem][system])]
                for system, run in {"pymoo": theirs, "featherank": ours}.items()
            }
            values = {system: [value for value, _ in of] for system, of in runs.items()}
            times = {system: statistics.median(seconds for _, seconds in of) for system, of in runs.items()}
            spread = {system: f"{statistics.mean(of):.5f} ± {statistics.stdev(of) / len(of) ** 0.5:.5f}" for system, of in values.items()}
            print(
                f"| {problem} | {algorithm} | {spread['pymoo']} | {spread['featherank']} "
                f"| {times['pymoo']:.2f} s | {times['featherank']:.2f} s |",
                flush=True,
            )


if __name__ == "__main__":
    main()
