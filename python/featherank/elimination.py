"""Recursive elimination and sequential selection with any ranker, cross-validated over queries.

Counterparts of scikit-learn's RFECV and SequentialFeatureSelector that support queries: folds
consist of whole queries, queries are passed to the ranker in the form it expects, and measures are
computed per query.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from featherank import _core
from featherank._arrays import labels_of
from featherank._queries import Queries, queries_of
from featherank.exceptions import InvalidParameterError
from featherank.measures import measure_per_query
from featherank.model_selection import QueryKFold, fit_ranker, rank_with

if TYPE_CHECKING:
    from typing_extensions import Self

Rows = npt.NDArray[np.int64]
Fold = tuple[Rows, Rows]


class _RankerSelection(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Base class of elimination and sequential selection."""

    # With metadata routing, request the query of each row: group sizes cannot be split into folds.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True, "group": False}

    estimator: Any
    cv: Any
    measure: str
    support_: npt.NDArray[np.bool_]
    estimator_: Any

    def __sklearn_tags__(self) -> Any:
        """Declare capabilities for scikit-learn's estimator checks."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags.allow_nan = True
        return tags

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def _checked(self, X: Any, y: Any, qid: Any, group: Any) -> tuple[Any, npt.NDArray[np.float64], Queries]:
        if hasattr(X, "columns") and hasattr(X, "shape"):
            validate_data(self, X, skip_check_array=True)
        else:
            X = validate_data(self, X, dtype=None, accept_sparse="csr", ensure_all_finite=False, ensure_min_samples=2)
        rows = X.shape[0]
        return X, labels_of(self, y, rows), queries_of(rows, qid, group)

    def _folds(self, X: Any, y: npt.NDArray[np.float64], queries: Queries) -> list[Fold]:
        folds = QueryKFold(self.cv) if isinstance(self.cv, int) else self.cv
        rows = queries.per_row()
        return list(folds.split(X, y, rows)) if hasattr(folds, "split") else list(folds)


def _columns(X: Any, features: npt.NDArray[np.int64]) -> Any:
    return _safe_indexing(X, features, axis=1)


def _part(X: Any, y: npt.NDArray[np.float64], queries: Queries, rows: Rows) -> tuple[Any, npt.NDArray[np.float64], Queries]:
    return _safe_indexing(X, rows), y[rows], queries_of(len(rows), qid=queries.per_row()[rows])


def _importances(ranker: Any, getter: str | Callable[[Any], Any]) -> npt.NDArray[np.float64]:
    if callable(getter):
        values = getter(ranker)
    elif getter != "auto":
        values = attrgetter(getter)(ranker)
    elif hasattr(ranker, "get_feature_importance"):
        # CatBoost's default for rankers needs the training data again.
        values = ranker.get_feature_importance(type="PredictionValuesChange")
    elif hasattr(ranker, "feature_importances_"):
        values = ranker.feature_importances_
    elif hasattr(ranker, "coef_"):
        values = np.abs(ranker.coef_)
    else:
        raise InvalidParameterError(
            f"{type(ranker).__name__} says nothing about features: neither feature_importances_ nor coef_"
        )
    values = np.asarray(values, dtype=np.float64)
    return values if values.ndim == 1 else np.linalg.norm(values, axis=0)


class RankRFECV(_RankerSelection):
    """Recursive feature elimination with any ranker, cross-validated over queries.

    Cross-validation chooses the number of features.

    Parameters
    ----------
    estimator : ranker
        LGBMRanker, XGBRanker, CatBoostRanker, a featherank ranker, or any estimator with
        ``predict``, importances, and a ``fit`` that takes ``qid``, ``group``, ``group_id`` or
        ``groups``.
    step : int or float, default=1
        Features to remove per round: a number, or below 1 a share of the remaining features.
    min_features_to_select : int, default=1
        Minimum number of features.
    cv : int or splitter, default=5
        Folds of whole queries. A splitter receives the query of each row as ``groups``.
    measure : str, default="ndcg@10"
        Measure of rankings, averaged over all held-out queries.
    importance_getter : str or callable, default="auto"
        Source of feature importances.
    n_jobs : int, optional
        Number of folds processed in parallel, as in joblib.

    Attributes
    ----------
    support_, ranking_ : arrays of shape (n_features,)
        Which features are selected, and the order in which the others were removed; rank 1 is
        selected.
    n_features_ : int
        Number of selected features.
    cv_results_ : dict
        ``n_features``, ``mean_test_score`` over all queries and ``split0_test_score`` … for every
        size.
    estimator_ : ranker
        The ranker trained on all rows with the selected features.
    """

    def __init__(
        self,
        estimator: Any,
        *,
        step: float = 1,
        min_features_to_select: int = 1,
        cv: Any = 5,
        measure: str = "ndcg@10",
        importance_getter: str | Callable[[Any], Any] = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.step = step
        self.min_features_to_select = min_features_to_select
        self.cv = cv
        self.measure = measure
        self.importance_getter = importance_getter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, *, qid: Any = None, group: Any = None) -> Self:
        """Eliminate features; see `featherank.TopK.fit` for ``qid`` and ``group``."""
        if not self.step > 0:
            raise InvalidParameterError(f"`{self.step}` is not a valid step: expected a number above 0")
        X, y, queries = self._checked(X, y, qid, group)
        sizes = self._sizes(X.shape[1])
        folds = self._folds(X, y, queries)
        judged = Parallel(n_jobs=self.n_jobs)(
            delayed(self._judge)(X, y, queries, fold, sizes) for fold in folds
        )
        means = [_core.measure_summary(self.measure, np.concatenate(values)) for values in zip(*judged, strict=True)]
        # Of equally good sizes, take the smallest, which is last.
        best = len(means) - 1 - int(np.argmax(means[::-1]))
        self.cv_results_ = {"n_features": np.asarray(sizes), "mean_test_score": np.asarray(means)}
        for number, values in enumerate(judged):
            scores = [_core.measure_summary(self.measure, one) for one in values]
            self.cv_results_[f"split{number}_test_score"] = np.asarray(scores)
        path = self._eliminate(X, y, queries, sizes[: best + 1])
        self.ranking_ = np.ones(X.shape[1], dtype=np.int64)
        for features, _ in path[1:]:
            left = np.ones(X.shape[1], dtype=bool)
            left[features] = False
            self.ranking_[left] += 1
        chosen, self.estimator_ = path[-1]
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[chosen] = True
        self.n_features_ = int(self.support_.sum())
        return self

    def _sizes(self, width: int) -> list[int]:
        """Sizes from all features to the minimum."""
        minimum = min(max(1, self.min_features_to_select), width)
        sizes = [width]
        while sizes[-1] > minimum:
            removed = self.step if self.step >= 1 else self.step * sizes[-1]
            sizes.append(max(minimum, sizes[-1] - max(1, int(removed))))
        return sizes

    def _eliminate(self, X: Any, y: Any, queries: Queries, sizes: list[int]) -> list[tuple[Rows, Any]]:
        """The features of every size in column order, and the ranker trained on them."""
        features = np.arange(X.shape[1])
        path: list[tuple[Rows, Any]] = []
        for size in sizes:
            if path:
                importances = _importances(path[-1][1], self.importance_getter)
                # Of equally unimportant features, remove the last one first.
                order = np.lexsort((np.arange(len(features)), -importances))
                features = np.sort(features[order[:size]])
            path.append((features, fit_ranker(clone(self.estimator), _columns(X, features), y, queries)))
        return path

    def _judge(self, X: Any, y: Any, queries: Queries, fold: Fold, sizes: list[int]) -> list[npt.NDArray[np.float64]]:
        """The measure of every held-out query at every size."""
        path = self._eliminate(*_part(X, y, queries, fold[0]), sizes)
        X, y, queries = _part(X, y, queries, fold[1])
        scores = (rank_with(ranker, _columns(X, features), queries) for features, ranker in path)
        return [measure_per_query(self.measure, y, one, group=queries.sizes) for one in scores]


class RankSFS(_RankerSelection):
    """Sequential feature selection with any ranker, cross-validated over queries.

    Parameters
    ----------
    estimator : ranker
        As in `RankRFECV`; importances are not needed.
    n_features_to_select : int or "auto", default="auto"
        Number of features. "auto" stops when the measure improves by less than ``tol`` (forward) or
        drops by more (backward).
    tol : float, default=0.001
        See ``n_features_to_select``.
    direction : {"forward", "backward"}, default="forward"
        Add features to the empty set, or remove them from the full one.
    cv : int or splitter, default=5
        Folds of whole queries. A splitter receives the query of each row as ``groups``.
    measure : str, default="ndcg@10"
        Measure of rankings, averaged over all held-out queries.
    n_jobs : int, optional
        Number of candidates evaluated in parallel, as in joblib.

    Attributes
    ----------
    support_ : array of shape (n_features,)
        Which features are selected.
    path_ : list of (int, float)
        The feature added or removed at every step, and the measure after it.
    estimator_ : ranker
        The ranker trained on all rows with the selected features.
    """

    def __init__(
        self,
        estimator: Any,
        *,
        n_features_to_select: int | str = "auto",
        tol: float = 0.001,
        direction: str = "forward",
        cv: Any = 5,
        measure: str = "ndcg@10",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.tol = tol
        self.direction = direction
        self.cv = cv
        self.measure = measure
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, *, qid: Any = None, group: Any = None) -> Self:
        """Select features; see `featherank.TopK.fit` for ``qid`` and ``group``."""
        if self.direction not in ("forward", "backward"):
            raise InvalidParameterError(f"`{self.direction}` is not a valid direction: expected forward or backward")
        X, y, queries = self._checked(X, y, qid, group)
        width, forward = X.shape[1], self.direction == "forward"
        wanted = self._wanted_size(width)
        folds = self._folds(X, y, queries)
        mask = np.full(width, not forward)
        last = -np.inf if forward else self._judge(X, y, queries, folds, mask)
        self.path_: list[tuple[int, float]] = []
        while 0 < wanted != mask.sum() or (wanted == 0 and mask.sum() != (width if forward else 1)):
            candidates = np.flatnonzero(mask != forward)
            masks = [np.where(np.arange(width) == one, forward, mask) for one in candidates]
            values = Parallel(n_jobs=self.n_jobs)(
                delayed(self._judge)(X, y, queries, folds, one) for one in masks
            )
            best = int(np.argmax(values))
            if wanted == 0 and values[best] - last < (self.tol if forward else -self.tol):
                break
            mask, last = masks[best], values[best]
            self.path_.append((int(candidates[best]), float(last)))
        self.support_ = mask
        self.estimator_ = fit_ranker(clone(self.estimator), _columns(X, np.flatnonzero(mask)), y, queries)
        return self

    def _wanted_size(self, width: int) -> int:
        """The requested number of features, or 0 for "auto"."""
        wanted = self.n_features_to_select
        if wanted == "auto":
            return 0
        if not isinstance(wanted, (int, np.integer)) or not 1 <= wanted <= width:
            raise InvalidParameterError(f"`{wanted}` is not a valid n_features_to_select: expected 1 to {width}, or auto")
        return int(wanted)

    def _judge(self, X: Any, y: Any, queries: Queries, folds: list[Fold], mask: npt.NDArray[np.bool_]) -> float:
        """The measure over all held-out queries."""
        X = _columns(X, np.flatnonzero(mask))
        found = []
        for train, test in folds:
            ranker = fit_ranker(clone(self.estimator), *_part(X, y, queries, train))
            held_out, labels, tested = _part(X, y, queries, test)
            scores = rank_with(ranker, held_out, tested)
            found.append(measure_per_query(self.measure, labels, scores, group=tested.sizes))
        return _core.measure_summary(self.measure, np.concatenate(found))
