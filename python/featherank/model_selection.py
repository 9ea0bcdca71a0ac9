"""Cross-validation by query: a splitter, a scorer, and training of other libraries' rankers."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.metrics import make_scorer
from sklearn.model_selection import BaseCrossValidator
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from featherank._arrays import rows_of
from featherank._queries import Queries, queries_of
from featherank.exceptions import InvalidParameterError
from featherank.measures import measure_score


class QueryKFold(BaseCrossValidator):
    """Folds of whole queries. Rows keep their order, so the rows of a query stay adjacent.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    shuffle : bool, default=True
        Assign queries to folds at random; otherwise in turn, in their order.
    random_state : int, RandomState or None, default=1
        Seed of the shuffle.

    Examples
    --------
    >>> qid = [1, 1, 2, 2, 3, 3]
    >>> for train, test in QueryKFold(3, shuffle=False).split(qid, groups=qid):
    ...     print(train, test)
    [2 3 4 5] [0 1]
    [0 1 4 5] [2 3]
    [0 1 2 3] [4 5]
    """

    # With metadata routing, request the query of each row.
    __metadata_request__split: ClassVar[dict[str, bool]] = {"groups": True}

    def __init__(self, n_splits: int = 5, *, shuffle: bool = True, random_state: Any = 1) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Training and test rows of every fold; ``groups`` is the query of each row."""
        if groups is None:
            raise ValueError("The 'groups' parameter should not be None: pass the query of each row.")
        queries = queries_of(rows_of(X), qid=groups)
        count = len(queries.sizes)
        if not 2 <= self.n_splits <= count:
            raise InvalidParameterError(
                f"`{self.n_splits}` is not a valid number of folds: expected 2 to {count}, the number of queries"
            )
        order = np.arange(count)
        if self.shuffle:
            check_random_state(self.random_state).shuffle(order)
        fold = np.empty(count, dtype=np.int64)
        fold[order] = np.arange(count) % self.n_splits
        rows = fold[queries.per_row()]
        for number in range(self.n_splits):
            yield np.flatnonzero(rows != number), np.flatnonzero(rows == number)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return self.n_splits


def _ranking_score(y_true: Any, y_score: Any, *, measure: str, qid: Any = None, group: Any = None) -> float:
    return measure_score(measure, y_true, y_score, qid=qid, group=group)


def rank_scorer(measure: str = "ndcg@10") -> Any:
    """A scorer that measures per query, for everything in scikit-learn that takes ``scoring``.

    scikit-learn passes queries to scorers by metadata routing, which must be enabled. The scorer
    requests ``qid``; ``set_score_request`` changes that.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn
    >>> from featherank.rankers import LinearRegression
    >>> X, y, qid = np.array([[1.0], [2.0], [2.0], [1.0]]), [0, 1, 0, 1], [1, 1, 2, 2]
    >>> model = LinearRegression().fit(X[:2], y[:2])
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     round(rank_scorer("ndcg@10")(model, X, y, qid=qid), 4)
    0.8155
    """
    scorer = make_scorer(_ranking_score, measure=measure)
    routed = get_config()["enable_metadata_routing"]
    return scorer.set_score_request(qid=True) if routed else scorer


def _forms(queries: Queries) -> dict[str, npt.NDArray[np.int64]]:
    """Queries in every form that rankers expect, by argument name, in order of preference."""
    rows = queries.per_row()
    return {"qid": rows, "group_id": rows, "group": np.asarray(queries.sizes, dtype=np.int64), "groups": rows}


def _expected(method: Any, queries: Queries) -> dict[str, npt.NDArray[np.int64]]:
    accepted = inspect.signature(method).parameters
    return next(({name: form} for name, form in _forms(queries).items() if name in accepted), {})


def _expected_by_steps(pipeline: Any, queries: Queries) -> Iterator[tuple[str, str, npt.NDArray[np.int64]]]:
    for name, step in pipeline.steps:
        if hasattr(step, "fit"):
            yield from ((name, form, rows) for form, rows in _expected(step.fit, queries).items())


def fit_ranker(estimator: Any, X: Any, y: Any, queries: Queries, **fit_params: Any) -> Any:
    """Train a ranker with its queries in the form it expects.

    XGBRanker expects ``qid``, LGBMRanker ``group``, CatBoostRanker ``group_id``; a pipeline passes
    every step what it expects.
    """
    if isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]:
        wanted = {f"{name}__{form}": rows for name, form, rows in _expected_by_steps(estimator, queries)}
    elif isinstance(estimator, Pipeline):
        wanted = {form: rows for _, form, rows in _expected_by_steps(estimator, queries)}
    else:
        wanted = _expected(estimator.fit, queries)
    if not wanted:
        raise InvalidParameterError(
            f"{type(estimator).__name__} takes no queries: its fit has none of qid, group, group_id and groups"
        )
    return estimator.fit(X, y, **wanted, **fit_params)


def rank_with(estimator: Any, X: Any, queries: Queries) -> npt.NDArray[np.float64]:
    """Scores of documents; queries are passed if the ranker's ``predict`` takes them."""
    return np.asarray(estimator.predict(X, **_expected(estimator.predict, queries)), dtype=np.float64)
