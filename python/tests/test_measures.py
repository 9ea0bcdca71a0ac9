"""Per-query measures equal those of scikit-learn and ranx."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from ranx import Qrels, Run, evaluate as ranx_evaluate
from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

from support import Query, evaluate

CUTOFFS = [1, 3, 5, 10]
ONE_QUERY = np.newaxis


def make_queries(seed: int, tied: bool, count: int = 60) -> list[Query]:
    """Random queries, each with something relevant and something that is not.

    Scores are multiples of 1/1024, exact in the 32 bits featherank keeps. Untied ones are a shuffle
    of distinct numbers; tied ones are drawn from five.
    """
    random = np.random.default_rng(seed)
    queries = []
    for size in random.integers(2, 41, count):
        labels = random.choice(5, size, p=[0.5, 0.2, 0.15, 0.1, 0.05])
        labels[random.permutation(size)[:2]] = [random.integers(1, 5), 0]
        whole = random.integers(0, 5, size) if tied else random.permutation(4096)[:size]
        queries.append(Query(labels, (whole - 2048) / 1024))
    return queries


def exponential(labels: np.ndarray) -> np.ndarray:
    """The gain 2^y − 1, which scikit-learn leaves to the caller."""
    return np.exp2(labels) - 1.0


def sklearn_values(
    measure: Callable[..., float], queries: list[Query], gain: Callable[[np.ndarray], np.ndarray], k: int | None
) -> list[float]:
    """NDCG or DCG of every query; scikit-learn averages over the orders of tied documents."""
    return [float(measure(gain(q.labels)[ONE_QUERY], q.scores[ONE_QUERY], k=k)) for q in queries]


def assert_equal(found: np.ndarray, expected: list[float] | np.ndarray) -> None:
    """Equal to 1e-9."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("tied", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize("gain", ["exp", "linear"])
def test_expected_ndcg_equals_that_of_scikit_learn(tmp_path: Path, gain: str, tied: bool) -> None:
    queries = make_queries(seed=1, tied=tied)
    gain_of = exponential if gain == "exp" else lambda labels: labels.astype(float)
    option = "ties=expected" if gain == "exp" else "gain=linear,ties=expected"
    oracles = {"ndcg": ndcg_score, "dcg": dcg_score}
    wanted = {f"{name}[{option}]{at}": (oracle, k)
              for name, oracle in oracles.items()
              for at, k in [("", None), *((f"@{k}", k) for k in CUTOFFS)]}
    found = evaluate(tmp_path, queries, list(wanted))
    for name, (oracle, k) in wanted.items():
        assert_equal(found[name], sklearn_values(oracle, queries, gain_of, k))


def test_file_order_changes_nothing_without_ties(tmp_path: Path) -> None:
    queries = make_queries(seed=2, tied=False)
    names = ["ndcg@10", "ndcg[ties=worst]@10", "dcg@10", "dcg[ties=worst]@10"]
    found = evaluate(tmp_path, queries, names)
    for name in names:
        oracle = ndcg_score if name.startswith("ndcg") else dcg_score
        assert_equal(found[name], sklearn_values(oracle, queries, exponential, 10))


@pytest.mark.parametrize("relevant_from", [1, 2])
def test_average_precision_equals_that_of_scikit_learn(tmp_path: Path, relevant_from: int) -> None:
    """Without ties only: scikit-learn treats a tied group as one step."""
    queries = [q for q in make_queries(seed=3, tied=False) if q.labels.max() >= relevant_from]
    name = "map" if relevant_from == 1 else f"map[rel={relevant_from}]"
    expected = [average_precision_score(q.labels >= relevant_from, q.scores) for q in queries]
    assert_equal(evaluate(tmp_path, queries, [name])[name], expected)


def test_ties_average_over_all_orders(tmp_path: Path) -> None:
    """Expected values under ties equal the mean over many random orders of the tied documents."""
    queries = make_queries(seed=4, tied=True, count=8)
    names = ["map", "mrr", "err@5", "p@5"]
    expected_names = ["map[ties=expected]", "mrr[ties=expected]", "err[ties=expected]@5", "p[ties=expected]@5"]
    exact = evaluate(tmp_path, queries, expected_names)
    random = np.random.default_rng(4)
    draws = 1000
    shuffled = [Query(q.labels[order], q.scores[order])
                for q in queries for order in (random.permutation(len(q.labels)) for _ in range(draws))]
    sampled = evaluate(tmp_path, shuffled, names)
    for name, expected_name in zip(names, expected_names, strict=True):
        values = sampled[name].reshape(len(queries), draws)
        error = 5 * values.std(axis=1, ddof=1) / np.sqrt(draws)
        assert np.all(np.abs(values.mean(axis=1) - exact[expected_name]) <= error + 1e-12), name


def ranx_values(queries: list[Query], measures: list[str]) -> dict[str, np.ndarray]:
    """Per-query values of ranx, with query names that sort in their original order."""
    names = [f"q{number:04}" for number in range(len(queries))]
    documents = [[f"d{i:03}" for i in range(len(query.labels))] for query in queries]
    labels = [dict(zip(ids, query.labels.tolist())) for ids, query in zip(documents, queries)]
    scores = [dict(zip(ids, query.scores.tolist())) for ids, query in zip(documents, queries)]
    qrels, ranking = Qrels(dict(zip(names, labels))), Run(dict(zip(names, scores)))
    return ranx_evaluate(qrels, ranking, measures, return_mean=False)


def test_measures_equal_those_of_ranx(tmp_path: Path) -> None:
    """Without ties, which ranx breaks differently; some lists are shorter than the cut-off."""
    queries = make_queries(seed=5, tied=False)
    same = {"map": "map", "map[rel=2]": "map-l2", "mrr": "mrr", "mrr@5": "mrr@5", "wta": "hit_rate@1"}
    for k in CUTOFFS:
        same |= {f"ndcg@{k}": f"ndcg_burges@{k}", f"ndcg[gain=linear]@{k}": f"ndcg@{k}",
                 f"dcg@{k}": f"dcg_burges@{k}", f"dcg[gain=linear]@{k}": f"dcg@{k}",
                 f"p@{k}": f"precision@{k}", f"p[rel=2]@{k}": f"precision@{k}-l2",
                 f"recall@{k}": f"recall@{k}", f"recall[rel=2]@{k}": f"recall@{k}-l2"}
    found = evaluate(tmp_path, queries, list(same))
    expected = ranx_values(queries, list(same.values()))
    for ours, theirs in same.items():
        assert_equal(found[ours], expected[theirs])


def test_queries_without_relevant_documents_follow_the_option(tmp_path: Path) -> None:
    """0 as in scikit-learn, 1 as in LightGBM, or excluded as in some papers."""
    queries = [Query(np.array([0, 0, 0]), np.array([3.0, 2.0, 1.0])), Query(np.array([0, 1]), np.array([1.0, 2.0]))]
    found = evaluate(tmp_path, queries, ["ndcg@2", "ndcg[empty=one]@2", "ndcg[empty=skip]@2"])
    assert_equal(found["ndcg@2"], sklearn_values(ndcg_score, queries, exponential, 2))
    assert found["ndcg[empty=one]@2"].tolist() == [1.0, 1.0]
    assert found["ndcg[empty=skip]@2"].tolist() == [None, 1.0]
