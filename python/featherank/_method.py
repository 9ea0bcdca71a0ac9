"""Base class of selectors and rankers: input data, seed, threads, time limit and progress."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from featherank import _core
from featherank._arrays import columns_of, data_of, labels_of
from featherank._progress import Progress
from featherank._queries import queries_of
from featherank._registry import methods, set_parameters
from featherank.exceptions import InvalidParameterError


class RegisteredMethod(BaseEstimator):
    """A registered method with its parameters as keyword arguments."""

    _kind: str
    _method: str

    random_state: Any
    n_jobs: int | None
    time_limit: float | None
    verbose: int

    # With metadata routing, request the query of each row: group sizes cannot be split into folds.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True, "group": False, "valid": False}

    def __sklearn_is_fitted__(self) -> bool:
        """Do not mistake a parameter such as ``lambda_`` for a fitted attribute."""
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        """Declare capabilities for scikit-learn's estimator checks."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._entry()["takes_missing"]
        return tags

    @classmethod
    def _entry(cls) -> dict[str, Any]:
        return methods(cls._kind)[cls._method]

    def _data(self, X: Any, y: Any, qid: Any, group: Any, *, reset: bool) -> _core.Data:
        keep_missing = self._entry()["takes_missing"]
        columns, rows = columns_of(self, X, reset=reset, keep_missing=keep_missing, min_rows=2 if reset else 1)
        return data_of(columns, labels_of(self, y, rows), rows, queries_of(rows, qid, group))

    def _valid_data(self, valid: Any) -> _core.Data | None:
        """Validation data: ``(X, y, qid)``, or ``(X, y)`` for one query."""
        if valid is None:
            return None
        if not isinstance(valid, tuple) or len(valid) not in (2, 3):
            raise InvalidParameterError("valid must be a tuple (X, y, qid)")
        X, y, qid = valid if len(valid) == 3 else (*valid, None)
        return self._data(X, y, qid, None, reset=False)

    def _settings(self, progress: Progress | None) -> dict[str, Any]:
        if self.time_limit is not None and not self.time_limit > 0:
            raise InvalidParameterError(f"`{self.time_limit}` is not a valid time_limit: expected a number of seconds above 0")
        return {
            "params": set_parameters(self._entry(), self),
            "seed": seed_of(self.random_state),
            "threads": threads_of(self.n_jobs),
            "time_limit": self.time_limit,
            "progress": progress,
        }


def seed_of(random_state: Any) -> int:
    """The library's integer seed, from any ``random_state`` that scikit-learn accepts."""
    if isinstance(random_state, numbers.Integral):
        seed = int(random_state)
        if not 0 <= seed < 2**64:
            raise InvalidParameterError(f"`{seed}` is not a valid random_state: expected a whole number of 0 or more")
        return seed
    return int(check_random_state(random_state).randint(2**31 - 1))


def threads_of(n_jobs: int | None) -> int:
    """The library's thread count, where 0 means all cores."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if not isinstance(n_jobs, numbers.Integral) or n_jobs < 1:
        raise InvalidParameterError(f"`{n_jobs}` is not a valid n_jobs: expected 1 or more, or -1 for all cores")
    return int(n_jobs)
