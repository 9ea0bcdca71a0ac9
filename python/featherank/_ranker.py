"""Base class of all rankers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from featherank import _core
from featherank._arrays import columns_of, data_of
from featherank._method import RegisteredMethod, threads_of
from featherank._progress import progress_bar
from featherank._queries import queries_of
from featherank.measures import measure_score

if TYPE_CHECKING:
    from typing_extensions import Self


class RankingEstimator(RegisteredMethod):
    """A featherank ranker as a scikit-learn estimator.

    Every ranker takes these keyword parameters in addition to its own.

    Parameters
    ----------
    normaliser : {"none", "query-minmax", "query-zscore", "zscore"}, default="none"
        Normalisation of the features, saved with the model.
    random_state : int, RandomState or None, default=1
        Seed. An integer gives the same model as ``--seed`` of the command.
    n_jobs : int, optional
        Number of threads; all cores by default. Results do not depend on it.
    time_limit : float, optional
        Seconds after which training stops with `TimeLimitError`.
    verbose : int, default=0
        Show progress.
    """

    _kind = "rankers"
    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True, "group": False}

    def __init__(
        self,
        *,
        normaliser: str,
        random_state: int | np.random.RandomState | None,
        n_jobs: int | None,
        time_limit: float | None,
        verbose: int,
    ) -> None:
        self.normaliser = normaliser
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.verbose = verbose

    model_: _core.Model
    feature_importances_: npt.NDArray[np.float64]

    def fit(self, X: Any, y: Any, *, qid: Any = None, group: Any = None, valid: Any = None) -> Self:
        """Train the ranker.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            One row per document of a query.
        y : array-like of shape (n_rows,)
            Relevance grades, 0 or more.
        qid : array-like of shape (n_rows,), optional
            The query of each row. Rows of one query must be adjacent. Without ``qid`` and
            ``group``, all rows are one query.
        group : array-like of shape (n_queries,), optional
            The number of rows of each query, instead of ``qid``.
        valid : tuple (X, y, qid), optional
            Validation data for early stopping.
        """
        data = self._data(X, y, qid, group, reset=True)
        held_out = self._valid_data(valid)
        ids = data.feature_ids()
        with progress_bar(self.verbose) as progress:
            self.model_ = _core.train(self._method, data, held_out, self._settings(progress), self.normaliser)
        places = {feature: place for place, feature in enumerate(ids)}
        self.feature_importances_ = np.zeros(len(ids))
        for (feature, _), importance in zip(self.model_.features(), self.model_.importances(), strict=True):
            self.feature_importances_[places[feature]] = importance
        return self

    def predict(self, X: Any, *, qid: Any = None, group: Any = None) -> npt.NDArray[np.float32]:
        """Scores of documents; only their order within a query is meaningful.

        Queries are required if features are normalised per query.
        """
        check_is_fitted(self)
        keep_missing = self._entry()["takes_missing"]
        columns, rows = columns_of(self, X, reset=False, keep_missing=keep_missing)
        data = data_of(columns, None, rows, queries_of(rows, qid, group))
        return self.model_.score(data, threads_of(self.n_jobs))

    def score(self, X: Any, y: Any, *, qid: Any = None, group: Any = None) -> float:
        """NDCG@10 of the ranking, mean over queries."""
        return measure_score("ndcg@10", y, self.predict(X, qid=qid, group=group), qid=qid, group=group)
