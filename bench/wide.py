"""Time and peak memory of selection from wide data: see README.md."""

import argparse
import os
import pathlib
import resource
import subprocess
import time

METHODS = {
    "top-k": [],
    "rank-filter": [],
    "l1-svm": ["-p", "c=0.01"],
    "fenchel-rank": ["-p", "radius=1"],
}


def run(arguments, seconds):
    """Seconds, peak memory in GiB and the last line of the errors of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
        errors = f"not finished after {seconds} s"
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    lines = errors.strip().splitlines() if process.returncode else []
    return time.perf_counter() - start, peak, lines[0] if lines else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=int, default=50_000)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("bench/out/wide"))
    options = parser.parse_args()
    featherank = os.environ.get("FEATHERANK", "target/release/featherank")
    folder = options.out / f"{options.features}x{options.documents}"
    data = folder / "data.parquet"
    if not data.exists():
        settings = {
            "queries": options.documents // 100,
            "documents": options.documents,
            "min_documents": 50,
            "max_documents": 200,
            "noisy": options.features - 16,
        }
        sets = [f"--set={name}={value}" for name, value in settings.items()]
        synth = [featherank, "synth", *sets, "--one-file", "--format", "parquet", "-o", folder]
        subprocess.run(synth, check=True)
    print("| method | seconds | largest process so far, GiB | error |\n|---|--:|--:|---|")
    for method, settings in METHODS.items():
        output = folder / f"{method}.json"
        select = [featherank, "select", data, "--method", method, "--k", "20", "-o", output]
        seconds, peak, error = run([*select, *settings], options.seconds)
        print(f"| {method} | {seconds:.1f} | {peak:.2f} | {error} |", flush=True)


if __name__ == "__main__":
    main()
