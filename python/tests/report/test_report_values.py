"""The report shows the values of its results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser
from report_page import Opened, done, figures, number, open_tab, overflow, per_query, rows, shoot
from sample_results import ALL, FEATURES, SCRIPT

from support import run_json, run_ok


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_front_point_shows_its_features_and_command(browser: Browser, report: Path, results: dict[str, Any], size: str) -> None:
    front = done(results, "spea2")[0]["done"]["front"]
    with Opened(browser, report, size) as page:
        panel = open_tab(page, "fronts")
        card = panel.locator(".card")
        assert "selected by the method" in card.text_content()
        order = sorted(range(len(front)), key=lambda index: front[index]["objectives"]["frisk"])
        for place in (0, 2):
            member = front[order[place]]
            names = [FEATURES[one - 1] for one in member["features"]]
            point = panel.locator(".plot .scatterlayer .trace").first.locator("path.point").nth(place)
            point.scroll_into_view_if_needed()
            box = point.bounding_box()
            centre = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.mouse.move(*centre)
            hover = panel.locator(".hoverlayer .hovertext")
            hover.wait_for()
            for name in names:
                # Hover text wraps lines and truncates long names.
                words = re.sub(r"\s+", "", name)[:20]
                assert words in re.sub(r"\s+", "", hover.text_content()), name
            page.mouse.click(*centre)
            assert card.locator(".chips li").all_text_contents() == names
            shown = dict(zip(card.locator("dt").all_text_contents(), card.locator("dd").all_text_contents(), strict=True))
            for objective, value in member["objectives"].items():
                assert number(shown[objective]) == pytest.approx(value, abs=5e-5)
            command = card.locator("code").text_content()
            wanted = ",".join(map(str, member["features"]))
            assert command == f"featherank train TRAIN --ranker linear-regression -p ridge=0.1 --features {wanted} -o model.json"
            card.locator(".copy").click()
            card.get_by_text("Copied").wait_for()
            assert page.evaluate("navigator.clipboard.readText()") == command
        # The same by keyboard: a button in the table.
        panel.locator("summary").click()
        panel.locator("button[data-member]").nth(5).focus()
        page.keyboard.press("Enter")
        assert card.locator(".chips li").count() == len(front[order[5]]["features"])
        assert panel.locator("button[aria-pressed=true]").count() == 1
        panel.locator("select").first.select_option(index=3)
        other = done(results, "spea2")[3]["done"]["front"]
        assert card.locator(".chips li").all_text_contents() == [
            FEATURES[one - 1] for one in next(m for m in other if m.get("chosen"))["features"]
        ]


def test_means_and_intervals_equal_those_of_the_results(browser: Browser, report: Path, results: dict[str, Any]) -> None:
    with Opened(browser, report) as page:
        table = {row[0]: row for row in rows(open_tab(page, "recommendation"), "Means over all")}
        assert list(table) == [ALL, "top-k", "spea2", f"mrmr {SCRIPT}", "single-feature"]
        for method, row in table.items():
            sizes = [len(cell["done"]["features"]) for cell in done(results, method)]
            assert number(row[1]) == pytest.approx(np.mean(sizes), abs=0.05)
            for measure, (mean, interval) in enumerate([row[2:4], row[4:6]]):
                values = per_query(results, method, measure)
                values = values[~np.isnan(values)]
                assert number(mean) == pytest.approx(values.mean(), abs=5.1e-5)
                low, high = map(number, interval.split(" to "))
                reach = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
                assert (low, high) == pytest.approx((values.mean() - reach, values.mean() + reach), abs=0.15 * reach)
        timing = {row[0]: row for row in rows(open_tab(page, "time"), "time and effectiveness")}
        for method, row in timing.items():
            taken = np.mean([cell["done"]["measured"]["seconds"] for cell in done(results, method)])
            assert row[4].endswith(" s") and row[5] == "50 MiB"
            # Shown with one decimal.
            assert number(row[4].removesuffix(" s")) == pytest.approx(taken, abs=0.0501)
        curve = [row for row in rows(open_tab(page, "sizes"), "ndcg@10 by number") if row[0] == "top-k"]
        assert [row[1] for row in curve] == ["1", "3", "5", "7", "9", "11"]
        for place, row in enumerate(curve):
            points = np.array(
                [[cell["done"]["curve"][place][key] for key in ("value", "error")] for cell in done(results, "top-k")]
            )
            value, errors = points[:, 0].mean(), points[:, 1].reshape(3, 2).mean(axis=1)
            reach = 1.959964 * np.sqrt((errors**2).sum()) / 3
            assert number(row[2]) == pytest.approx(value, abs=5.1e-5)
            assert list(map(number, row[3].split(" to "))) == pytest.approx([value - reach, value + reach], abs=5.1e-5)


def test_wins_losses_and_worst_queries_equal_those_of_the_results(
    browser: Browser, report: Path, results: dict[str, Any]
) -> None:
    ids = [query for fold in results["folds"] for query in fold["queries"]]
    single = np.array([value for fold in results["folds"] for value in fold["baselines"]["mean of single features"]])
    with Opened(browser, report) as page:
        panel = open_tab(page, "queries")
        names = panel.locator("select option").all_text_contents()
        for place, method in enumerate([ALL, "top-k", "spea2", f"mrmr {SCRIPT}", "single-feature"]):
            own = per_query(results, method)
            against, base = (
                ("mean of single features", single) if method in (ALL, "single-feature") else (ALL, per_query(results, ALL))
            )
            assert names[place] == f"{method} vs. {against}"
            panel.locator("select").select_option(index=place)
            difference = own - base
            counted = difference[~np.isnan(difference)]
            shown = figures(panel)
            assert shown["queries won"] == str((counted > 0).sum())
            assert shown["queries lost"] == str((counted < 0).sum())
            assert shown["ties"] == str((counted == 0).sum())
            mean = next(value for what, value in shown.items() if what.startswith("mean difference in ndcg@10"))
            assert number(mean) == pytest.approx(counted.mean(), abs=5.1e-5)
            order = sorted((gap, index) for index, gap in enumerate(difference.tolist()) if gap < 0)[:10]
            worst = rows(panel, "Queries with the largest losses")
            assert [row[0] for row in worst] == [ids[index] for _, index in order]
            for row, (gap, index) in zip(worst, order, strict=True):
                assert [number(row[2]), number(row[3]), number(row[4])] == pytest.approx(
                    [base[index], own[index], gap], abs=5.1e-5
                )
        shoot(page, "queries-last")


def test_generations_stability_and_redundancy_equal_those_of_the_results(
    browser: Browser, report: Path, results: dict[str, Any]
) -> None:
    with Opened(browser, report) as page:
        generations = np.array([[one["best"] for one in cell["done"]["generations"]] for cell in done(results, "spea2")])
        boxes = rows(open_tab(page, "convergence"), "generations of spea2")
        assert len(boxes) == generations.shape[1]
        for place, row in enumerate(boxes):
            assert row[:2] == [str(place + 1), "6"]
            assert list(map(number, row[2:7])) == pytest.approx(
                np.quantile(generations[:, place], [0, 0.25, 0.5, 0.75, 1]), abs=5.1e-5
            )
        panel = open_tab(page, "stability")
        for row in rows(panel, "Stability over folds"):
            sets = [cell["done"]["features"] for cell in done(results, row[0])]
            chosen = np.array([[feature + 1 in one for feature in range(len(FEATURES))] for one in sets])
            size, shares = chosen.sum(1).mean() / len(FEATURES), chosen.mean(0)
            spread = (len(sets) / (len(sets) - 1) * shares * (1 - shares)).mean()
            assert number(row[2]) == pytest.approx(1 - spread / (size * (1 - size)), abs=5.1e-4)
        shares = {row[0]: row[1:] for row in rows(panel, "share of selections")}
        sets = [cell["done"]["features"] for cell in done(results, "top-k")]
        for feature, name in enumerate(FEATURES, 1):
            share = np.mean([feature in one for one in sets])
            assert abs(number(shares[name][0].rstrip(" %")) / 100 - share) <= 0.0051 if name in shares else share == 0
        pairs = rows(open_tab(page, "redundancy"), "pairs of features")
        matrix = np.array(results["redundancy"]["matrix"], dtype=float)
        assert len(pairs) == 11 * 10 / 2 - 1
        strongest = np.nanmax(np.abs(np.tril(matrix, -1)))
        assert abs(number(pairs[0][2])) == pytest.approx(strongest, abs=5.1e-4)
        assert rows(page.locator("#panel-redundancy"), "Groups") == [["1", "bm25_title, bm25_body"], ["2", "lm_jm, lm_dir"]]


def test_the_recommendation_equals_that_of_auto(browser: Browser, report: Path, selection: dict[str, Any]) -> None:
    advice = selection["advice"]
    chosen = advice["tried"][advice["returned"]]
    with Opened(browser, report) as page:
        panel = open_tab(page, "recommendation")
        headline = panel.locator(".lead").text_content()
        kept, features = len(selection["selected"]), selection["data"]["features"]
        assert advice["verdict"] == "shown" and panel.locator(".badge.shown").text_content() == "shown to be as good"
        assert headline.startswith(f"Recommendation: keep {kept} of {features} features for linear-regression.")
        reasons = [text.lower().rstrip(".") for text in panel.locator(".reason").all_text_contents()]
        assert reasons == [note.lower().rstrip(".") for note in selection["notes"]]
        tiles = figures(panel)
        test = chosen["effectiveness"]
        assert number(tiles[f"difference in {advice['measure']} to all features"].split()[0]) == pytest.approx(
            test["mean_difference"], abs=5.1e-5
        )
        assert number(tiles["lower bound with 95 % confidence"].split()[0]) == pytest.approx(test["lower_bound"], abs=5.1e-5)
        tried = rows(panel, "evaluated sets")
        assert [number(row[4]) for row in tried] == pytest.approx(
            [one["effectiveness"]["lower_bound"] for one in reversed(advice["tried"])], abs=5.1e-5
        )
        assert [row[2] for row in rows(panel, "Features, best first")] == [str(one["id"]) for one in selection["selected"]]
        command = panel.locator("code", has_text="featherank train").text_content()
        assert re.fullmatch(
            r"featherank train '.*train\.txt' --ranker linear-regression( -p \S+)* --features [\d,]+ -o model.json", command
        )


def test_a_selection_shows_only_tabs_with_data(browser: Browser, folder: Path, selection: dict[str, Any]) -> None:
    page_path = folder / "auto.html"
    run_ok("report", folder / "selection.json", "-o", page_path)
    advice = selection["advice"]
    with Opened(browser, page_path, "phone") as page:
        assert [tab.get_attribute("id")[4:] for tab in page.locator("[role=tab]").all()] == [
            "recommendation",
            "sizes",
            "queries",
            "repeat",
        ]
        command = page.locator("#panel-recommendation code", has_text="featherank train").text_content()
        assert command.endswith(f"--selection '{folder / 'selection.json'}' -o model.json")
        shown = figures(open_tab(page, "queries"))
        pairs = [
            (own, all_)
            for own, all_ in zip(advice["per_query"], advice["per_query_of_all"], strict=True)
            if own is not None and all_ is not None
        ]
        assert shown["queries won"] == str(sum(own > other for own, other in pairs))
        assert shown["queries lost"] == str(sum(own < other for own, other in pairs))
        for name in ("recommendation", "sizes", "queries", "repeat"):
            open_tab(page, name)
            assert overflow(page) <= 0
            shoot(page, f"selection-{name}")


def test_a_search_shows_front_and_generations(browser: Browser, folder: Path, selection: dict[str, Any]) -> None:
    given = [
        "--method",
        "spea2",
        "-p",
        "objectives=e-r",
        "-p",
        "generations=6",
        "-p",
        "population=20",
        "-p",
        "archive=30",
        "-p",
        "folds=3",
    ]
    found = run_json("select", folder / "data" / "train.txt", *given, "-o", folder / "spea2.json", "--quiet")
    run_ok("report", folder / "spea2.json", "-o", folder / "spea2.html")
    with Opened(browser, folder / "spea2.html") as page:
        panel = open_tab(page, "fronts")
        assert len(rows(panel, "sets of spea2")) == len(found["searched"]["front"])
        shoot(page, "spea2-fronts")
        panel = open_tab(page, "convergence")
        assert [number(row[4]) for row in rows(panel, "generations")] == pytest.approx(
            [one["best"] for one in found["searched"]["generations"]], abs=5.1e-5
        )
        assert "one run" in panel.locator("figcaption").text_content()
        shoot(page, "spea2-convergence")


def test_failed_results_are_reported(browser: Browser, folder: Path, results: dict[str, Any]) -> None:
    cells = [
        {key: value for key, value in cell.items() if key != "done"} | {"failed": f"{SCRIPT} no memory"}
        for cell in results["cells"]
    ]
    broken = {key: value for key, value in results.items() if key not in ("recommendation", "redundancy", "resamples")} | {
        "cells": cells
    }
    (folder / "failed.json").write_text(json.dumps(broken))
    run_ok("report", folder / "failed.json", "-o", folder / "failed.html")
    with Opened(browser, folder / "failed.html") as page:
        assert [tab.get_attribute("id")[4:] for tab in page.locator("[role=tab]").all()] == ["recommendation", "repeat"]
        assert "every run failed" in page.locator(".notice").text_content()
        failures = rows(open_tab(page, "repeat"), "Failed runs")
        assert len(failures) == len(cells) and failures[0][3] == f"{SCRIPT} no memory"
        shoot(page, "failed")


@pytest.mark.parametrize(("constraint", "value"), [("--k", "2"), ("--budget", "2.5")])
def test_a_set_that_is_not_shown_is_not_recommended(
    browser: Browser, folder: Path, selection: dict[str, Any], constraint: str, value: str
) -> None:
    given = ["-p", "ranker=linear-regression", constraint, value, "-o", folder / "few.json", "--quiet"]
    advice = run_json("select", folder / "data" / "train.txt", *given)["advice"]
    assert advice["verdict"] == "not-shown"
    run_ok("report", folder / "few.json", "-o", folder / "few.html")
    with Opened(browser, folder / "few.html", "phone") as page:
        panel = open_tab(page, "recommendation")
        assert panel.locator("h2").text_content() == page.locator("#tab-recommendation").text_content() == "Result"
        assert panel.locator(".badge.not-shown").text_content() == "not shown to be as good"
        assert "Recommendation" not in panel.text_content() and "Features to keep" not in panel.text_content()
        assert panel.locator(".lead").text_content().startswith("Not shown to be as good as all: 2 of 20 features")
        tiles = figures(panel)
        returned = advice["tried"][advice["returned"]]["effectiveness"]
        assert number(tiles["lower bound with 95 % confidence"].split()[0]) == pytest.approx(returned["lower_bound"], abs=5.1e-5)
        assert tiles.get("cost, of budget") == ("2 of 2.5" if constraint == "--budget" else None)
        held_out = sum(one is not None for one in advice["per_query_of_all"])
        assert tiles["held-out queries"] == str(held_out)
        assert f"compared on {held_out} held-out queries" in page.locator("#about").text_content()
        counts = figures(open_tab(page, "queries"))
        assert sum(int(counts[name]) for name in ("queries won", "queries lost", "ties")) == held_out
        if len(advice["tried"]) == 1:
            assert "Only one size was compared" in panel.text_content()
            assert "Only one size was evaluated" in open_tab(page, "sizes").text_content()
            assert page.locator("#panel-sizes .plot").count() == 0


def test_header_and_tiles_count_the_same_queries(browser: Browser, report: Path, results: dict[str, Any]) -> None:
    values = per_query(results, ALL)
    with Opened(browser, report) as page:
        about = page.locator("#about").text_content()
        assert f"{len(values)} test queries, of which {np.isfinite(values).sum()} count" in about
        counts = figures(open_tab(page, "queries"))
        assert sum(int(counts[name]) for name in ("queries won", "queries lost", "ties")) == np.isfinite(values).sum()


def test_charts_without_enough_data_become_sentences(browser: Browser, folder: Path, results: dict[str, Any]) -> None:
    def smallest(cell: dict[str, Any]) -> dict[str, Any]:
        found = cell["done"]
        short = {name: found[name][:1] for name in ("curve", "front", "generations") if name in found}
        return cell | {"done": found | short | {"curve": [{"features": 4, "value": 0.5, "error": 0.1}], "features": [1]}}

    cells = [smallest(cell) for cell in results["cells"] if cell["method"] == "spea2"]
    lone = {key: value for key, value in results.items() if key != "recommendation"}
    alike = results["redundancy"] | {"groups": []}
    (folder / "lone.json").write_text(json.dumps(lone | {"cells": cells, "resamples": [], "redundancy": alike}))
    run_ok("report", folder / "lone.json", "-o", folder / "lone.html")
    with Opened(browser, folder / "lone.html") as page:
        for part, words in [
            ("fronts", "is a single set"),
            ("sizes", "Only one size was evaluated"),
            ("sizes", "is the only method"),
            ("convergence", "one generation only"),
            ("stability", "is the only feature"),
            ("time", "is the only method"),
        ]:
            panel = open_tab(page, part)
            assert words in panel.text_content(), part
            assert panel.locator(".plot").count() == 0, part
        panel = open_tab(page, "redundancy")
        assert "No group of features is redundant" in panel.text_content()
        assert panel.locator(".shapelayer path").count() == 0


def test_the_marker_shows_the_figures_of_every_size(browser: Browser, report: Path, selection: dict[str, Any]) -> None:
    tried = sorted(selection["advice"]["tried"], key=lambda one: one["features"])
    with Opened(browser, report, "phone") as page:
        panel = open_tab(page, "recommendation")
        slider = panel.get_by_role("slider")
        assert "selected, shown to be as good" in slider.get_attribute("aria-valuetext")
        slider.focus()
        page.keyboard.press("Home")
        for place, size in enumerate(tried):
            if place > 0:
                page.keyboard.press("ArrowRight")
            assert slider.get_attribute("aria-valuetext").startswith(f"{size['features']} feature")
            shown = panel.locator(".readout dd").all_text_contents()
            test, risk = size["effectiveness"], size["risk"]
            expected = [size["value"], test["mean_difference"], test["lower_bound"], -test["margin"], risk["mean_difference"]]
            assert [number(text) for text in shown[:5]] == pytest.approx(expected, abs=5.1e-5)
            command = panel.locator(".explore code").text_content()
            assert f"--k {size['features']} -o selection.json" in command and "ranker=linear-regression" in command
        # The band is drawn from the lower bound to the difference, and the marker is a line.
        assert panel.locator(".plot").first.locator(".scatterlayer .js-fill").count() == 1
        assert panel.locator(".plot").first.locator(".shapelayer path").count() == 3
        assert overflow(page) <= 0
        shoot(page, "marker")
