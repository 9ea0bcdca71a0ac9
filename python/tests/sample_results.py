"""Made-up results of an experiment: three folds, two seeds, five methods, names with markup."""

from __future__ import annotations

from typing import Any

import numpy as np

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
MARKUP = "<b>bold</b> & <a href='javascript:alert(3)'>link</a> %{x} ${1+1}"
TITLE = f"OHSUMED-like {SCRIPT}"

FEATURES = [
    "bm25_title",
    "bm25_body",
    SCRIPT,
    IMAGE,
    MARKUP,
    "pagerank",
    "lm_jm",
    "lm_dir",
    "idf",
    "длина документа",
    "clicks",
    "freshness",
]
SEEDS = [7, 8]
QUERIES = 40
ALL = "all features"


def sample(recommendation: dict[str, Any] | None) -> dict[str, Any]:
    """The document, as `featherank compare` would write it."""
    random = np.random.default_rng(11)
    folds = [fold(random, number) for number in (1, 2, 3)]
    cells = []
    for number in (1, 2, 3):
        hard = random.uniform(0.1, 0.8, QUERIES)
        for seed in SEEDS:
            for method in (ALL, "top-k", "spea2", f"mrmr {SCRIPT}", "single-feature"):
                cells.append(cell(random, method, number, seed, hard))
    failed = {
        "method": "boruta",
        "selector": "boruta",
        "ranker": "linear-regression",
        "fold": 2,
        "seed": 7,
        "failed": f"no time left for {IMAGE}",
    }
    document = {
        "featherank": "results",
        "version": 1,
        "title": TITLE,
        "release": "0.1.0",
        "command": ["featherank", "compare", "my data/Fold*", "--seed", "7"],
        "seed": 7,
        "choose": "ndcg@10",
        "measures": ["ndcg@10", "map"],
        "features": [{"id": number, "name": name} for number, name in enumerate(FEATURES, 1)],
        "folds": folds,
        "cells": [*cells, failed],
        "resamples": [{"method": "top-k", "fold": 1, "draw": draw, "features": some(random, 4)} for draw in range(1, 6)],
        "redundancy": alike(random),
    }
    if recommendation is not None:
        document["recommendation"] = recommendation
    return document


def fold(random: np.random.Generator, number: int) -> dict[str, Any]:
    ids = [f"{number}{query:03}" for query in range(QUERIES)]
    ids[0] = f"{number} {SCRIPT}"
    values = random.uniform(0.1, 0.5, QUERIES).tolist()
    return {"number": number, "queries": ids, "documents": [900, 300, 300], "baselines": {"mean of single features": values}}


def some(random: np.random.Generator, count: int) -> list[int]:
    """Ids of features; small ones are selected more often."""
    weights = 1 / np.arange(1, len(FEATURES) + 1)
    return (random.choice(len(FEATURES), count, replace=False, p=weights / weights.sum()) + 1).tolist()


def cell(random: np.random.Generator, method: str, fold: int, seed: int, hard: np.ndarray) -> dict[str, Any]:
    size = {ALL: len(FEATURES), "single-feature": 1}.get(method, int(random.integers(4, 8)))
    gain = {ALL: 0.1, "single-feature": 0.0}.get(method, 0.08)
    values = np.clip(hard + gain + random.normal(0, 0.07, QUERIES), 0, 1)
    # Ties, and queries that do not count.
    values[:4] = hard[:4]
    test = [[None if query == 9 else float(value) for query, value in enumerate(values * scale)] for scale in (1.0, 0.8)]
    ids = list(range(1, len(FEATURES) + 1)) if method == ALL else some(random, size)
    document = {
        "method": method,
        "fold": fold,
        "seed": seed,
        "ranker": "single-feature" if method == "single-feature" else "linear-regression",
        "done": {
            "features": ids,
            "cost": float(size),
            "selecting": {} if method == ALL else {"k": str(size)},
            "ranking": {"ridge": "0.1"},
            "valid": float(values.mean()),
            "test": test,
            "measured": {"select_seconds": 0.02 * size * seed, "seconds": 0.3 * size * seed, "peak_bytes": 52_428_800 + size},
        },
    }
    if method not in (ALL, "single-feature"):
        document["selector"] = method.split()[0]
    done = document["done"]
    if method.startswith(("top-k", "mrmr")):
        top = 0.35 if method == "top-k" else 0.33
        done["curve"] = [
            {
                "features": count,
                "value": float(top + 0.15 * (1 - np.exp(-count / 3)) + random.normal(0, 0.004)),
                "error": float(random.uniform(0.01, 0.02)),
            }
            for count in range(1, 12, 2)
        ]
    if method == "spea2":
        best = 0.40 + np.cumsum(random.uniform(0, 0.01, 24))
        done["generations"] = [
            {
                "best": float(value),
                "mean": float(value - 0.08 * np.exp(-place / 8)),
                "features": 8 - place / 8,
                "front": 5 + place // 4,
            }
            for place, value in enumerate(best)
        ]
        done["front"] = [
            {
                "features": some(random, count),
                "objectives": {
                    "effectiveness": float(0.62 - 0.3 / count + random.uniform(0, 0.005)),
                    "frisk": float(0.02 + 0.004 * count),
                },
                "chosen": count == 5,
            }
            for count in range(1, 9)
        ]
        for member in done["front"]:
            if not member["chosen"]:
                del member["chosen"]
    return document


def alike(random: np.random.Generator) -> dict[str, Any]:
    """Correlations that contain two groups."""
    base = random.normal(size=(200, len(FEATURES)))
    base[:, 1] = base[:, 0] + 0.2 * base[:, 1]
    base[:, 7] = -base[:, 6] + 0.3 * base[:, 7]
    order = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    matrix = np.corrcoef(base[:, [one - 1 for one in order]].T)
    rows = [[float(value) for value in row] for row in matrix]
    rows[3][5] = rows[5][3] = None
    return {"correlation": "spearman", "features": order, "matrix": rows, "groups": [[1, 2], [7, 8]]}
