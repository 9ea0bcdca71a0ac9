"""The result of a selection."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


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


class Selection(Mapping[str, Any]):
    """A selection, as ``featherank select -o`` writes it: a mapping that saves to the same bytes.

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
        return f"<selection by {self['method']}: {names}>"

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
