"""scikit-learn's estimator checks for every selector and ranker."""

from __future__ import annotations

import inspect
from typing import Any

import featherank.rankers
import numpy as np
import pytest
from featherank import AutoSelector, BestGain
from featherank.rankers import SVMMAP
from sklearn.utils.estimator_checks import parametrize_with_checks

from ranking_data import CHEAP
from test_selectors import CLASSES


class AutoWithQueries(AutoSelector):
    """The same estimator, except that rows without queries are divided into queries."""

    def fit(self, X: Any, y: Any, *, qid: Any = None, group: Any = None, valid: Any = None) -> Any:
        shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
        if qid is None and group is None and len(shape) == 2:
            qid = np.arange(shape[0]) * 3 // max(1, shape[0])
        return super().fit(X, y, qid=qid, group=group, valid=valid)


class BestGainFromZero(BestGain):
    """The same estimator with the smallest label moved to 0: some checks have labels 7 and 8."""

    def fit(self, X: Any, y: Any, *, qid: Any = None, group: Any = None, valid: Any = None) -> Any:
        if y is not None:
            y = np.asarray(y)
            y = y - y.min()
        return super().fit(X, y, qid=qid, group=group, valid=valid)


# Settings for the data of the checks, whose features carry little information and whose labels
# start at 1.
SETTINGS: dict[str, dict[str, Any]] = {
    **CHEAP,
    **dict.fromkeys(("cfs", "consistency", "fcbf", "interact"), {"k": 1}),
    "svm-map": {"relevant": 2},
}
ADAPTED = {AutoSelector: AutoWithQueries, BestGain: BestGainFromZero}


def settings(estimator: type) -> dict[str, Any]:
    """Average precision is constant where all labels are relevant: gain by grade is not."""
    defaults = {name: one.default for name, one in inspect.signature(estimator).parameters.items()}
    graded = {name: "ndcg@10" for name, one in defaults.items() if str(one).startswith("map")}
    return graded | SETTINGS.get(estimator._method, {})


def estimators() -> list[Any]:
    rankers = [getattr(featherank.rankers, name) for name in featherank.rankers.__all__]
    checked = [ADAPTED.get(one, one) for one in CLASSES]
    return [one(**settings(one)) for one in checked + rankers]


def expected_failures(estimator: Any) -> dict[str, str]:
    if isinstance(estimator, AutoSelector):
        why = "the check has ten rows with labels in order: of the queries that auto holds out, most have equal labels"
        return dict.fromkeys(("check_estimators_nan_inf", "check_positive_only_tag_during_fit"), why)
    if isinstance(estimator, SVMMAP):
        why = "all labels of the check are relevant: average precision has nothing to learn"
        return dict.fromkeys(("check_estimators_dtypes", "check_fit2d_1feature"), why)
    return {}


# Boosting without validation data warns; the checks have none.
@pytest.mark.filterwarnings("ignore:.*there is no validation data:UserWarning")
@parametrize_with_checks(estimators(), expected_failed_checks=expected_failures)
def test_estimator_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
