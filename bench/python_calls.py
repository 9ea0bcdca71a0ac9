"""The cost of calling from Python, against the command on the same data in the same run.

    FEATHERANK_BIN=target/release/featherank .venv/bin/python bench/python_calls.py
        [--folder FOLDER] [--repeats N]

The data is `featherank synth --preset web10k --format parquet`. The command is timed as a process
with `--json`: it reads the file, selects and prints. Python is timed as a process too: it starts,
imports, reads the file with pyarrow, and fits the same selector. Results are compared to the last
bit. `fit` is the time of `fit` alone, from arrays in memory to the selection: the cost of one call
of many in a process. Runs alternate; medians are shown.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

PYTHON = """
import json, sys, time
import pyarrow.parquet as parquet
import featherank
table = parquet.read_table(sys.argv[1])
y, qid = table["label"].to_numpy(), table["qid"].to_numpy()
X = table.drop_columns(["label", "qid"])
del table
selector = getattr(featherank, sys.argv[2])()
start = time.perf_counter()
fitted = selector.fit(X, y, qid=qid)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "selection": fitted.selection_.to_json()}))
"""


def timed(command):
    start = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.perf_counter() - start, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("bench/out"))
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    program = os.environ.get("FEATHERANK_BIN") or sys.exit("set FEATHERANK_BIN to the built program")
    folder = options.folder / "web10k"
    data = folder / "train.parquet"
    if not data.exists():
        folder.mkdir(parents=True, exist_ok=True)
        timed([program, "synth", "--preset", "web10k", "--format", "parquet", "-o", str(folder)])
    print(f"{'method':12} {'command s':>10} {'python s':>10} {'ratio':>6} {'fit s':>8} {'ratio':>6}")
    for method, name in (("top-k", "TopK"), ("best-gain", "BestGain")):
        command, python, fit = [], [], []
        for _ in range(options.repeats):
            seconds, expected = timed([program, "select", str(data), "--method", method, "--json", "--quiet"])
            command.append(seconds)
            seconds, answer = timed([sys.executable, "-c", PYTHON, str(data), name])
            python.append(seconds)
            answer = json.loads(answer)
            fit.append(answer["seconds"])
            if answer["selection"].rstrip() != expected.rstrip():
                sys.exit(f"{method}: the answers differ")
        theirs, ours, call = map(statistics.median, (command, python, fit))
        print(f"{method:12} {theirs:10.2f} {ours:10.2f} {ours / theirs:6.2f} {call:8.2f} {call / theirs:6.2f}", flush=True)


if __name__ == "__main__":
    main()
