"""The verdict on a selection is the same in the terminal, in JSON, in Python and in the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from featherank import AutoSelector
from featherank.selection import Selection

from ranking_data import RankingData, ranking_data, write_letor
from support import run, run_ok

SETTINGS = {"ranker": "linear-regression", "methods": "top-k", "folds": 3, "repetitions": 1}

CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "wide margin": {"margin": 0.3},
    "number": {"k": 3},
    "budget": {"budget": 2.0},
    "budget and kept": {"budget": 3.0, "keep": [6]},
    "everything but one": {"drop": [3]},
    "duplicate": {"duplicate": True},
    "duplicate, wide margin": {"duplicate": True, "margin": 0.3},
    "few queries": {"queries": 6},
    # Enough time to read the data, and too little to train on it.
    "time limit": {"limit": "0.5s", "queries": 1500, "ranker": "lambdamart"},
}


def _data(case: dict[str, Any]) -> RankingData:
    data = ranking_data(queries=case.get("queries", 60))
    if not case.get("duplicate"):
        return data
    return data._replace(X=np.column_stack([data.X, data.X[:, 0]]))


def _options(case: dict[str, Any]) -> list[str]:
    options = [word for name, value in SETTINGS.items() if name not in case for word in ("-p", f"{name}={value}")]
    for name in ("k", "budget"):
        options += [f"--{name}", str(case[name])] if name in case else []
    for name in ("keep", "drop"):
        # Columns count from 0, ids from 1.
        options += [f"--{name}", ",".join(str(column + 1) for column in case[name])] if name in case else []
    for name in ("margin", "ranker"):
        options += ["-p", f"{name}={case[name]}"] if name in case else []
    return options + (["--time-limit", case["limit"]] if "limit" in case else [])


def _content(page: Path) -> dict[str, Any]:
    text = page.read_text(encoding="utf-8").split('id="content">')[1].split("</script>")[0]
    return json.loads(text)


@pytest.mark.parametrize("name", CASES)
def test_all_outputs_agree(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    data = _data(case)
    letor = write_letor(tmp_path / "data.txt", data)
    document = tmp_path / "selection.json"
    done = run("select", letor, *_options(case), "-o", document, "--quiet")
    assert done.returncode == 0, done.stderr
    selection = Selection(document.read_text(encoding="utf-8"))
    verdict = selection.verdict
    assert verdict is not None

    # The terminal and the report show the sentence and the figures.
    assert verdict.headline in " ".join(done.stdout.split())
    run_ok("report", document, "-o", tmp_path / "page.html")
    shown = _content(tmp_path / "page.html")["recommendation"]
    assert shown["sentences"][0] == verdict.headline
    assert shown["badge"] == {"verdict": verdict.value, "words": verdict.words}
    for figure in shown["figures"][1:]:
        assert figure["value"] in done.stdout and figure["what"] in " ".join(done.stdout.split())

    # Only sets that are shown to be as good, or hold every feature, are recommended.
    recommended = verdict.headline.startswith("Recommendation: keep")
    assert (shown["title"] == "Recommendation") == recommended
    keeps_all = "keep all" in verdict.headline
    assert recommended == (verdict.value == "shown" or keeps_all)
    assert keeps_all == verdict.words.startswith("smaller sets")
    assert not (keeps_all and verdict.value == "shown")
    assert (verdict.difference is None) == (keeps_all or verdict.value == "not-tested")

    # Python gives the same verdict on the same data.
    if not case.get("limit"):
        given = {key: case[key] for key in ("k", "budget", "keep", "drop", "margin") if key in case}
        fitted = AutoSelector(**SETTINGS, **given, random_state=1).fit(data.X, data.y, qid=data.qid)
        assert fitted.verdict_ == verdict
