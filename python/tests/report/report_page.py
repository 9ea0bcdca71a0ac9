"""A report that is open in the browser, and what its tabs and tables contain."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Locator, Page

SIZES = {
    "desktop": {"width": 1280, "height": 900},
    "phone": {"width": 390, "height": 844},
    "narrow": {"width": 360, "height": 640},
}
TABS = ["recommendation", "fronts", "sizes", "queries", "convergence", "redundancy", "stability", "time", "repeat"]




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
