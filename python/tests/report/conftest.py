"""The browser, and the report that the tests open."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright
from sample_results import sample

from support import run_json, run_ok

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = os.environ.get("CHROMIUM_BIN") or next(filter(None, map(shutil.which, names)), None)
    assert found, "the report is tested in Chromium: `make test` installs it on Debian, elsewhere set CHROMIUM_BIN"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A path with spaces and non-ASCII letters."""
    folder = tmp_path_factory.mktemp("report") / "Ergebnisse für 中文 #1?"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def selection(folder: Path) -> dict[str, Any]:
    """A recommendation of `auto` on synthetic data."""
    run_ok("synth", "-o", folder / "data", "--preset", "tiny", "--set", "queries=300", "--set", "documents=9000", "--quiet")
    given = ["--method", "auto", "-p", "ranker=linear-regression", "-p", "margin=0.05"]
    return run_json("select", folder / "data" / "train.txt", *given, "-o", folder / "selection.json", "--quiet")


@pytest.fixture(scope="session")
def results(selection: dict[str, Any]) -> dict[str, Any]:
    return sample({key: value for key, value in selection.items() if key not in ("featherank", "version", "checksum")})


@pytest.fixture(scope="session")
def report(folder: Path, results: dict[str, Any]) -> Path:
    (folder / "results.json").write_text(json.dumps(results))
    run_ok("report", folder, "-o", folder / "report.html")
    return folder / "report.html"
