"""Models with random trees or weights, on disk with data and the scores of featherank."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from support import run_ok

Model = dict[str, Any]
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}
NAMES = ["bm25", "page rank", "length", "age", "clicks", "title"]


def random_tree(random: np.random.Generator, features: int, splits: int, missing: bool) -> dict[str, list[Any]]:
    """A random tree; every new split replaces a random leaf."""
    tree: dict[str, list[Any]] = {key: [] for key in ("feature", "threshold", "missing_left", "left", "right", "gain")}
    # Parent split and side of each leaf.
    open_ends: list[tuple[int, str]] = []
    for split in range(splits):
        if open_ends:
            parent, side = open_ends.pop(random.integers(len(open_ends)))
            tree[side][parent] = split
        tree["feature"].append(int(random.integers(features)))
        tree["threshold"].append(float(np.float32(np.round(random.normal() * 2, random.integers(1, 7)))))
        tree["missing_left"].append(bool(random.random() < 0.5) if missing else False)
        tree["gain"].append(float(random.random()))
        for side in ("left", "right"):
            tree[side].append(None)
            open_ends.append((split, side))
    for leaf, (parent, side) in enumerate(open_ends):
        tree[side][parent] = -1 - leaf
    tree["leaf"] = random.normal(size=splits + 1).tolist()
    return tree


def feature_entries(ids: list[int], names: list[str] | None) -> list[dict[str, Any]]:
    return [{"id": i} | ({"name": names[i - 1]} if names else {}) for i in ids]


def zscore(random: np.random.Generator, features: int) -> dict[str, Any]:
    scales = [{"offset": float(random.normal() * 3), "divisor": float(random.uniform(0.1, 5))} for _ in range(features)]
    return {"normaliser": "zscore", "scales": scales}


def make_trees(seed: int, *, missing: bool = False, scaled: bool = False, named: bool = False) -> Model:
    """Forty trees over features 2, 3 and 6 of six; one of them is a single leaf."""
    random = np.random.default_rng(seed)
    trees = [random_tree(random, 3, int(random.integers(0, 12)), missing) for _ in range(39)]
    trees.append(random_tree(random, 3, 0, missing))
    model: Model = {"featherank": "model", "version": 1, "model": "trees"}
    model |= {"features": feature_entries([2, 3, 6], NAMES if named else None), "trees": trees}
    return model | ({"scaler": zscore(random, 3)} if scaled else {})


def make_linear(seed: int, *, scaled: bool = False, named: bool = False, intercept: float = 0.0) -> Model:
    random = np.random.default_rng(seed)
    entries = feature_entries([2, 3, 6], NAMES if named else None)
    weights = [entry | {"weight": float(random.normal())} for entry in entries]
    model: Model = {"featherank": "model", "version": 1, "model": "linear", "weights": weights, "intercept": intercept}
    return model | ({"scaler": zscore(random, 3)} if scaled else {})


def make_values(model: Model, seed: int, missing: bool = False) -> np.ndarray:
    """Random values, including every threshold of the model and its neighbours."""
    random = np.random.default_rng(seed)
    values = (random.normal(size=(600, 6)) * 3).astype(np.float32)
    entries = model.get("features") or model["weights"]
    scales = model.get("scaler", {}).get("scales") or [{"offset": 0.0, "divisor": 1.0}] * len(entries)
    for tree in model.get("trees", []):
        for feature, threshold in zip(tree["feature"], tree["threshold"], strict=True):
            scale = scales[feature]
            near = np.float32(threshold * scale["divisor"] + scale["offset"])
            column = entries[feature]["id"] - 1
            for value in (near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))):
                values[random.integers(len(values)), column] = value
    if missing:
        values[random.random(values.shape) < 0.2] = np.nan
    return values


def write_data(path: Path, values: np.ndarray) -> Path:
    """LETOR text with ten documents per query."""
    with path.open("w") as file:
        for row, numbers in enumerate(values):
            cells = [f"{i}:{'NULL' if np.isnan(x) else repr(float(x))}" for i, x in enumerate(numbers, start=1)]
            file.write(f"{row % 3} qid:{row // 10} {' '.join(cells)}\n")
    return path


class Exported:
    """A model on disk, its data, and featherank's own scores."""

    def __init__(self, folder: Path, model: Model, missing: bool = False) -> None:
        self.folder, self.model, self.values = folder, model, make_values(model, 3, missing)
        self.path = folder / "model.json"
        self.path.write_text(json.dumps(model))
        data = write_data(folder / "data.txt", self.values)
        names = folder / "names.txt"
        names.write_text("\n".join(NAMES) + "\n")
        self.options = ["--names", names] if "name" in self.features[0] else []
        text = run_ok("rank", data, "--model", self.path, "--form", "scores", "--missing", "keep", *self.options)
        self.scores = np.array(text.split(), dtype=np.float64)

    @property
    def features(self) -> list[dict[str, Any]]:
        return self.model.get("features") or self.model["weights"]

    @property
    def columns(self) -> list[int]:
        return [entry["id"] - 1 for entry in self.features]

    def export(self, target: str, *options: object) -> Path:
        path = self.folder / "exported"
        run_ok("export", self.path, "--to", target, "-o", path, *options)
        return path


TREES = {
    "plain": {},
    "missing": {"missing": True},
    "z-scores": {"scaled": True},
    "missing z-scores": {"missing": True, "scaled": True, "named": True},
}
LINEAR = {"plain": {}, "intercept": {"intercept": 0.7}, "z-scores": {"scaled": True, "named": True, "intercept": -3.0}}


def trees(folder: Path, kind: str) -> Exported:
    return Exported(folder, make_trees(11, **TREES[kind]), TREES[kind].get("missing", False))


def linear(folder: Path, kind: str) -> Exported:
    return Exported(folder, make_linear(11, **LINEAR[kind]))
