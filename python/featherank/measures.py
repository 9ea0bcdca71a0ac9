"""Measures of rankings, computed per query.

A measure is identified by its name, which states every convention that differs from the standard:
``ndcg@10``, ``ndcg[letor]@10``, ``map``, ``p[rel=2]@5``. ``featherank methods`` lists all measures.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from featherank import _core
from featherank._queries import queries_of


def measure_per_query(
    measure: str, y_true: Any, y_score: Any, *, qid: Any = None, group: Any = None
) -> npt.NDArray[np.float64]:
    """The value of every query, in row order; NaN for queries that do not count.

    Examples
    --------
    >>> measure_per_query("ndcg@10", [1, 0, 1, 0], [0.9, 0.1, 0.2, 0.8], qid=["a", "a", "b", "b"]).round(4).tolist()
    [1.0, 0.6309]
    """
    labels = np.ascontiguousarray(y_true, dtype=np.float64)
    scores = np.ascontiguousarray(y_score, dtype=np.float64)
    if labels.ndim != 1 or scores.shape != labels.shape:
        raise ValueError(f"Found input variables with inconsistent shapes: {labels.shape} and {scores.shape}")
    return _core.measure_per_query(measure, labels, scores, queries_of(len(labels), qid, group).sizes)


def measure_score(measure: str, y_true: Any, y_score: Any, *, qid: Any = None, group: Any = None) -> float:
    """A measure over all queries: the mean, or for ``gmap`` the geometric mean.

    Examples
    --------
    >>> round(measure_score("map", [1, 0, 1, 0], [0.9, 0.1, 0.2, 0.8], group=[2, 2]), 4)
    0.75
    """
    return _core.measure_summary(measure, measure_per_query(measure, y_true, y_score, qid=qid, group=group))


def _at(name: str, k: int | None) -> str:
    return name if k is None else f"{name}@{k}"


def ndcg_score(y_true: Any, y_score: Any, *, qid: Any = None, group: Any = None, k: int | None = 10) -> float:
    """NDCG at ``k``, mean over queries.

    Gains are ``2**y - 1``, queries without relevant documents count 0, and ties keep the order of
    the rows: the measure ``ndcg@k`` of the command. For other conventions, pass their names to
    `measure_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Relevance grades, 0 or more.
    y_score : array-like of shape (n_rows,)
        Scores; the highest ranks first.
    qid : array-like of shape (n_rows,), optional
        The query of each row. Rows of one query must be adjacent.
    group : array-like of shape (n_queries,), optional
        The number of rows of each query, instead of ``qid``.
    k : int or None, default=10
        Cut-off; None counts all positions.

    Examples
    --------
    >>> y, s = [2, 0, 1, 0, 0], [0.2, 0.9, 0.5, 0.1, 0.7]
    >>> round(ndcg_score(y, s, qid=[1, 1, 1, 2, 2]), 4)
    0.2934
    """
    return measure_score(_at("ndcg", k), y_true, y_score, qid=qid, group=group)


def average_precision_score(y_true: Any, y_score: Any, *, qid: Any = None, group: Any = None) -> float:
    """Average precision, mean over queries (MAP); labels of 1 or more are relevant.

    Examples
    --------
    >>> average_precision_score([1, 0, 0, 1], [0.9, 0.1, 0.8, 0.2], group=[2, 2])
    0.75
    """
    return measure_score("map", y_true, y_score, qid=qid, group=group)


def reciprocal_rank_score(y_true: Any, y_score: Any, *, qid: Any = None, group: Any = None) -> float:
    """Reciprocal rank of the first relevant document, mean over queries (MRR).

    Examples
    --------
    >>> reciprocal_rank_score([0, 1, 1, 0], [0.9, 0.1, 0.8, 0.2], group=[2, 2])
    0.75
    """
    return measure_score("mrr", y_true, y_score, qid=qid, group=group)


def precision_score(y_true: Any, y_score: Any, *, k: int, qid: Any = None, group: Any = None) -> float:
    """The share of relevant documents among the first ``k``, mean over queries.

    Examples
    --------
    >>> precision_score([1, 0, 0, 1], [0.9, 0.1, 0.8, 0.2], k=1, group=[2, 2])
    0.5
    """
    return measure_score(f"p@{k}", y_true, y_score, qid=qid, group=group)


def recall_score(y_true: Any, y_score: Any, *, k: int, qid: Any = None, group: Any = None) -> float:
    """The share of the relevant documents that are among the first ``k``, mean over queries.

    Examples
    --------
    >>> recall_score([1, 1, 0, 1], [0.9, 0.1, 0.8, 0.2], k=1, group=[2, 2])
    0.25
    """
    return measure_score(f"recall@{k}", y_true, y_score, qid=qid, group=group)


def err_score(
    y_true: Any, y_score: Any, *, qid: Any = None, group: Any = None, k: int | None = None, max_grade: int = 4
) -> float:
    """Expected reciprocal rank, mean over queries, for grades up to ``max_grade``.

    Examples
    --------
    >>> err_score([1, 0], [0.9, 0.1], max_grade=1)
    0.5
    """
    return measure_score(_at(f"err[max={max_grade}]", k), y_true, y_score, qid=qid, group=group)
