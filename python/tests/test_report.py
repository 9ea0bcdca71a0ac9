"""The report in a browser: content, behaviour, and no network requests."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright
from sample_results import ALL, FEATURES, IMAGE, MARKUP, SCRIPT, TITLE, sample

from support import find_binary, run_json, run_ok

SIZES = {
    "desktop": {"width": 1280, "height": 900},
    "phone": {"width": 390, "height": 844},
    "narrow": {"width": 360, "height": 640},
}
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
TABS = ["recommendation", "fronts", "sizes", "queries", "convergence", "redundancy", "stability", "time", "repeat"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = os.environ.get("CHROMIUM_BIN") or next(filter(None, map(shutil.which, names)), None)
    assert found, "the report is tested in Chromium: `make test` installs it on Debian, elsewhere set CHROMIUM_BIN"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A path with spaces and non-ASCII letters."""
    folder = tmp_path_factory.mktemp("report") / "Ergebnisse für 中文 #1?"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def selection(folder: Path) -> dict[str, Any]:
    """A recommendation of `auto` on synthetic data."""
    run_ok("synth", "-o", folder / "data", "--preset", "tiny", "--set", "queries=300", "--set", "documents=9000", "--quiet")
    given = ["--method", "auto", "-p", "ranker=linear-regression", "-p", "margin=0.05"]
    return run_json("select", folder / "data" / "train.txt", *given, "-o", folder / "selection.json", "--quiet")


@pytest.fixture(scope="module")
def results(selection: dict[str, Any]) -> dict[str, Any]:
    return sample({key: value for key, value in selection.items() if key not in ("featherank", "version", "checksum")})


@pytest.fixture(scope="module")
def report(folder: Path, results: dict[str, Any]) -> Path:
    (folder / "results.json").write_text(json.dumps(results))
    run_ok("report", folder, "-o", folder / "report.html")
    return folder / "report.html"


class Opened:
    """A page that records network requests and script errors."""

    def __init__(self, browser: Browser, path: Path, size: str = "desktop", **options: Any) -> None:
        self.context = browser.new_context(viewport=SIZES[size], **options)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on(
            "console", lambda message: message.type in ("error", "warning") and self.wrong.append(f"console: {message.text}")
        )
        self.page.on("pageerror", lambda error: self.wrong.append(f"page: {error}"))
        self.page.on("dialog", lambda dialog: (self.wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", self.note_request)
        self.page.goto(path.as_uri())

    def note_request(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")) or (
            request.url.startswith("file:") and not request.is_navigation_request()
        ):
            self.wrong.append(f"request: {request.url}")

    def __enter__(self) -> Page:
        return self.page

    def __exit__(self, *_: object) -> None:
        self.context.close()
        assert self.wrong == []


def open_tab(page: Page, name: str) -> Locator:
    page.click(f"#tab-{name}")
    panel = page.locator(f"#panel-{name}")
    assert panel.is_visible()
    return panel


def rows(panel: Locator, caption: str) -> list[list[str]]:
    """The cells of a table, found by the start of its caption, collapsed or not."""
    for found in panel.locator("table").all():
        name = found.evaluate("table => document.getElementById(table.getAttribute('aria-labelledby')).textContent")
        if name.removeprefix("Table: ").startswith(caption):
            return found.evaluate("table => [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent))")
    raise AssertionError(f"no table {caption}")


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("%", ""))


def shoot(page: Page, name: str) -> None:
    """Save screenshots if a folder is set."""
    if shots := os.environ.get("REPORT_SHOTS"):
        Path(shots).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(shots) / f"{name}.png", full_page=True)


def overflow(page: Page) -> int:
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def figures(panel: Locator) -> dict[str, str]:
    parts = panel.locator("dl.figures").first.locator("div").all()
    return {part.locator("dt").text_content(): part.locator("dd").text_content() for part in parts}


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def done(results: dict[str, Any], method: str) -> list[dict[str, Any]]:
    return [cell for cell in results["cells"] if cell["method"] == method and "done" in cell]


def per_query(results: dict[str, Any], method: str, measure: int = 0) -> np.ndarray:
    """Means over seeds, with folds concatenated."""
    parts = []
    for fold in results["folds"]:
        cells = [cell for cell in done(results, method) if cell["fold"] == fold["number"]]
        parts.append(np.mean([np.array(cell["done"]["test"][measure], dtype=float) for cell in cells], axis=0))
    return np.concatenate(parts)


@pytest.mark.parametrize(
    ("size", "scheme"), [("desktop", "light"), ("desktop", "dark"), ("phone", "light"), ("phone", "dark"), ("narrow", "light")]
)
def test_every_tab_is_visible_and_fits(browser: Browser, report: Path, size: str, scheme: str) -> None:
    with Opened(browser, report, size, color_scheme=scheme) as page:
        assert [tab.get_attribute("id") for tab in page.locator("[role=tab]").all()] == [f"tab-{name}" for name in TABS]
        for name in TABS:
            panel = open_tab(page, name)
            assert page.locator("[role=tabpanel]:visible").count() == 1
            assert overflow(page) <= 0, name
            for plot in panel.locator(".plot").all():
                assert plot.locator("svg.main-svg").count() > 0, name
                assert plot.bounding_box()["width"] <= SIZES[size]["width"]
                assert plot.get_attribute("aria-label")
            shoot(page, f"{size}-{scheme}-{name}")
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (max(map(int, re.findall(r"\d+", background))) < 60) == (scheme == "dark")
        page.click("#theme")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != background


def test_every_tab_is_reachable_by_keyboard(browser: Browser, report: Path) -> None:
    with Opened(browser, report) as page:
        page.focus("#tab-recommendation")
        focused = "document.activeElement.id"
        for name in TABS[1:]:
            page.keyboard.press("ArrowRight")
            assert page.evaluate(focused) == f"tab-{name}" and page.locator(f"#panel-{name}").is_visible()
            assert page.locator("[role=tab][tabindex='0']").count() == 1
        page.keyboard.press("ArrowRight")
        assert page.evaluate(focused) == f"tab-{TABS[0]}"
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(focused) == f"tab-{TABS[-1]}"
        page.keyboard.press("Home")
        assert page.evaluate(focused) == f"tab-{TABS[0]}"
        page.keyboard.press("End")
        assert page.evaluate(focused) == f"tab-{TABS[-1]}"
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        page.keyboard.press("Tab")
        assert page.evaluate(focused) == f"panel-{TABS[-1]}"
        levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))")
        assert levels[0] == 1 and all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
        assert page.locator("html").get_attribute("lang") == "en"


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
            r"featherank train TRAIN --ranker linear-regression( -p \S+)* --features [\d,]+ -o model.json", command
        )


def test_names_are_never_interpreted_as_markup(browser: Browser, report: Path, results: dict[str, Any]) -> None:
    page_text = report.read_text()
    assert SCRIPT not in page_text and IMAGE not in page_text
    with Opened(browser, report) as page:
        for name in TABS:
            open_tab(page, name)
        page.wait_for_timeout(200)
        assert page.locator("h1").text_content() == TITLE and page.title().startswith(TITLE)
        assert page.locator("img").count() == 0 and page.locator("main a").count() == 0 and page.locator(".plot b").count() == 0
        assert {SCRIPT, IMAGE, MARKUP} <= set(page.locator("#panel-stability tbody th").all_text_contents())
        assert SCRIPT in page.locator("#panel-repeat").text_content() and IMAGE in page.locator("#panel-repeat").text_content()
        # Legends and labels, which plotly would interpret as markup.
        assert "d: mrmr <script>alert(1)</scri…" in page.locator("#panel-sizes .legend").first.text_content()
        for part in ("redundancy", "stability"):
            labels = page.locator(f"#panel-{part} .plot").first.text_content()
            assert "<script>alert(1" in labels and "<b>bold</b>" in labels, part
        assert f"fold 1, seed {7}" in page.locator("#panel-fronts select").first.text_content()


def test_print_shows_everything_in_light_colours(browser: Browser, report: Path) -> None:
    with Opened(browser, report, color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        page.wait_for_timeout(300)
        assert page.locator("[role=tabpanel]:visible").count() == len(TABS)
        assert not page.locator("nav").is_visible()
        assert page.locator(".plot").count() == page.locator(".plot:has(svg.main-svg)").count()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        pdf = page.pdf(format="A4")
        assert pdf.startswith(b"%PDF") and pages(pdf) <= 6
        if shots := os.environ.get("REPORT_SHOTS"):
            (Path(shots) / "paper.pdf").write_bytes(pdf)
        page.emulate_media(media="screen")
        page.wait_for_timeout(200)
        assert page.locator("[role=tabpanel]:visible").count() == 1


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


def test_inline_scripts_are_blocked(browser: Browser, report: Path, folder: Path) -> None:
    page_text = report.read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page_text)[1]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert re.fullmatch(r"script-src( 'sha256-[A-Za-z0-9+/]{43}=')+", scripts)
    attack = "<script>window.injected = 1</script><img src='data:,' onerror='window.injected = 2'>"
    (folder / "attacked.html").write_text(page_text.replace("<footer", attack + "<footer", 1))
    opened = Opened(browser, folder / "attacked.html")
    with opened as page:
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.injected = 3";
                document.body.append(script);
            }"""
        )
        page.wait_for_timeout(200)
        assert page.evaluate("window.injected") is None
        # The scripts of the page itself run.
        assert page.locator("[role=tab]").count() == len(TABS)
        blocked = [line for line in opened.wrong if "Content Security Policy" in line]
        assert len(blocked) >= 3 and opened.wrong == blocked
        opened.wrong.clear()


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


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_many_methods_are_told_apart(browser: Browser, folder: Path, results: dict[str, Any], size: str) -> None:
    cells = [cell for cell in results["cells"] if cell["method"] == "top-k"]
    # Names that are equal after shortening.
    names = [f"spea2[objectives=effectiveness,generations={count}]" for count in range(14)]
    many = [cell | {"method": name} for name in names for cell in cells]
    (folder / "many.json").write_text(json.dumps(results | {"cells": many, "resamples": []}))
    run_ok("report", folder / "many.json", "-o", folder / "many.html")
    with Opened(browser, folder / "many.html", size) as page:
        for part in ("sizes", "time"):
            plot = open_tab(page, part).locator(".plot").last
            labels = plot.locator(".legendtext").all_text_contents()
            assert len(set(labels)) == 14, part
            markers = plot.locator(".scatterlayer .point").evaluate_all("all => all.map((one) => one.getAttribute('d'))")
            assert len(set(markers)) == 14, part
            assert set(plot.locator(".textpoint").all_text_contents()) == set("abcdefghijklmn"), part
        labels = open_tab(page, "stability").locator(".plot").first.locator(".ytick").all_text_contents()
        assert len(set(labels)) == 14
        shoot(page, f"many-{size}")


def test_what_cannot_be_drawn_is_said(browser: Browser, folder: Path, results: dict[str, Any]) -> None:
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


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_groups_are_framed_and_every_feature_is_labelled(
    browser: Browser, report: Path, folder: Path, results: dict[str, Any], size: str
) -> None:
    with Opened(browser, report, size) as page:
        panel = open_tab(page, "redundancy")
        assert "Framed groups are redundant" in panel.text_content()
        assert panel.locator(".shapelayer path").count() == len(results["redundancy"]["groups"])
    features = [{"id": number, "name": f"feature_{number}"} for number in range(1, 61)]
    every = {"features": list(range(1, 61))}
    cells = [cell | {"done": cell["done"] | every} for cell in results["cells"] if cell.get("selector") == "top-k"]
    matrix = np.eye(60).tolist()
    alike = {"correlation": "spearman", "features": list(range(1, 61)), "matrix": matrix, "groups": []}
    wide = {key: value for key, value in results.items() if key != "recommendation"} | {
        "features": features,
        "cells": cells,
        "resamples": [],
        "redundancy": alike,
    }
    (folder / "wide.json").write_text(json.dumps(wide))
    run_ok("report", folder / "wide.json", "-o", folder / "wide.html")
    with Opened(browser, folder / "wide.html", size) as page:
        for part in ("redundancy", "stability"):
            plot = open_tab(page, part).locator(".plot").first
            assert plot.locator(".xtick").count() == 60, part
            assert overflow(page) <= 0
        assert page.locator("#panel-redundancy .ytick").count() == 60


def test_the_report_of_the_demo_prints_to_six_pages(browser: Browser, tmp_path: Path) -> None:
    # It takes longer than the other commands.
    subprocess.run([find_binary(), "demo", "-o", tmp_path, "--quiet"], check=True, capture_output=True, timeout=600)
    assert (tmp_path / "report.html").stat().st_size < 3_000_000
    with Opened(browser, tmp_path / "report.html") as page:
        pdf = page.pdf(format="A4")
        assert pages(pdf) <= 6
        shoot(page, "demo")


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


def test_tables_and_charts_are_saved(browser: Browser, report: Path, tmp_path: Path) -> None:
    with Opened(browser, report) as page:
        panel = open_tab(page, "recommendation")
        with page.expect_download() as started:
            panel.get_by_role("button", name="Download CSV: Means over all").click()
        started.value.save_as(tmp_path / "table.csv")
        lines = list(csv.reader((tmp_path / "table.csv").read_text().splitlines()))
        shown = rows(panel, "Means over all")
        assert [line[0] for line in lines] == ["Method", *(row[0] for row in shown)]
        assert [float(line[1]) for line in lines[1:]] == [number(row[1]) for row in shown]
        for ending, start in [("SVG", b"<svg"), ("PNG", b"\x89PNG")]:
            with page.expect_download() as started:
                open_tab(page, "time").get_by_role("button", name=f"Download {ending}: Time").click()
            assert started.value.suggested_filename == f"time-and-effectiveness.{ending.lower()}"
            started.value.save_as(tmp_path / ending)
            assert (tmp_path / ending).read_bytes().startswith(start)
