"""Base class of all selectors."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from featherank import _core
from featherank._method import RegisteredMethod
from featherank._progress import progress_bar
from featherank.exceptions import InvalidParameterError
from featherank.selection import FrontMember, PathStep, Selection, Verdict, front_of, path_of

if TYPE_CHECKING:
    from typing_extensions import Self

Features = Iterable["int | str"]
Costs = Mapping["int | str", float] | Iterable[float]


class RankingSelector(SelectorMixin, RegisteredMethod):
    """A featherank selector as a scikit-learn estimator.

    Every selector takes these keyword parameters in addition to its own.

    Parameters
    ----------
    k : int, optional
        Number of features to select; by default the method decides.
    keep, drop : iterable of int or str, optional
        Features that must, or must not, be selected: column indices from 0, names, patterns of
        names (``"bm25.*"``), or ranges of feature ids, which are numbered from 1 (``"10-15"``).
    costs : mapping or array-like, optional
        Costs of features, by column, name, pattern or range, or one number per feature; default 1
        each. The cost of a single feature comes before that of a pattern or range.
    budget : float, optional
        Upper limit for the total cost of the selected features.
    random_state : int, RandomState or None, default=1
        Seed. An integer gives the same result as ``--seed`` of the command.
    n_jobs : int, optional
        Number of threads; all cores by default. Results do not depend on it.
    time_limit : float, optional
        Seconds after which the method stops. Methods that search return the best result so far;
        the others raise `TimeLimitError`.
    verbose : int, default=0
        Show progress.
    """

    _kind = "selectors"

    def __init__(
        self,
        *,
        k: int | None,
        keep: Features | None,
        drop: Features | None,
        costs: Costs | None,
        budget: float | None,
        random_state: int | np.random.RandomState | None,
        n_jobs: int | None,
        time_limit: float | None,
        verbose: int,
    ) -> None:
        self.k = k
        self.keep = keep
        self.drop = drop
        self.costs = costs
        self.budget = budget
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.verbose = verbose

    support_: npt.NDArray[np.bool_]
    ranking_: npt.NDArray[np.int64]
    scores_: npt.NDArray[np.float64]
    path_: list[PathStep]
    front_: list[FrontMember]
    selection_: Selection
    verdict_: Verdict | None
    model_: _core.Model | None

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, valid: Any = None) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features), or sharded data
            from `featherank.ray.open`
            One row per document of a query.
        y : array-like of shape (n_rows,)
            Relevance grades, 0 or more. Sharded data contains them.
        qid : array-like of shape (n_rows,), optional
            The query of each row. Rows of one query must be adjacent. Without ``qid`` and
            ``group``, all rows are one query.
        group : array-like of shape (n_queries,), optional
            The number of rows of each query, instead of ``qid``.
        valid : tuple (X, y, qid), optional
            Validation data for methods that tune or judge on it; by default they hold out queries
            of the training data.
        """
        data = self._sharded(X, y, qid, group) or self._data(X, y, qid, group, reset=True)
        held_out = self._sharded(valid) or self._valid_data(valid)
        ids = data.feature_ids()
        limits = self._limits(data)
        with progress_bar(self.verbose) as progress:
            settings = self._settings(progress)
            checkpoint = getattr(self, "checkpoint", None)
            text, model = _core.select(self._method, data, held_out, settings, limits, checkpoint)
        self._describe(Selection(text), {feature: place for place, feature in enumerate(ids)})
        self.model_ = model
        return self

    def _sharded(self, X: Any, *others: Any) -> _core.Cluster | None:
        """Sharded data, which contains its labels and queries; None for other data."""
        core = getattr(X, "_core", None)
        if not isinstance(core, _core.Cluster):
            return None
        if any(other is not None for other in others):
            raise InvalidParameterError("data on a cluster already has labels and queries\n  help: leave out y, qid and group")
        self.n_features_in_ = len(core.feature_ids())
        self.feature_names_in_ = np.array(core.feature_names(), dtype=object)
        return core

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def _describe(self, selection: Selection, columns: Mapping[int, int]) -> None:
        self.selection_ = selection
        self.verdict_ = selection.verdict
        self.path_ = path_of(selection, columns)
        self.front_ = front_of(selection, columns)
        chosen = {columns[feature["id"]]: float(feature["score"]) for feature in selection["selected"]}
        self.support_ = np.zeros(len(columns), dtype=bool)
        self.support_[list(chosen)] = True
        # Rank 1 is selected, as in scikit-learn's RFE; then the rest of the path in order; then all
        # others.
        later = [step.feature for step in self.path_ if step.feature not in chosen]
        self.ranking_ = np.where(self.support_, 1, len(later) + 2)
        self.ranking_[later] = np.arange(2, len(later) + 2)
        # Values of the path are scores of features if they equal the scores of the selected ones.
        self.scores_ = np.full(len(columns), np.nan)
        values = {step.feature: step.value for step in self.path_}
        if all(values.get(feature) == score for feature, score in chosen.items()):
            chosen = values
        self.scores_[list(chosen)] = list(chosen.values())

    def _limits(self, data: _core.Data | _core.Cluster) -> dict[str, Any]:
        return {
            "k": self._whole("k", self.k),
            "keep": self._columns("keep", self.keep, data),
            "drop": self._columns("drop", self.drop, data),
            "costs": costs_in_order(self.costs, data),
            "budget": None if self.budget is None else float(self.budget),
        }

    @staticmethod
    def _whole(name: str, value: Any) -> int | None:
        if value is None:
            return None
        if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
            raise InvalidParameterError(f"`{value}` is not a valid {name}: expected a whole number of 1 or more")
        return int(value)

    def _columns(self, name: str, features: Features | None, data: _core.Data | _core.Cluster) -> list[int]:
        if isinstance(features, str):
            raise InvalidParameterError(f"`{features}` is not a valid {name}: expected a list of columns or names")
        found = (column for feature in features or () for column in columns_named(name, feature, data))
        return list(dict.fromkeys(found))


def columns_named(name: str, feature: int | str, data: _core.Data | _core.Cluster) -> list[int]:
    """The columns of a feature, pattern or range given in the parameter ``name``."""
    if isinstance(feature, str):
        return data.matching(feature)
    width = len(data.feature_ids())
    if not isinstance(feature, numbers.Integral) or not 0 <= feature < width:
        raise InvalidParameterError(f"`{feature}` is not a valid column in {name}: expected 0 to {width - 1}, or a name")
    return [int(feature)]


def costs_in_order(costs: Costs | None, data: _core.Data | _core.Cluster) -> list[float]:
    """The cost of every feature in column order; empty without costs."""
    if costs is None:
        return []
    width = len(data.feature_ids())
    if isinstance(costs, Mapping):
        single: dict[int, float] = {}
        several: dict[int, float] = {}
        for feature, cost in costs.items():
            columns = columns_named("costs", feature, data)
            listed = single if len(columns) == 1 else several
            for column in columns:
                if listed.setdefault(column, float(cost)) != float(cost):
                    raise InvalidParameterError(f"column {column} has two costs\n  help: give each feature one cost")
        prices = [single.get(column, several.get(column, 1.0)) for column in range(width)]
    else:
        prices = [float(cost) for cost in costs]
    if len(prices) != width:
        counts = (_core.counted(len(prices), "cost"), _core.counted(width, "feature"))
        raise InvalidParameterError(" for ".join(counts))
    check_costs(prices)
    return prices


def check_costs(prices: list[float]) -> None:
    """Raise an error unless all costs are finite and 0 or more."""
    if prices and (not all(np.isfinite(prices)) or min(prices) < 0):
        raise InvalidParameterError("costs must be numbers of 0 or more")
