"""featherank chooses the ranking features worth paying for.

Selectors are scikit-learn estimators with one more argument, the query of each row:

>>> import numpy as np
>>> from featherank import TopK
>>> rng = np.random.default_rng(0)
>>> qid = np.repeat(np.arange(20), 10)
>>> y = rng.integers(0, 3, 200)
>>> X = np.column_stack([rng.normal(size=200), y + rng.normal(size=200), rng.normal(size=200)])
>>> TopK(k=1).fit(X, y, qid=qid).get_support(indices=True)
array([1])

Selectors are in this module, rankers in `featherank.rankers`, measures in `featherank.measures`, risk and tests in
`featherank.comparison`, and what makes other libraries' rankers usable for cross-validated selection in
`featherank.model_selection` and `featherank.elimination`.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from featherank import embedded, filters, wrappers
from featherank._core import Model
from featherank._queries import sizes_of
from featherank.elimination import RankRFECV, RankSFS
from featherank.embedded import *  # noqa: F403
from featherank.exceptions import FeatherankError
from featherank.filters import *  # noqa: F403
from featherank.measures import measure_per_query, measure_score, ndcg_score
from featherank.model_selection import QueryKFold, rank_scorer
from featherank.selection import Selection
from featherank.wrappers import *  # noqa: F403

try:
    __version__ = version("featherank")
except PackageNotFoundError:  # The sources, without an installation.
    __version__ = "0"

__all__ = [
    "FeatherankError",
    "Model",
    "QueryKFold",
    "RankRFECV",
    "RankSFS",
    "Selection",
    "measure_per_query",
    "measure_score",
    "ndcg_score",
    "rank_scorer",
    "sizes_of",
]
__all__ += filters.__all__ + wrappers.__all__ + embedded.__all__
