"""Generated modules, types, style, and every Python example in the documentation."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
import subprocess
import sys
from pathlib import Path

import featherank
import nbclient
import nbformat
import pytest

from support import PROJECT

PACKAGE = PROJECT / "python" / "featherank"
MODULES = sorted(module.name for module in pkgutil.iter_modules(featherank.__path__, "featherank.") if "_core" not in module.name)


def test_the_installed_package_is_this_source_tree() -> None:
    assert Path(featherank.__file__).parent == PACKAGE
    assert featherank.__version__ != "0"
    assert (PACKAGE / "py.typed").is_file()


def test_generated_modules_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("generate", PROJECT / "python" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name, text in generate.modules().items():
        assert (PACKAGE / name).read_text(encoding="utf-8") == text, f"run python python/generate.py: {name} is out of date"


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_modules_run(name: str) -> None:
    if name == "featherank.__main__":
        pytest.skip("runs the command")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_of_the_guide_run() -> None:
    found = doctest.testfile(str(PROJECT / "docs" / "python.md"), module_relative=False)
    assert found.attempted > 20
    assert found.failed == 0


def test_the_notebook_runs() -> None:
    path = PROJECT / "docs" / "python-example.ipynb"
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not committed"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()


def run_tool(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_passes() -> None:
    run_tool("mypy", "--config-file", "pyproject.toml")


def test_stubs_match_the_compiled_module() -> None:
    run_tool("mypy.stubtest", "featherank._core", "--mypy-config-file", "pyproject.toml", "--ignore-missing-stub")


def test_style() -> None:
    run_tool("ruff", "check", "python/featherank", "python/generate.py", "python/tests")
