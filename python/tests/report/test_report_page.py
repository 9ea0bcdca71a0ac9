"""The report as a page: layout, keyboard, print, safety and downloads."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser
from report_page import SIZES, TABS, Opened, number, open_tab, overflow, pages, rows, shoot
from sample_results import IMAGE, MARKUP, SCRIPT, TITLE

from support import find_binary, run_ok


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


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_many_methods_have_distinct_markers_and_labels(
    browser: Browser, folder: Path, results: dict[str, Any], size: str
) -> None:
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


def texts_of(value: Any, name: str) -> Iterator[str]:
    """All texts of a document with this name."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in parts:
        if key == name and isinstance(child, str):
            yield child
        yield from texts_of(child, name)


def test_the_report_of_the_demo_prints_to_six_pages_and_its_commands_run(browser: Browser, tmp_path: Path) -> None:
    # It takes longer than the other commands.
    subprocess.run([find_binary(), "demo", "-o", tmp_path, "--quiet"], check=True, capture_output=True, timeout=600)
    assert (tmp_path / "report.html").stat().st_size < 3_000_000
    with Opened(browser, tmp_path / "report.html") as page:
        pdf = page.pdf(format="A4")
        assert pages(pdf) <= 6
        shoot(page, "demo")
        content = json.loads(page.locator("#content").text_content())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {**os.environ, "PATH": f"{find_binary().parent}{os.pathsep}{os.environ['PATH']}"}
    # Repeating the demo and its recommendation takes minutes; other selections test their commands.
    content["repeat"].pop("command")
    commands = {command for command in texts_of(content, "command") if " select " not in command}
    assert len(commands) > 3
    for command in sorted(commands, key=lambda command: " train " not in command):
        assert " TRAIN" not in command
        line = command.replace(" TEST", f" {tmp_path / 'data.parquet'}").replace(" TARGET", " solr")
        subprocess.run(["sh", "-c", line], cwd=elsewhere, env=environment, check=True, capture_output=True, timeout=600)


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
