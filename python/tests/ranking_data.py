"""Small ranking data for the tests of the Python package."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np


class RankingData(NamedTuple):
    """Rows of queries with their labels and names."""

    X: np.ndarray
    y: np.ndarray
    qid: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        return np.unique(self.qid, return_counts=True)[1]


def ranking_data(queries: int = 24, features: int = 8, seed: int = 0, dtype: type = np.float32) -> RankingData:
    """Labels 0 to 2; features of decreasing relevance on different scales; the last one is dead."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(6, 13, queries)
    qid = np.repeat(np.arange(1, queries + 1), sizes)
    y = rng.integers(0, 3, len(qid))
    noise = rng.normal(size=(len(qid), features))
    strength = np.linspace(1.5, 0.0, features)
    X = (y[:, None] * strength + noise) * 10.0 ** rng.integers(-1, 3, features)
    X[:, -1] = qid
    return RankingData(X.astype(dtype), y, qid)


def write_letor(path: Path, data: RankingData) -> Path:
    """The same data as a file, with numbers that read back exactly."""
    with path.open("w") as file:
        for row, label, query in zip(data.X, data.y, data.qid, strict=True):
            cells = " ".join(f"{number}:{np.float32(value)!s}" for number, value in enumerate(row, start=1))
            file.write(f"{label} qid:{query} {cells}\n")
    return path


# Settings that make slow methods fast; all other settings are the defaults.
CHEAP: dict[str, dict[str, object]] = {
    "auto": {"ranker": "linear-regression", "methods": "top-k", "folds": 3},
    "greedy": {"ranker": "linear-regression"},
    "spea2": {"population": 6, "archive": 6, "generations": 2},
    "backward": {"ranker": "linear-regression", "folds": 2},
    "rfe": {"ranker": "linear-regression", "folds": 2},
    "boruta": {"settings": {"trees": 5}, "rounds": 3, "tentative": "keep"},
    "btfs": {"ranker": "linear-regression", "settings": None, "folds": 2},
    "best-first": {"ranker": "linear-regression", "settings": None, "patience": 1},
    "mofsrank": {"population": 4, "pair_generations": 1, "feature_generations": 1, "ensemble_generations": 1},
    "rsrank": {"iterations": 5, "starts": 1},
}
