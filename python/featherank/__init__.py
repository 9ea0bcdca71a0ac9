"""Feature selection for learning to rank.

Selectors are scikit-learn estimators whose ``fit`` also takes the query of each row:

>>> import numpy as np
>>> from featherank import TopK
>>> rng = np.random.default_rng(0)
>>> qid = np.repeat(np.arange(20), 10)
>>> y = rng.integers(0, 3, 200)
>>> X = np.column_stack([rng.normal(size=200), y + rng.normal(size=200), rng.normal(size=200)])
>>> TopK(k=1).fit(X, y, qid=qid).get_support(indices=True)
array([1])

Selectors are in this module, rankers in `featherank.rankers`, measures in `featherank.measures`,
risk and significance tests in `featherank.comparison`, and experiments in `featherank.experiment`.
`featherank.model_selection` and `featherank.elimination` cross-validate the rankers of other
libraries by query.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from featherank._names import SELECTORS

if TYPE_CHECKING:
    from featherank._core import Model as Model
    from featherank._queries import sizes_of as sizes_of
    from featherank.elimination import RankRFECV as RankRFECV, RankSFS as RankSFS
    from featherank.embedded import *  # noqa: F403
    from featherank.exceptions import FeatherankError as FeatherankError
    from featherank.experiment import Comparison as Comparison, Report as Report, compare as compare
    from featherank.filters import *  # noqa: F403
    from featherank.measures import (
        measure_per_query as measure_per_query,
        measure_score as measure_score,
        ndcg_score as ndcg_score,
    )
    from featherank.model_selection import QueryKFold as QueryKFold, rank_scorer as rank_scorer
    from featherank.selection import Selection as Selection
    from featherank.wrappers import *  # noqa: F403

    __version__: str

# Loaded on first use, so that the command starts without importing scikit-learn.
_HOMES = {
    **SELECTORS,
    "Comparison": "featherank.experiment",
    "FeatherankError": "featherank.exceptions",
    "Model": "featherank._core",
    "QueryKFold": "featherank.model_selection",
    "RankRFECV": "featherank.elimination",
    "RankSFS": "featherank.elimination",
    "Report": "featherank.experiment",
    "Selection": "featherank.selection",
    "compare": "featherank.experiment",
    "measure_per_query": "featherank.measures",
    "measure_score": "featherank.measures",
    "ndcg_score": "featherank.measures",
    "rank_scorer": "featherank.model_selection",
    "sizes_of": "featherank._queries",
}
_MODULES = ["comparison", "elimination", "exceptions", "experiment", "measures", "model_selection", "rankers"]

__all__ = [*_HOMES, *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"featherank.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("featherank")
    raise AttributeError(f"module 'featherank' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
