"""Risk and significance tests: is one system better than another, and which queries does it hurt?

All functions take one value per query, as `featherank.measures.measure_per_query` returns them. A
query whose value is NaN is excluded for both systems.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from featherank import _core


class TTest(NamedTuple):
    """Result of a paired t-test."""

    statistic: float
    df: float
    p: float
    mean_difference: float
    standard_error: float


class Wilcoxon(NamedTuple):
    """Result of a Wilcoxon signed-rank test."""

    w_plus: float
    w_minus: float
    n: int
    p: float
    exact: bool


class NonInferiority(NamedTuple):
    """Result of a non-inferiority test."""

    mean_difference: float
    lower_bound: float
    margin: float
    p: float
    holds: bool


def _values(values: Any) -> npt.NDArray[np.float64]:
    return np.ascontiguousarray(values, dtype=np.float64)


def _read(text: str) -> dict[str, Any]:
    """Parse JSON in which infinite numbers and NaN are strings."""
    words = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
    return {name: words.get(value, value) if isinstance(value, str) else value for name, value in json.loads(text).items()}


def paired_t(a: Any, b: Any) -> TTest:
    """Two-sided t-test of ``a - b`` over queries.

    Examples
    --------
    >>> round(paired_t([0.5, 0.3, 0.8], [0.4, 0.1, 0.6]).p, 4)
    0.0377
    """
    return TTest(**_read(_core.paired_t(_values(a), _values(b))))


def wilcoxon(a: Any, b: Any) -> Wilcoxon:
    """Wilcoxon signed-rank test of ``a - b`` over queries, exact for few queries.

    Examples
    --------
    >>> wilcoxon([0.5, 0.3, 0.8], [0.4, 0.1, 0.6]).p
    0.25
    """
    return Wilcoxon(**_read(_core.wilcoxon(_values(a), _values(b))))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm correction of the p-values of several tests.

    Examples
    --------
    >>> holm([0.01, 0.04])
    [0.02, 0.04]
    """
    return _core.holm([float(p) for p in p_values])


def non_inferior(new: Any, reference: Any, *, margin: float, level: float = 0.05) -> NonInferiority:
    """Test whether ``new`` is at most ``margin`` worse than ``reference``.

    Examples
    --------
    >>> non_inferior([0.5, 0.3, 0.8, 0.6], [0.49, 0.31, 0.8, 0.59], margin=0.02).holds
    True
    """
    return NonInferiority(**_read(_core.non_inferior(_values(new), _values(reference), margin, level)))


def bootstrap_interval(
    values: Any, *, level: float = 0.95, resamples: int = 1000, random_state: int = 1
) -> tuple[float, float]:
    """Bootstrap confidence interval of the mean over queries.

    Examples
    --------
    >>> low, high = bootstrap_interval([0.2, 0.4, 0.6, 0.8])
    >>> 0.2 <= low < 0.5 < high <= 0.8
    True
    """
    return _core.bootstrap_mean(_values(values), level, resamples, random_state)


def risk_report(model: Any, baseline: Any, *, alpha: float = 1.0) -> dict[str, Any]:
    """All risk measures of a model against a baseline.

    Losses weigh ``1 + alpha`` times as much as gains.

    Examples
    --------
    >>> report = risk_report([0.5, 0.3, 0.8], [0.4, 0.5, 0.6])
    >>> report["wins_losses"]["wins"], report["wins_losses"]["losses"], report["trade_off"]["u_risk"] < 0
    (2, 1, True)
    """
    return _read(_core.risk_report(_values(model), _values(baseline), alpha))


def f_risk(model: Any, baseline: Any) -> float:
    """Mean loss per query.

    >>> round(f_risk([0.5, 0.3, 0.8], [0.4, 0.5, 0.6]), 4)
    0.0667
    """
    return _trade_off(model, baseline, 0.0, "f_risk")


def u_risk(model: Any, baseline: Any, *, alpha: float = 1.0) -> float:
    """Mean gain minus ``1 + alpha`` times the mean loss.

    >>> round(u_risk([0.5, 0.3, 0.8], [0.4, 0.5, 0.6]), 4)
    -0.0333
    """
    return _trade_off(model, baseline, alpha, "u_risk")


def t_risk(model: Any, baseline: Any, *, alpha: float = 1.0) -> float:
    """U_RISK divided by its standard error; below -2 the model is significantly riskier.

    >>> t_risk([0.5, 0.3, 0.8], [0.4, 0.5, 0.6]) < 0
    True
    """
    return _trade_off(model, baseline, alpha, "t_risk")


def _trade_off(model: Any, baseline: Any, alpha: float, name: str) -> float:
    return float(risk_report(model, baseline, alpha=alpha)["trade_off"][name])


def geo_risk(systems: Sequence[Any], *, alpha: float = 1.0) -> npt.NDArray[np.float64]:
    """GeoRisk of several systems on the same queries, which combines effectiveness and risk.

    Higher is better.

    >>> safe, wild = geo_risk([[0.5, 0.5, 0.5], [0.9, 0.6, 0.0]])
    >>> bool(safe > wild)
    True
    """
    columns = [_values(system).tolist() for system in systems]
    return np.asarray(json.loads(_core.geo_risk(columns, alpha))["geo_risk"], dtype=np.float64)
