"""scikit-learn's own checks of estimators, for every selector and every ranker."""

from __future__ import annotations

from typing import Any

import featherank.rankers
import numpy as np
from featherank._selector import RankingSelector
from sklearn.utils.estimator_checks import parametrize_with_checks

from ranking_data import CHEAP
from test_selectors import CLASSES

# Methods that hold queries out cannot work on the one query that rows without qid make up: their checks get a few queries.
NEEDS_QUERIES = {"auto"}


def with_queries(selector: type[RankingSelector]) -> type[RankingSelector]:
    """The same estimator, except that rows without queries are divided into some."""

    def fit(self: Any, X: Any, y: Any, *, qid: Any = None, group: Any = None, valid: Any = None) -> Any:
        if qid is None and group is None and hasattr(X, "__len__"):
            qid = np.arange(len(X)) * 4 // max(1, len(X))
        return super(made, self).fit(X, y, qid=qid, group=group, valid=valid)

    made = type(selector.__name__, (selector,), {"fit": fit, "__init__": selector.__init__})
    return made


def estimators() -> list[Any]:
    rankers = [getattr(featherank.rankers, name) for name in featherank.rankers.__all__]
    made = []
    for one in CLASSES:
        checked = with_queries(one) if one._method in NEEDS_QUERIES else one
        made.append(checked(**CHEAP.get(one._method, {})))
    return made + [one() for one in rankers]


def expected_failures(estimator: Any) -> dict[str, str]:
    return {}


@parametrize_with_checks(estimators(), expected_failed_checks=expected_failures)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
