"""The cost of a cluster, and its limits.

    .venv/bin/python bench/scale.py [--folder FOLDER] [--only overhead|memory|simulation]

overhead: methods on 727,623 documents × 136 features (`synth --preset web10k`, created once), with
the local engine and with two shards of a Ray cluster on this machine, in turn; seconds of the
method itself, from the command's last line. memory: the same file streamed under memory limits,
with the peak memory of the process. simulation: passes on 10 to 1,000 shards, from measured times
and message sizes, with answers merged by the driver alone and by a tree of mergers.

Needs the Python package as users install it (`make wheel`), with Ray, and SCALE_COSTS_BIN, the
built program.
"""

import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
from pathlib import Path

METHODS = {
    "top-k": [],
    "mrmr": ["--k", "10"],
    "greedy-rankrls": ["--k", "10"],
    "l1-svm": ["--k", "10"],
    "greedy": ["--k", "5", "-p", "ranker=rankrls"],
    "spea2": [],
    "best-gain": [],
}

# Assumptions about a data centre: links of 10 Gbit/s and half a millisecond per message, about
# what Ray takes on one machine.
BYTES_A_SECOND = 1.25e9
MESSAGE_SECONDS = 0.0005
FAN_IN = 32


def featherank(*words):
    """Run the package's command; return standard output, standard error and peak memory in MiB."""
    command = ["/usr/bin/env", "time", "-f", "peak %M", sys.executable, "-m", "featherank", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout, done.stderr, int(re.search(r"peak (\d+)", done.stderr)[1]) / 1024


def seconds(text):
    return float(re.search(r"seed \d+, ([\d.]+) s", text)[1])


def overhead(data, methods, repeats):
    print("| method | local engine | 2 shards | ratio | passes | bytes, all passes and shards |")
    print("|---|--:|--:|--:|--:|--:|")
    for method in methods:
        words = METHODS[method]
        here, there, answers = [], [], set()
        for _ in range(repeats):
            out, said, _ = featherank("select", data, "--method", method, *words)
            here.append(seconds(said))
            answers.add(out)
            out, said, _ = featherank("select", data, "--method", method, *words, "--engine", "ray", "--shards", 2, "--explain")
            there.append(seconds(said))
            table, explained = out.split("\n\npasses over the data (bytes sent and received are per pass):\n")
            answers.add(table + "\n")
        if len(answers) != 1:
            sys.exit(f"{method} chose something else on shards")
        passes, moved = re.search(r"^total\s+([\d,]+)\s+[\d,]+\s+[\d,]+\s+([\d,]+)", explained, re.M).groups()
        a, b = statistics.median(here), statistics.median(there)
        print(f"| `{method}` | {a:.2f} s | {b:.2f} s | {b / a:.2f} | {passes} | {moved} |", flush=True)


def memory(data):
    print("| method | limit | seconds | peak memory |")
    print("|---|--:|--:|--:|")
    for method in ("top-k", "mrmr"):
        for limit in (None, "512MiB", "200MiB"):
            words = ["--memory", limit] if limit else []
            _, said, peak = featherank("select", data, "--method", method, *METHODS[method], *words)
            print(f"| `{method}` | {limit or 'none'} | {seconds(said):.2f} | {peak:.0f} MiB |", flush=True)


def costs(data, shards):
    program = os.environ.get("SCALE_COSTS_BIN") or sys.exit("set SCALE_COSTS_BIN to the built program")
    done = subprocess.run([program, str(data), *map(str, shards)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def merged(arrivals, each):
    """The time at which a merger that takes ``each`` seconds per answer has merged all answers."""
    free = 0.0
    for arrival in sorted(arrivals):
        free = max(free, arrival) + each
    return free


def answers_of_a_shard(blocks, shards):
    """Mean number of nodes of the merge tree per shard: the runs of blocks it can merge itself."""
    step = 2 ** int(math.log2(max(1, blocks // (8 * shards))))
    borders = [(i * blocks // shards + step // 2) // step * step for i in range(shards)] + [blocks]
    count = 0
    for first, end in zip(borders, borders[1:]):
        while first < end:
            largest = 2 ** int(math.log2(end - first))
            first += min(largest, first & -first) if first else largest
            count += 1
    return count / shards


def simulated(cost, documents, shards, tree, spread):
    """Seconds of a pass, from measured costs of a shard and of the driver."""
    draws = random.Random(shards)
    nodes = answers_of_a_shard(documents // 4096, shards)
    per_document = cost["shard_seconds"] * cost["shards"] / cost["documents"]
    send = MESSAGE_SECONDS + cost["bytes_out"] / BYTES_A_SECOND
    # One value per model and query of the shard, or one answer per node.
    is_per_query = cost["pass"] == "linear-measures"
    factor = (documents / shards) / (cost["documents"] / cost["shards"]) if is_per_query else nodes
    answer = factor * (cost["bytes_back"] / BYTES_A_SECOND + cost["driver_seconds"] / cost["shards"])
    work = per_document * documents / shards
    # Without a tree the driver sends all requests itself.
    starts = [send * (i + 1) for i in range(shards)] if not tree else [send * FAN_IN * math.log(shards, FAN_IN)] * shards
    arrivals = [start + work * draws.lognormvariate(0.0, spread) for start in starts]
    while tree and len(arrivals) > FAN_IN:
        arrivals = [merged(arrivals[i : i + FAN_IN], MESSAGE_SECONDS + answer) for i in range(0, len(arrivals), FAN_IN)]
        # Values per query are concatenated, not summed.
        answer *= FAN_IN if is_per_query else 1
    return merged(arrivals, MESSAGE_SECONDS + answer)


def simulation(wide):
    measured = costs(wide, [8])
    spread = statistics.mean(math.log(cost["slowest_shard_seconds"] / cost["shard_seconds"]) for cost in measured) / 1.4
    print(f"measured with {measured[0]['documents']:,} documents × {measured[0]['features']} features on 8 shards; spread of shards {spread:.3f}\n")
    print("| pass | µs per document | bytes out | bytes back | driver, ms per answer |")
    print("|---|--:|--:|--:|--:|")
    for cost in measured:
        each = 1e6 * cost["shard_seconds"] * cost["shards"] / cost["documents"]
        driver = 1e3 * cost["driver_seconds"] / cost["shards"]
        print(f"| {cost['pass']} | {each:.2f} | {cost['bytes_out']:,.0f} | {cost['bytes_back']:,.0f} | {driver:.3f} |")
    for documents in (10**8, 10**9):
        counts = (10, 30, 100, 300, 1000)
        print(f"\n{documents:,} documents, seconds per pass: driver alone / tree of mergers\n")
        print("| pass | " + " | ".join(f"{count} shards" for count in counts) + " |")
        print("|---|" + "--:|" * len(counts))
        for cost in measured:
            times = [[simulated(cost, documents, count, tree, spread) for tree in (False, True)] for count in counts]
            print(f"| {cost['pass']} | " + " | ".join(f"{flat:.2f} / {tree:.2f}" for flat, tree in times) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / "out")
    parser.add_argument("--only", choices=["overhead", "memory", "simulation"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    arguments = parser.parse_args()
    data, wide = arguments.folder / "web10k" / "train.parquet", arguments.folder / "wide" / "train.parquet"
    if not data.exists():
        featherank("synth", "-o", data.parent, "--preset", "web10k", "--format", "parquet")
    if not wide.exists():
        settings = ["queries=1000", "documents=110000", "useful=50", "redundant=150", "noisy=780"]
        featherank("synth", "-o", wide.parent, "--preset", "web10k", "--format", "parquet", *(w for s in settings for w in ("--set", s)))
    if arguments.only in (None, "overhead"):
        overhead(data, arguments.methods, arguments.repeats)
    if arguments.only in (None, "memory"):
        memory(data)
    if arguments.only in (None, "simulation"):
        simulation(wide)


if __name__ == "__main__":
    main()
