"""Reading text: scikit-learn's load_svmlight_file against featherank, on the same files in one run.

Creates the files once (in bench/out), then times both readers in turn, each in a fresh process and
around the reading alone, and prints a table with best and median of the repeats.

featherank always reads the queries. With query_id=True scikit-learn does so too, but appends every
id to a numpy array by copying it, so its time grows quadratically with the number of documents. The
table therefore times scikit-learn without queries; the time with them is printed below it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
MEGABYTE = 1e6


@dataclass
class Timing:
    """Repeated measurements of one reader on one file."""

    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    peak_bytes: list[int] = field(default_factory=list)
    returned_bytes: int = 0

    def add(self, report: dict[str, float]) -> None:
        self.seconds.append(report["seconds"])
        self.cpu_seconds.append(report["cpu_seconds"])
        self.peak_bytes.append(int(report["peak_rss_bytes"]))
        self.returned_bytes = int(report["bytes_returned"])

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def cpu(self) -> float:
        """Processor time, which depends little on other load."""
        return statistics.median(self.cpu_seconds)

    @property
    def memory_ratio(self) -> float:
        """Peak memory of the process over the bytes of the values in 32 bits, worst repeat."""
        return max(self.peak_bytes) / self.returned_bytes


def read_with_sklearn(path: str, query_id: bool) -> dict[str, float]:
    """Time the call alone, in a separate process, and report that process's peak memory."""
    from sklearn.datasets import load_svmlight_file

    start, cpu_start = time.perf_counter(), time.process_time()
    values, *_ = load_svmlight_file(path, query_id=query_id)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    documents, features = values.shape
    return {"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_rss_bytes": peak,
            "bytes_returned": 4 * documents * features}


def report_of(command: list[str]) -> dict[str, float]:
    """Run a reader and return its JSON; processor time defaults to that of the process."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return {"cpu_seconds": usage.ru_utime + usage.ru_stime} | json.loads(printed)


def target_folder() -> Path:
    """The target directory of cargo."""
    return PROJECT / os.environ.get("CARGO_TARGET_DIR", "target")


def build() -> tuple[Path, Path]:
    """Build the command and the reading program; return their paths."""
    command = ["cargo", "build", "--release", "-p", "featherank-cli", "-p", "featherank-lab"]
    subprocess.run(command, check=True, cwd=PROJECT)
    release = target_folder() / "release"
    return release / "featherank", release / "read_data"


def make_files(command: Path, folder: Path, documents: int) -> dict[str, Path]:
    """The files by description; each is created once."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "shortest decimals": folder / "data.txt",
        "six decimals": folder / "six.txt",
        "six decimals, gzip": folder / "six.txt.gz",
        "six decimals, Parquet": folder / "six.parquet",
    }
    shortest, six, compressed, parquet = files.values()
    if not shortest.exists():
        size = ["--set", f"queries={max(documents // 120, 1)}", "--set", f"documents={documents}"]
        subprocess.run([command, "synth", "--preset", "web10k", *size, "--one-file", "--output", folder], check=True)
    if not six.exists():
        round_values(shortest, six)
    if not compressed.exists():
        with six.open("rb") as plain, gzip.open(compressed.with_suffix(".part"), "wb", compresslevel=6) as packed:
            shutil.copyfileobj(plain, packed, 1 << 20)
        compressed.with_suffix(".part").rename(compressed)
    if not parquet.exists():
        subprocess.run([command, "convert", six, parquet], check=True)
    return files


def round_values(source: Path, target: Path) -> None:
    """The same rows as in LETOR files: normalised to 0…1 per file, with six decimals."""
    import numpy as np
    from sklearn.datasets import load_svmlight_file

    values, labels, queries = load_svmlight_file(str(source), query_id=True, dtype=np.float32)
    dense = values.toarray()
    low, high = dense.min(axis=0), dense.max(axis=0)
    dense = (dense - low) / np.where(high > low, high - low, 1.0)
    row_format = " ".join(f"{feature}:%.6f" for feature in range(1, dense.shape[1] + 1))
    unfinished = target.with_suffix(".part")
    with unfinished.open("w") as out:
        for label, query, row in zip(labels, queries, dense):
            out.write(f"{label:.0f} qid:{query} {row_format % tuple(row)}\n")
    unfinished.rename(target)


def sklearn_command(path: Path, *options: str) -> list[str]:
    """This script as the scikit-learn reader."""
    return [sys.executable, __file__, "--sklearn", str(path), *options]


def time_readers(files: dict[str, Path], reader: Path, repeats: int) -> dict[str, dict[str, Timing]]:
    """Alternate readers, so that load on the machine affects all of them."""
    timings: dict[str, dict[str, Timing]] = {}
    for name, path in files.items():
        commands = {f"featherank {n}": [str(reader), "--threads", str(n), str(path)] for n in (1, 2)}
        if path.suffix != ".parquet":
            commands["scikit-learn"] = sklearn_command(path)
        path.read_bytes()  # Fill the page cache: this compares readers, not disks.
        timings[name] = {reader_name: Timing() for reader_name in commands}
        for _ in range(repeats):
            for reader_name, command in commands.items():
                timings[name][reader_name].add(report_of(command))
    return timings


HEADER = ["file", "MB", "threads", "scikit-learn s", "MB/s", "featherank s", "MB/s", "ratio", "ratio of CPU s",
          "memory / 4·N·d", "scikit-learn's"]


def rows(files: dict[str, Path], timings: dict[str, dict[str, Timing]]) -> list[list[str]]:
    """One line per file and number of threads; MB/s and ratios use medians."""
    lines = []
    for name, path in files.items():
        size = path.stat().st_size / MEGABYTE
        theirs = timings[name].get("scikit-learn")
        for threads in (1, 2):
            ours = timings[name][f"featherank {threads}"]
            seconds, speed, ratio, cpu_ratio, memory = ["–"] * 5
            if theirs:
                seconds, speed = f"{theirs.best:.2f} / {theirs.median:.2f}", f"{size / theirs.median:.0f}"
                ratio, cpu_ratio = f"{theirs.median / ours.median:.1f}", f"{theirs.cpu / ours.cpu:.1f}"
                memory = f"{theirs.memory_ratio:.2f}"
            lines.append([name, f"{size:.0f}", str(threads), seconds, speed, f"{ours.best:.2f} / {ours.median:.2f}",
                          f"{size / ours.median:.0f}", ratio, cpu_ratio, f"{ours.memory_ratio:.2f}", memory])
    return lines


def markdown(lines: list[list[str]]) -> str:
    """An aligned Markdown table."""
    widths = [max(map(len, column)) for column in zip(HEADER, *lines)]
    padded = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths)) for line in [HEADER, *lines]]
    ruler = " | ".join("-" * width for width in widths)
    return "\n".join(f"| {line} |" for line in [padded[0], ruler, *padded[1:]])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=200_000, help="number of documents")
    parser.add_argument("--repeats", type=int, default=5, help="repeats per reader and file")
    parser.add_argument("--sklearn", metavar="FILE", help="only read this file with scikit-learn, and print JSON")
    parser.add_argument("--query-id", action="store_true", help="with --sklearn: read the query ids too")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.sklearn:
        print(json.dumps(read_with_sklearn(options.sklearn, options.query_id)))
        return
    command, reader = build()
    files = make_files(command, PROJECT / "bench" / "out" / f"read-{options.documents}", options.documents)
    load_before = os.getloadavg()[0]
    table = markdown(rows(files, time_readers(files, reader, options.repeats)))
    print(f"{options.documents} documents, 136 features, {options.repeats} repeats, seconds as best / median")
    print(f"{os.cpu_count()} cores; load average {load_before:.1f} before and {os.getloadavg()[0]:.1f} after\n")
    print(table)
    with_queries = report_of(sklearn_command(files["six decimals"], "--query-id"))
    print(f"\nscikit-learn with query_id=True, six decimals, once: {with_queries['seconds']:.1f} s")


if __name__ == "__main__":
    main()
