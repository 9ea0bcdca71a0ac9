"""CFS and Consistency against WEKA, on the training part of every LETOR fold: same sets, and times.

    apt-get install weka
    .venv/bin/python bench/weka.py FOLDER [--jar /usr/share/java/weka.jar]

FOLDER holds S1.txt to S5.txt, such as OHSUMED's normalised parts. WEKA is given all features and
the label as a nominal class, pooled over queries; featherank first removes features that are
constant within every query. WEKA's time includes the start of Java and reading, featherank's
includes reading.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SEARCH = "weka.attributeSelection.BestFirst"
METHODS = {
    "cfs": "weka.attributeSelection.CfsSubsetEval",
    "consistency": "weka.attributeSelection.ConsistencySubsetEval",
}


def rows(files):
    """Label and values of every document."""
    for file in files:
        for line in file.read_text().splitlines():
            label, _, *pairs = line.split("#")[0].split()
            yield label, [pair.split(":")[1] for pair in pairs]


def write_arff(path, files):
    documents = list(rows(files))
    classes = sorted({label for label, _ in documents})
    lines = ["@relation letor"]
    lines += [f"@attribute f{number} numeric" for number in range(1, len(documents[0][1]) + 1)]
    lines += [f"@attribute label {{{','.join(classes)}}}", "@data"]
    lines += [",".join([*values, label]) for label, values in documents]
    path.write_text("\n".join(lines) + "\n")


def of_weka(jar, evaluator, arff):
    start = time.perf_counter()
    command = ["java", "-Xmx2g", "-cp", jar, evaluator, "-s", SEARCH, "-c", "last", "-i", str(arff)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.search(r"Selected attributes: ([\d,]+)", printed)
    return [int(number) for number in found.group(1).split(",")], time.perf_counter() - start


def of_featherank(method, files):
    program = os.environ.get("FEATHERANK_BIN") or sys.exit("set FEATHERANK_BIN to the built program")
    start = time.perf_counter()
    command = [program, "select", *map(str, files), "--method", method, "--json", "--quiet"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return sorted(chosen["id"] for chosen in json.loads(printed)["selected"]), time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jar", default="/usr/share/java/weka.jar")
    options = parser.parse_args()
    different = 0
    with tempfile.TemporaryDirectory() as scratch:
        for fold in range(5):
            files = [options.folder / f"S{(fold + part) % 5 + 1}.txt" for part in range(3)]
            arff = Path(scratch) / "train.arff"
            write_arff(arff, files)
            for method, evaluator in METHODS.items():
                theirs, their_seconds = of_weka(options.jar, evaluator, arff)
                ours, our_seconds = of_featherank(method, files)
                different += ours != theirs
                verdict = "same set" if ours == theirs else f"DIFFERENT: WEKA {theirs}, featherank {ours}"
                print(f"fold {fold + 1} {method}: {len(theirs)} features, {verdict}; "
                      f"WEKA {their_seconds:.1f} s, featherank {our_seconds:.2f} s", flush=True)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
