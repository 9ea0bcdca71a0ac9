"""The installed `featherank` command behaves like the binary: output, exit codes, pipes, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support import find_binary

SCRIPT = Path(sys.executable).with_name("featherank")
COMMANDS = [[str(find_binary())], [str(SCRIPT)], [sys.executable, "-m", "featherank"]]


def outcome(command: list[str], arguments: list[str], folder: Path) -> tuple[int, bytes, bytes]:
    done = subprocess.run([*command, *arguments], capture_output=True, cwd=folder, timeout=120)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["select", "--help"], 0),
        (["methods", "--json"], 0),
        (["synth", "-o", "data", "--preset", "tiny", "--quiet"], 0),
        (["select", "data/train.txt", "--method", "top-k", "--k", "3", "--json", "--quiet"], 0),
        (["select", "nothing.txt"], 1),
        (["select", "data/train.txt", "--method", "topk"], 2),
        (["select", "--nonsense"], 2),
        ([], 2),
    ],
)
def test_output_and_exit_code_equal_those_of_the_binary(
    arguments: list[str], code: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "command"
    folder.mkdir(exist_ok=True)
    expected, *others = [outcome(command, arguments, folder) for command in COMMANDS]
    assert expected[0] == code
    assert all(other == expected for other in others)


@pytest.mark.parametrize("command", COMMANDS, ids=["program", "script", "module"])
def test_a_closed_pipe_is_not_a_failure(command: list[str]) -> None:
    with subprocess.Popen([*command, "methods", "--markdown"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(os.name != "posix", reason="signals are sent")
@pytest.mark.parametrize("command", COMMANDS, ids=["program", "script", "module"])
def test_ctrl_c_ends_with_130_and_keeps_the_checkpoint(command: list[str], tmp_path: Path) -> None:
    outcome(COMMANDS[0], ["synth", "-o", ".", "--preset", "tiny", "--quiet"], tmp_path)
    search = ["select", "train.txt", "--method", "spea2", "-p", "generations=100000000", "--checkpoint", "run.json"]
    with subprocess.Popen([*command, *search], cwd=tmp_path, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while not (tmp_path / "run.json").exists() and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr is not None
        assert b"interrupted" in process.stderr.read()
    assert (tmp_path / "run.json").exists()
