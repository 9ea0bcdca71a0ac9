"""Take the two screenshots of the report: a recommendation, and a front with one set highlighted.

Usage: make_screenshots.py FEATHERANK CHROMIUM. Needs playwright (python/requirements-test.txt)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parent
SEARCH = ["objectives=e-f", "folds=5", "generations=20"]


def main(command: str, chromium: str) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:

        def run(*arguments: str) -> None:
            subprocess.run([Path(command).resolve(), *arguments, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)

        run("synth", "-o", "data", "--preset", "tiny", "--set", "queries=1000", "--set", "documents=30000", "--set", "noisy=20")
        run("select", "data/train.txt", "--method", "auto", "-p", "ranker=linear-regression", "-o", "auto.json")
        run("select", "data/train.txt", "--method", "spea2", *(word for one in SEARCH for word in ("-p", one)), "-o", "spea2.json")
        for name in ("auto", "spea2"):
            run("report", f"{name}.json", "-o", f"{name}.html")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1100, "height": 1080})
        page.goto((Path(folder) / "auto.html").as_uri())
        page.screenshot(path=DOCS / "report-recommendation.png")
        page.goto((Path(folder) / "spea2.html").as_uri() + "#fronts")
        points = page.locator("#panel-fronts .scatterlayer .trace").first.locator("path.point")
        box = points.nth(points.count() // 2).bounding_box()
        centre = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.click(*centre)
        page.mouse.move(*centre)
        page.locator("#panel-fronts .hovertext").first.wait_for()
        page.screenshot(path=DOCS / "report-front.png")
        browser.close()


main(*sys.argv[1:])
