"""`featherank.compare` returns the results of the command as a DataFrame and a report."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import featherank
import numpy as np
import pytest
from featherank import BestGain, TopK, compare
from featherank.exceptions import InvalidParameterError
from featherank.rankers import LinearRegression, RankRLS

from ranking_data import RankingData, ranking_data, write_letor
from support import run_ok

METHODS = ["top-k[k=2]", "best-gain[delta=0.02]"]


@pytest.fixture(scope="module")
def data() -> RankingData:
    return ranking_data(queries=40)


@pytest.fixture(scope="module")
def compared(data: RankingData) -> featherank.Comparison:
    return compare(data.X, data.y, qid=data.qid, methods=METHODS, rankers="linear-regression", random_state=3)


def comparable(results: dict[str, Any]) -> dict[str, Any]:
    """Remove what differs from run to run."""
    results = json.loads(json.dumps(results))
    del results["command"], results["checksum"]
    results.pop("sources", None)
    for cell in results["cells"]:
        del cell["done"]["measured"]
    return results


def test_results_equal_those_of_the_command(
    data: RankingData, compared: featherank.Comparison, tmp_path: Path
) -> None:
    letor = write_letor(tmp_path / "data.txt", data)
    words = ["--methods", ",".join(METHODS), "--rankers", "linear-regression", "--seed", 3]
    run_ok("compare", letor, *words, "-o", tmp_path / "results", "-q")
    expected = json.loads((tmp_path / "results" / "results.json").read_text())
    assert comparable(compared.report.results) == comparable(expected)


def test_the_report_contains_the_command(data: RankingData, compared: featherank.Comparison, tmp_path: Path) -> None:
    words = compared.report.results["command"]
    assert words[:3] == ["featherank", "compare", "DATA"]
    letor = write_letor(tmp_path / "data.txt", data)
    run_ok(*[letor if word == "DATA" else word for word in words[1:]], "-o", tmp_path / "results", "-q")
    again = json.loads((tmp_path / "results" / "results.json").read_text())
    assert comparable(again) == comparable(compared.report.results)


def test_numpy_numbers_are_accepted(data: RankingData, compared: featherank.Comparison) -> None:
    again = compare(
        data.X, data.y, qid=data.qid, methods=METHODS, rankers="linear-regression", random_state=np.int64(3), seeds=np.int64(1)
    )
    assert comparable(again.report.results) == comparable(compared.report.results)


def test_methods_may_be_estimators(data: RankingData, compared: featherank.Comparison) -> None:
    methods = [TopK(k=2), BestGain(delta=0.02)]
    again = compare(data.X, data.y, qid=data.qid, methods=methods, rankers=LinearRegression(), random_state=3)
    assert comparable(again.report.results) == comparable(compared.report.results)


def test_files_give_the_same_results_as_arrays(data: RankingData, compared: featherank.Comparison, tmp_path: Path) -> None:
    letor = write_letor(tmp_path / "data.txt", data)
    again = compare(letor, methods=METHODS, rankers="linear-regression", random_state=3)
    assert comparable(again.report.results) == comparable(compared.report.results)


def test_the_table_contains_means_of_test_means(compared: featherank.Comparison) -> None:
    table, report = compared
    assert list(table.index) == [
        "all features, linear-regression",
        "top-k[k=2], linear-regression",
        "best-gain[delta=0.02], linear-regression",
    ]
    assert list(table.columns) == ["ndcg@10", "map", "features", "cost", "seconds", "failed"]
    cells = [cell["done"] for cell in report.results["cells"] if cell.get("selector") == "top-k[k=2]"]
    means = [np.mean([value for value in done["test"][0] if value is not None]) for done in cells]
    row = table.loc["top-k[k=2], linear-regression"]
    assert row["ndcg@10"] == pytest.approx(np.mean(means), abs=1e-12)
    assert (row["features"], row["failed"], len(report.cells())) == (2.0, 0, 15)
    # The figures equal those of the printed table.
    line = next(line for line in report.tables.splitlines() if "top-k[k=2], linear-regression" in line)
    assert f"{row['ndcg@10']:.4f}" in line


class Frames(HTMLParser):
    """Collects the documents of iframes."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "iframe":
            self.pages.append(dict(attrs)["srcdoc"] or "")


def test_notebooks_display_the_report(compared: featherank.Comparison, tmp_path: Path) -> None:
    for shown in (compared, compared.report):
        frames = Frames()
        frames.feed(shown._repr_html_())
        # The iframe contains the page unchanged.
        assert frames.pages == [compared.report.html]
    assert "Plotly" in compared.report.html
    assert compared._repr_html_().startswith("<table")
    compared.report.save(tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == compared.report.html


def test_the_same_call_resumes_in_its_folder(data: RankingData, tmp_path: Path) -> None:
    def again(**others: Any) -> dict[str, Any]:
        found = compare(
            data.X, data.y, qid=data.qid, methods=METHODS, rankers="linear-regression", output=tmp_path / "out", **others
        )
        return found.report.results

    first = again()
    cells = sorted((tmp_path / "out" / "cells").iterdir())
    cells[0].unlink()
    second = again(n_jobs=1)
    assert comparable(first) == comparable(second)
    # The times of all other cells are those of the first run: they were not repeated.
    measured = [[cell["done"]["measured"] for cell in results["cells"]] for results in (first, second)]
    assert sum(a != b for a, b in zip(*measured, strict=True)) <= 1
    with pytest.raises(featherank.FeatherankError, match="another experiment: seed is 1 there and 2 here"):
        again(random_state=2)


def test_a_failed_cell_is_reported_and_not_fatal(data: RankingData) -> None:
    # One of eight features is dead, so eight cannot be selected.
    found = compare(data.X, data.y, qid=data.qid, methods=["top-k[k=2]", "top-k[k=8]"], rankers="linear-regression")
    assert found.table["failed"].tolist() == [0, 0, 5]
    assert np.isnan(found.table["ndcg@10"].iloc[-1])
    reasons = found.report.cells()["failed"].dropna()
    assert len(reasons) == 5 and all("8" in reason for reason in reasons)


def test_costs_and_measures(data: RankingData) -> None:
    costs = {0: 5.0, 3: 2.0}
    found = compare(
        data.X, data.y, qid=data.qid, methods=TopK(k=7), rankers=RankRLS(), measures="p@5", costs=costs, tune=False
    )
    assert list(found.table.columns)[0] == "p@5"
    # Seven features: 5 and 2 for two of them, 1 for the others.
    assert found.table[["features", "cost"]].iloc[-1].tolist() == [7.0, 12.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": "no-such"}, "no-such"),
        ({"methods": [LinearRegression()]}, "not one of featherank's selectors"),
        ({"rankers": [TopK()]}, "not one of featherank's rankers"),
        ({"methods": TopK(k=2, budget=3)}, "compare does not support budget"),
        ({"methods": TopK(k=2, random_state=4)}, "pass it to compare"),
        ({"measures": []}, "no measure"),
        ({"measures": "ndgc"}, "ndgc"),
        ({"folds": 1}, "1"),
        ({"costs": [1.0]}, "1"),
        ({"costs": {99: 1.0}}, "99"),
        ({"costs": [-1.0] * 8}, "0 or more"),
        ({"seeds": 0}, "1 to 10000"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"qid": None}, "quer"),
    ],
)
def test_invalid_calls_raise(data: RankingData, change: dict[str, Any], message: str) -> None:
    call = {"qid": data.qid, "methods": "top-k[k=2]", "rankers": "linear-regression", **change}
    with pytest.raises(ValueError, match=message):
        compare(data.X, data.y, **call)


def test_labels_with_a_file_raise(data: RankingData, tmp_path: Path) -> None:
    letor = write_letor(tmp_path / "data.txt", data)
    with pytest.raises(InvalidParameterError, match="leave out y"):
        compare(letor, data.y, methods="top-k")
    with pytest.raises(featherank.FeatherankError, match="no-such"):
        compare(tmp_path / "no-such.txt", methods="top-k", rankers="linear-regression")
