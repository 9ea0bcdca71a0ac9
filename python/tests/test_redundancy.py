"""Redundancy: correlations equal those of scipy, variance inflation that of numpy."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import kendalltau, pearsonr, spearmanr

from support import run_json, run_ok

SIZES = [2, 3, 5, 9, 17, 31, 64, 65, 130, 40]
FEATURES = 9
ORACLES: dict[str, Callable[..., Any]] = {"spearman": spearmanr, "kendall": kendalltau, "pearson": pearsonr}


def make_data(path: Path, seed: int) -> list[np.ndarray]:
    """Queries with many ties, similar features, and one feature constant in some queries."""
    random = np.random.default_rng(seed)
    queries = []
    for number, size in enumerate(SIZES):
        values = random.integers(0, random.integers(2, 12, FEATURES), (size, FEATURES)).astype(float)
        values[:, 3] = values[:, 0] + random.integers(0, 2, size)
        values[:, 4] = -values[:, 1] * 8
        values[:, 5] = random.permutation(size) / 4
        values[:, 6] = values[:, 5] + values[:, 2]
        values[:, 7] = 5 if number % 2 else values[:, 7]
        queries.append(values)
    with path.open("w") as file:
        for number, values in enumerate(queries, start=1):
            for row in values:
                cells = " ".join(f"{i}:{value}" for i, value in enumerate(row.tolist(), start=1))
                file.write(f"{random.integers(0, 3)} qid:{number} {cells}\n")
    return queries


def expected_matrix(queries: list[np.ndarray], oracle: Callable[..., Any]) -> np.ndarray:
    """The mean over the queries in which both features vary."""
    matrix = np.eye(FEATURES)
    for a in range(FEATURES):
        for b in range(a):
            both = [(q[:, a], q[:, b]) for q in queries if np.ptp(q[:, a]) > 0 and np.ptp(q[:, b]) > 0]
            matrix[a, b] = matrix[b, a] = np.mean([oracle(x, y).statistic for x, y in both])
    return matrix


def unordered(found: dict[str, Any]) -> np.ndarray:
    """The matrix in the order of columns."""
    columns = [feature["id"] - 1 for feature in found["features"]]
    matrix = np.empty((FEATURES, FEATURES))
    matrix[np.ix_(columns, columns)] = np.array(found["matrix"], dtype=float)
    return matrix


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", list(ORACLES))
def test_correlations_equal_those_of_scipy(tmp_path: Path, kind: str, seed: int) -> None:
    queries = make_data(tmp_path / "data.txt", seed)
    inspect = ["inspect", tmp_path / "data.txt", "--redundancy", "--correlation", kind]
    within = run_json(*inspect)
    np.testing.assert_allclose(unordered(within), expected_matrix(queries, ORACLES[kind]), rtol=0, atol=1e-9)
    pooled = run_json(*inspect, "--scope", "pooled")
    expected = expected_matrix([np.concatenate(queries)], ORACLES[kind])
    np.testing.assert_allclose(unordered(pooled), expected, rtol=0, atol=1e-9)


def test_kendall_of_a_long_list_equals_that_of_scipy(tmp_path: Path) -> None:
    """Beyond two thousand documents, pairs are counted by sorting."""
    random = np.random.default_rng(4)
    values = np.stack([random.integers(0, distinct, 3000) for distinct in (2, 7, 90, 4000)], axis=1)
    values[:, 3] += 40 * values[:, 2]
    with (tmp_path / "data.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["qid", "label", "a", "b", "c", "d"], *([1, 0, *row] for row in values.tolist())])
    found = run_json("inspect", tmp_path / "data.csv", "--redundancy", "--correlation", "kendall")
    column = {name: i for i, name in enumerate("abcd")}
    order = [column[feature["name"]] for feature in found["features"]]
    expected = [[kendalltau(values[:, a], values[:, b]).statistic for b in order] for a in order]
    np.testing.assert_allclose(found["matrix"], expected, rtol=0, atol=1e-9)


def within_queries(queries: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([values - values.mean(axis=0) for values in queries])


def test_variance_inflation_equals_that_of_regressions(tmp_path: Path) -> None:
    """Exact combinations: features 2 and 5 are opposite, and 7 is the sum of 3 and 6."""
    centred = within_queries(make_data(tmp_path / "data.txt", seed=5))
    found = run_json("inspect", tmp_path / "data.txt", "--redundancy")
    vif = {feature["id"]: feature["vif"] for feature in found["features"]}
    assert {feature for feature, value in vif.items() if value is None} == {2, 3, 5, 6, 7}
    for feature in [1, 4, 8, 9]:
        own, others = centred[:, feature - 1], np.delete(centred, feature - 1, axis=1)
        weights, *_ = np.linalg.lstsq(others, own)
        expected = np.sum(own**2) / np.sum((own - others @ weights) ** 2)
        np.testing.assert_allclose(vif[feature], expected, rtol=1e-6)
    independent = np.delete(centred, [4, 6], axis=1)
    inverse = np.linalg.inv(np.corrcoef(independent, rowvar=False))
    np.testing.assert_allclose([vif[i] for i in [1, 4, 8, 9]], np.diag(inverse)[[0, 3, 5, 6]], rtol=1e-6)
    assert [f["id"] for f in found["features"] if f["inflated"]] == [f["id"] for f in found["features"]
                                                                     if f["vif"] is None or f["vif"] > 10]


@pytest.mark.parametrize("level", [0.3, 0.6, 0.9])
def test_groups_and_clusters_equal_those_of_scipy(tmp_path: Path, level: float) -> None:
    """Groups are single linkage cut at the level; clusters of average linkage are contiguous."""
    queries = make_data(tmp_path / "data.txt", seed=6)
    found = run_json("inspect", tmp_path / "data.txt", "--redundancy", "--level", level)
    distance = squareform(1 - np.abs(expected_matrix(queries, spearmanr)), checks=False)
    clusters = fcluster(linkage(distance, "single"), 1 - level + 1e-9, "distance")
    expected = {frozenset(np.flatnonzero(clusters == c) + 1) for c in set(clusters) if np.sum(clusters == c) > 1}
    groups = [[group["best"], *group["others"]] for group in found["groups"]]
    assert {frozenset(member["id"] for member in members) for members in groups} == expected
    assert all(alone == sorted(alone, reverse=True) for alone in ([m["alone"] for m in group] for group in groups))
    assert len(found["could_go"]) == sum(len(group) - 1 for group in expected)
    place = {feature["id"] - 1: i for i, feature in enumerate(found["features"])}
    tree = linkage(distance, "average")
    members = [{leaf} for leaf in range(FEATURES)]
    for a, b, *_ in tree:
        members.append(members[int(a)] | members[int(b)])
        places = [place[leaf] for leaf in members[-1]]
        assert max(places) - min(places) == len(places) - 1


def test_tables_contain_the_matrix_of_the_document(tmp_path: Path) -> None:
    make_data(tmp_path / "data.txt", seed=7)
    inspect = ["inspect", tmp_path / "data.txt", "--redundancy", "--correlation", "kendall"]
    found = run_json(*inspect, "-o", tmp_path / "m.csv")
    run_ok(*inspect, "-o", tmp_path / "m.tsv")
    for name, delimiter in [("m.csv", ","), ("m.tsv", "\t")]:
        with (tmp_path / name).open(newline="") as file:
            header, *rows = csv.reader(file, delimiter=delimiter)
        assert header == ["feature", *(str(feature["id"]) for feature in found["features"])]
        assert [row[0] for row in rows] == header[1:]
        assert [[float(cell) for cell in row[1:]] for row in rows] == found["matrix"]
