"""Significance and risk equal those of scipy and numpy on the same per-query values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from support import per_query, run_json, write_letor, write_scores

# p@5 has only six values, so most differences are tied or zero; full NDCG has hardly any ties.
MEASURES = ["ndcg", "p@5"]
ALPHA = 5.0


def make_evaluation(folder: Path, queries: int, seed: int, *options: object) -> dict[str, Any]:
    """Three rankings of increasing quality; featherank adds the constant one."""
    random = np.random.default_rng(seed)
    labels = [random.integers(0, 3, size) for size in random.integers(8, 25, queries)]
    data = write_letor(folder / "data.txt", labels)
    rankings: list[object] = []
    for number, noise in enumerate([900, 1100, 1500]):
        scores = [(512 * y + random.integers(-noise, noise, len(y))) / 1024 for y in labels]
        rankings += ["--scores", write_scores(folder / f"scores{number}.txt", scores)]
    return run_json("evaluate", data, *rankings, "--measure", ",".join(MEASURES), *options)


@pytest.fixture(scope="module", params=[12, 45, 200], ids=lambda queries: f"{queries} queries")
def evaluation(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Few queries (exact tests) and many (approximate tests)."""
    folder = tmp_path_factory.mktemp("evaluation")
    return make_evaluation(folder, request.param, request.param, "--risk", "--alpha", ALPHA, "--baseline", 2)


def pair(evaluation: dict[str, Any], comparison: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Per-query values of the two rankings of a comparison."""
    measure = evaluation["measures"][comparison["measure"]]
    a, b = (per_query(evaluation, comparison[side])[measure] for side in "ab")
    return a, b


def test_every_pair_is_compared_under_every_measure(evaluation: dict[str, Any]) -> None:
    found = [(c["measure"], c["a"], c["b"]) for c in evaluation["comparisons"]]
    count = len(evaluation["rankings"])
    assert found == [(m, a, b) for m in range(len(MEASURES)) for a in range(count) for b in range(a + 1, count)]


def test_paired_t_equals_that_of_scipy(evaluation: dict[str, Any]) -> None:
    for comparison in evaluation["comparisons"]:
        a, b = pair(evaluation, comparison)
        assert comparison["difference"] == pytest.approx((a - b).mean(), abs=1e-9)
        assert comparison["t_p"] == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=1e-9)


def wilcoxon_p(differences: np.ndarray) -> float:
    """scipy's p: zeros dropped, sizes equal to 1e-12 tied, exact up to 50 differences.

    scipy has no exact distribution for ties; there the sign of every rank is flipped in all ways
    that matter, one rank after the other, which is what "exact" means.
    """
    sizes = np.round(differences, 12)
    sizes = sizes[sizes != 0]
    if len(sizes) > 50:
        return float(stats.wilcoxon(sizes, method="asymptotic", correction=False).pvalue)
    if len(np.unique(np.abs(sizes))) == len(sizes):
        return float(stats.wilcoxon(sizes, method="exact").pvalue)
    return exact_p_with_ties(sizes)


def exact_p_with_ties(sizes: np.ndarray) -> float:
    """Two-sided p from the number of sign patterns whose rank sum is as extreme, in integers."""
    doubled = np.rint(2 * stats.rankdata(np.abs(sizes))).astype(int)
    patterns = {0: 1}
    for rank in doubled.tolist():
        grown = dict(patterns)
        for total, count in patterns.items():
            grown[total + rank] = grown.get(total + rank, 0) + count
        patterns = grown
    plus = int(doubled[sizes > 0].sum())
    smaller = min(plus, int(doubled.sum()) - plus)
    below = sum(count for total, count in patterns.items() if total <= smaller)
    return min(1.0, 2 * below / 2 ** len(sizes))


def test_wilcoxon_equals_that_of_scipy(evaluation: dict[str, Any]) -> None:
    for comparison in evaluation["comparisons"]:
        a, b = pair(evaluation, comparison)
        assert comparison["wilcoxon_p"] == pytest.approx(wilcoxon_p(a - b), abs=1e-9)


def test_exact_wilcoxon_with_ties_is_a_permutation_test() -> None:
    """Check the counting above against scipy's permutation test of twelve tied differences."""
    differences = np.array([1, -1, 2, 2, -3, 3, 3, 4, -4, 5, 6, 6], dtype=float)

    def smaller_rank_sum(values: np.ndarray, axis: int = -1) -> np.ndarray:
        ranks = stats.rankdata(np.abs(values), axis=axis)
        plus, minus = ((ranks * (sign * values > 0)).sum(axis=axis) for sign in (1, -1))
        return np.minimum(plus, minus)

    exact = stats.permutation_test((differences,), smaller_rank_sum, permutation_type="samples",
                                   alternative="less", vectorized=True, n_resamples=np.inf)
    assert exact_p_with_ties(differences) == pytest.approx(exact.pvalue, abs=1e-12)


def holm(p_values: np.ndarray) -> np.ndarray:
    """Holm's correction by definition: the largest (m − j) p over all p as small or smaller."""
    order = np.argsort(p_values, kind="stable")
    steps = (len(p_values) - np.arange(len(p_values))) * p_values[order]
    adjusted = np.empty_like(p_values)
    adjusted[order] = [min(1.0, steps[: i + 1].max()) for i in range(len(steps))]
    return adjusted


@pytest.mark.parametrize("test", ["t_p", "wilcoxon_p"])
def test_holm_corrects_all_pairs_of_a_measure(evaluation: dict[str, Any], test: str) -> None:
    for measure in range(len(MEASURES)):
        family = [c for c in evaluation["comparisons"] if c["measure"] == measure]
        expected = holm(np.array([c[test] for c in family]))
        np.testing.assert_allclose([c[f"{test}_holm"] for c in family], expected, rtol=0, atol=1e-12)


def geo_risk(table: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Z_RISK and GeoRisk of every column of a table of queries × systems."""
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    z = np.divide(table - expected, np.sqrt(expected), out=np.zeros_like(table), where=expected > 0)
    z_risk = np.where(z < 0, (1 + alpha) * z, z).sum(axis=0)
    return z_risk, np.sqrt(table.mean(axis=0) * stats.norm.cdf(z_risk / len(table)))


def test_risk_matches_the_definitions(evaluation: dict[str, Any]) -> None:
    baseline = per_query(evaluation, 1)["ndcg"]
    for number, ranking in enumerate(evaluation["rankings"]):
        difference = per_query(evaluation, number)["ndcg"] - baseline
        weighed = np.where(difference < 0, (1 + ALPHA) * difference, difference)
        found = ranking["risk"]["trade_off"]
        expected = {"f_risk": np.maximum(-difference, 0).mean(), "f_reward": np.maximum(difference, 0).mean(),
                    "u_risk": weighed.mean(), "standard_error": stats.sem(weighed)}
        if weighed.any():
            test = stats.ttest_1samp(weighed, 0.0)
            expected |= {"t_risk": test.statistic, "p": test.pvalue}
        else:
            expected |= {"t_risk": 0.0, "p": 1.0}
        assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)
        counts = ranking["risk"]["wins_losses"]
        assert (counts["wins"], counts["losses"]) == ((difference > 0).sum(), (difference < 0).sum())


def test_geo_risk_matches_the_definition(evaluation: dict[str, Any]) -> None:
    """GeoRisk of a ranking with the baseline, and of all rankings, including the baseline."""
    baseline = per_query(evaluation, 1)["ndcg"]
    systems = [per_query(evaluation, number)["ndcg"] for number in range(len(evaluation["rankings"]))]
    z_of_all, geo_of_all = geo_risk(np.column_stack(systems), ALPHA)
    for number, ranking in enumerate(evaluation["rankings"]):
        z, geo = geo_risk(np.column_stack([systems[number], baseline]), ALPHA)
        found = ranking["risk"]
        assert (found["z_risk"], found["geo_risk"]) == pytest.approx((z[0], geo[0]), abs=1e-9)
        of_all = (found["z_risk_of_all"], found["geo_risk_of_all"])
        assert of_all == pytest.approx((z_of_all[number], geo_of_all[number]), abs=1e-9)


def test_bootstrap_interval_agrees_with_scipy(tmp_path: Path) -> None:
    """With 20,000 resamples, both intervals agree to well within a tenth of a standard error.

    NDCG only: means of p@5 lie on a grid, and the ends may be a whole step apart.
    """
    evaluation = make_evaluation(tmp_path, 80, 7, "--resamples", 20_000)
    for ranking in evaluation["rankings"]:
        value = ranking["values"][MEASURES.index("ndcg")]
        values, interval = np.array(value["per_query"]), value["interval"]
        ends = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=7).confidence_interval
        found = (interval["low"], interval["high"])
        assert found == pytest.approx((ends.low, ends.high), abs=0.1 * stats.sem(values))


def test_intervals_depend_only_on_the_seed(tmp_path: Path) -> None:
    one, again, other = (
        [r["values"] for r in make_evaluation(tmp_path, 20, 3, "--seed", seed, "--threads", threads)["rankings"]]
        for seed, threads in [(1, 1), (1, 2), (2, 1)]
    )
    assert one == again
    assert one != other
