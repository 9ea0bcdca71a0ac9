"""The result of a selection."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class PathStep(NamedTuple):
    """One more feature on the way from none to all."""

    size: int
    """Number of features with this one."""
    feature: int
    """The column of the feature that was added."""
    value: float
    """The method's own measure at this step."""
    cost: float
    """What the features up to here cost together."""


class FrontMember(NamedTuple):
    """A subset that no other one dominates."""

    features: npt.NDArray[np.int64]
    """The columns of its features."""
    objectives: dict[str, float]
    """Its objectives by name."""
    chosen: bool
    """Whether this one was chosen."""


class Selection(Mapping[str, Any]):
    """A selection as ``featherank select -o`` writes it: a mapping that is saved to the same bytes.

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
        """What was chosen, in one line."""
        names = ", ".join(str(feature.get("name", feature["id"])) for feature in self["selected"])
        return f"<selection by {self['method']}: {names}>"

    def to_json(self) -> str:
        """The document's text."""
        return self._text

    def save(self, path: str | Path) -> None:
        """Write the document, whole or not at all; every command with ``--selection`` reads it."""
        path = Path(path)
        unfinished = path.with_name(path.name + ".unfinished")
        unfinished.write_text(self._text, encoding="utf-8", newline="\n")
        unfinished.replace(path)


def path_of(selection: Selection, columns: Mapping[int, int]) -> list[PathStep]:
    """The path, with columns instead of ids."""
    steps = selection["path"]
    return [PathStep(step["size"], columns[step["feature"]], step["value"], step["cost"]) for step in steps]


def front_of(selection: Selection, columns: Mapping[int, int]) -> list[FrontMember]:
    """The subsets that no other one dominates; none of a method that does not search among subsets."""
    members = selection.get("searched", {}).get("front", [])

    def member(one: dict[str, Any]) -> FrontMember:
        features = np.array([columns[feature] for feature in one["features"]], dtype=np.int64)
        return FrontMember(features, one["objectives"], one.get("chosen", False))

    return [member(one) for one in members]
