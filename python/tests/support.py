"""Find and run the featherank command, and write its input data."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

PROJECT = Path(__file__).resolve().parents[2]


def find_binary() -> Path:
    """The command under test: FEATHERANK_BIN, else a release build, else a debug build."""
    named = os.environ.get("FEATHERANK_BIN")
    if named:
        # Tests change the working directory; a relative path is relative to the project's root.
        candidates = [PROJECT / named]
    else:
        target = PROJECT / os.environ.get("CARGO_TARGET_DIR", "target")
        candidates = [target / profile / "featherank" for profile in ("release", "debug")]
    for candidate in candidates:
        if candidate.is_file():
            return candidate.resolve()
    tried = ", ".join(map(str, candidates))
    raise FileNotFoundError(f"no featherank command at {tried}: run `cargo build --release` or set FEATHERANK_BIN")


def run(*arguments: object, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    """Run featherank, whether it succeeds or fails."""
    command = [str(find_binary()), *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=60)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def run_ok(*arguments: object) -> str:
    """Run featherank, which must succeed; return its standard output."""
    done = run(*arguments)
    assert done.returncode == 0, f"{done.args} exits with {done.returncode}: {done.stderr}"
    return done.stdout


def run_json(*arguments: object) -> Any:
    """Run featherank with --json; the output must be strict JSON, without NaN or Infinity."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(run_ok(*arguments, "--json"), parse_constant=refuse)


def answer_of(selection: Any) -> dict[str, Any]:
    """A selection without the names of the files, which only commands know, and the checksum."""
    return {key: value for key, value in selection.items() if key not in ("sources", "checksum")}


@dataclass
class Query:
    """Labels of a query's documents and the scores of one ranking."""

    labels: np.ndarray
    scores: np.ndarray


def write_letor(path: Path, label_lists: Iterable[np.ndarray]) -> Path:
    """A data file with a single feature; measures use only labels and scores."""
    with path.open("w") as file:
        for number, labels in enumerate(label_lists, start=1):
            file.writelines(f"{label} qid:{number} 1:{i}\n" for i, label in enumerate(labels))
    return path


def write_scores(path: Path, score_lists: Iterable[np.ndarray]) -> Path:
    """A score file; scores are exact in 32 bits, so that both implementations rank alike."""
    scores = np.concatenate(list(score_lists))
    assert np.array_equal(scores, scores.astype(np.float32))
    path.write_text("".join(f"{score!r}\n" for score in scores.tolist()))
    return path


def per_query(evaluation: dict[str, Any], ranking: int = 0) -> dict[str, np.ndarray]:
    """Values of every query for each measure."""
    values = evaluation["rankings"][ranking]["values"]
    return {name: np.array(v["per_query"]) for name, v in zip(evaluation["measures"], values, strict=True)}


def evaluate(folder: Path, queries: Sequence[Query], measures: Sequence[str]) -> dict[str, np.ndarray]:
    """Per-query values of one ranking for each measure; intervals are not used."""
    data = write_letor(folder / "data.txt", [query.labels for query in queries])
    scores = write_scores(folder / "scores.txt", [query.scores for query in queries])
    wanted = ["--measure", ",".join(measures), "--resamples", 1]
    return per_query(run_json("evaluate", data, "--scores", scores, *wanted))
