"""The result of a selection."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from featherank import _core


class PathStep(NamedTuple):
    """A step of the path from no features to all."""

    size: int
    """Number of features, including this one."""
    feature: int
    """The column of the feature that was added."""
    value: float
    """The method's own measure at this step."""
    cost: float
    """Total cost of the features so far."""


class FrontMember(NamedTuple):
    """An undominated subset."""

    features: npt.NDArray[np.int64]
    """The columns of its features."""
    objectives: dict[str, float]
    """Its objectives by name."""
    chosen: bool
    """Whether this is the selected subset."""


class Verdict(NamedTuple):
    """What is known about the set of `AutoSelector` in comparison with all features."""

    value: str
    """``"shown"``, ``"not-shown"`` or ``"not-tested"``."""
    words: str
    """The verdict in a few words."""
    headline: str
    """The answer in one sentence; a recommendation only if the set is shown to be as good."""
    difference: float | None
    """Measured difference to all features on held-out queries; None if not tested."""
    lower_bound: float | None
    """Lower confidence bound of the difference."""
    margin: float | None
    """The acceptable loss."""
    cost: float
    """Total cost of the set."""
    budget: float | None
    """The greatest total cost that was allowed."""


class Selection(Mapping[str, Any]):
    """A selection, as ``featherank select -o`` writes it, without file names: a mapping.

    Examples
    --------
    >>> import numpy as np
    >>> from featherank import TopK
    >>> X = np.array([[3.0, 1.0], [2.0, 5.0], [1.0, 0.0]])
    >>> chosen = TopK(k=1).fit(X, [2, 1, 0]).selection_
    >>> chosen["method"], [feature["id"] for feature in chosen["selected"]]
    ('top-k', [1])
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._content: dict[str, Any] = json.loads(text)

    def __getitem__(self, key: str) -> Any:
        """A part of the document."""
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        """The parts of the document."""
        return iter(self._content)

    def __len__(self) -> int:
        """The number of parts."""
        return len(self._content)

    def __repr__(self) -> str:
        """The selected features in one line."""
        names = ", ".join(str(feature.get("name", feature["id"])) for feature in self["selected"])
        verdict = self.verdict
        words = "" if verdict is None else f" ({verdict.words})"
        return f"<selection by {self['method']}{words}: {names}>"

    @property
    def verdict(self) -> Verdict | None:
        """The set in comparison with all features; None if the method does not compare them."""
        text = _core.verdict(self._text) if "advice" in self else None
        if text is None:
            return None
        found = json.loads(text)
        evidence = found["evidence"] or {}
        return Verdict(
            value=found["verdict"],
            words=found["badge"],
            headline=found["headline"],
            difference=evidence.get("difference"),
            lower_bound=evidence.get("lower_bound"),
            margin=evidence.get("margin"),
            cost=found["cost"],
            budget=found["budget"],
        )

    def to_json(self) -> str:
        """The document's text."""
        return self._text

    def save(self, path: str | Path) -> None:
        """Write the document atomically; every command with ``--selection`` reads it."""
        path = Path(path)
        unfinished = path.with_name(path.name + ".unfinished")
        unfinished.write_text(self._text, encoding="utf-8", newline="\n")
        unfinished.replace(path)


def path_of(selection: Selection, columns: Mapping[int, int]) -> list[PathStep]:
    """The path, with columns instead of ids."""
    steps = selection["path"]
    return [PathStep(step["size"], columns[step["feature"]], step["value"], step["cost"]) for step in steps]


def front_of(selection: Selection, columns: Mapping[int, int]) -> list[FrontMember]:
    """The undominated subsets; empty for methods that do not search."""
    members = selection.get("searched", {}).get("front", [])

    def member(one: dict[str, Any]) -> FrontMember:
        features = np.array([columns[feature] for feature in one["features"]], dtype=np.int64)
        return FrontMember(features, one["objectives"], one.get("chosen", False))

    return [member(one) for one in members]
