"""The registry of methods, and the conversion of Python values to its text form."""

from __future__ import annotations

import json
import keyword
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from featherank import _core


@cache
def methods(kind: str) -> dict[str, dict[str, Any]]:
    """All ``selectors`` or all ``rankers`` by name."""
    return {method["name"]: method for method in json.loads(_core.registry())[kind]}


def argument_name(parameter: str) -> str:
    """The Python name of a parameter.

    >>> argument_name("learning-rate"), argument_name("lambda")
    ('learning_rate', 'lambda_')
    """
    name = parameter.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def default_value(parameter: Mapping[str, Any]) -> Any:
    """The default of a parameter as a Python value."""
    text, kind = parameter["default"], parameter["kind"]
    if kind == "whole":
        return int(text)
    if kind == "real" or (kind == "auto" and text != "auto"):
        return float(text)
    if kind == "flag":
        return text == "true"
    return None if kind == "settings" and not text else text


def as_text(value: Any) -> str:
    """A value as on the command line.

    >>> as_text(0.25), as_text(3.0), as_text([1, 10]), as_text({"trees": 50}), as_text(True)
    ('0.25', '3', '1,10', 'trees=50', 'true')
    """
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    if isinstance(value, Mapping):
        return ";".join(f"{name}={as_text(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(as_text(one) for one in value)
    return "" if value is None else str(value)


def set_parameters(method: Mapping[str, Any], estimator: object) -> list[tuple[str, str]]:
    """The parameters of an estimator that differ from their defaults, as text."""
    given = []
    for parameter in method["parameters"]:
        value = getattr(estimator, argument_name(parameter["name"]))
        default = default_value(parameter)
        if type(value) is not type(default) or value != default:
            given.append((parameter["name"], as_text(value)))
    return given
