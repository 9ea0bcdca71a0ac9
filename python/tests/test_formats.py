"""Files are exchanged with pandas, pyarrow and scikit-learn, and failures are clean."""

from __future__ import annotations

import csv
import gzip
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from support import find_binary, run, run_json, run_ok

FEATURES = ["bm25", "clicks", "length", "is_title", "pagerank"]


def make_table(seed: int = 1, queries: int = 6) -> pd.DataFrame:
    """A table with columns of all types: floats, signed and unsigned integers, booleans."""
    random = np.random.default_rng(seed)
    qid = np.repeat(np.arange(100, 100 + queries), random.integers(2, 9, queries))
    size = len(qid)
    return pd.DataFrame({
        "label": random.integers(0, 5, size),
        "qid": qid,
        "bm25": random.normal(size=size) * 10.0 ** random.integers(-6, 6, size),
        "clicks": random.integers(-1000, 1000, size),
        "length": random.integers(0, 2**31, size).astype(np.uint32),
        "is_title": random.random(size) < 0.5,
        "pagerank": random.random(size).astype(np.float32),
    })


def feature_values(table: pd.DataFrame) -> np.ndarray:
    """The features as featherank stores them, rounded to 32 bits."""
    return np.column_stack([table[name].to_numpy().astype(np.float32) for name in FEATURES])


def assert_reads_as(source: Path, table: pd.DataFrame, *options: object) -> None:
    """Convert to text, which scikit-learn must read back as the table."""
    text = source.with_name("converted.txt")
    run_ok("convert", source, text, *options)
    values, labels, queries = load_svmlight_file(str(text), query_id=True, zero_based=False, n_features=len(FEATURES))
    np.testing.assert_array_equal(values.toarray().astype(np.float32), feature_values(table))
    np.testing.assert_array_equal(labels, table["label"])
    np.testing.assert_array_equal(queries, table["qid"])


Writer = Callable[[pd.DataFrame, Path], object]
WRITERS: dict[str, tuple[str, Writer]] = {
    "csv": ("data.csv", lambda table, path: write_csv(table, path)),
    "csv with semicolons": ("data.csv", lambda table, path: write_csv(table, path, sep=";")),
    "csv, quoted": ("data.csv", lambda table, path: write_csv(table, path, quoting=csv.QUOTE_ALL)),
    "csv, Windows line ends": ("data.csv", lambda table, path: write_csv(table, path, lineterminator="\r\n")),
    "csv, byte order mark": ("data.csv", lambda table, path: write_csv(table, path, encoding="utf-8-sig")),
    "csv, gzip": ("data.csv.gz", lambda table, path: write_csv(table, path)),
    "tsv": ("data.tsv", lambda table, path: write_csv(table, path, sep="\t")),
    "parquet of pandas": ("data.parquet", lambda table, path: table.to_parquet(path)),
    "parquet of pandas with row numbers": ("data.parquet", lambda table, path: table.to_parquet(path, index=True)),
    "parquet, snappy": ("data.parquet", lambda table, path: write_parquet(table, path, compression="snappy")),
    "parquet, zstd": ("data.parquet", lambda table, path: write_parquet(table, path, compression="zstd")),
    "parquet, not compressed": ("data.parquet", lambda table, path: write_parquet(table, path, compression="none")),
    "parquet, small row groups": ("data.parquet", lambda table, path: write_parquet(table, path, row_group_size=7)),
    "parquet, version 2 pages": (
        "data.parquet", lambda table, path: write_parquet(table, path, data_page_version="2.0")),
    "parquet, no dictionaries": ("data.parquet", lambda table, path: write_parquet(table, path, use_dictionary=False)),
}


def write_csv(table: pd.DataFrame, path: Path, **options: object) -> None:
    """Write by pandas, with booleans as numbers: featherank rejects the words True and False."""
    table.astype({"is_title": int}).to_csv(path, index=False, **options)


def write_parquet(table: pd.DataFrame, path: Path, **options: object) -> None:
    """Write by pyarrow, some of whose options pandas does not support."""
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), path, **options)


@pytest.mark.parametrize("kind", WRITERS)
def test_tables_of_pandas_and_pyarrow_are_read(tmp_path: Path, kind: str) -> None:
    name, write = WRITERS[kind]
    table = make_table()
    write(table, tmp_path / name)
    assert_reads_as(tmp_path / name, table)


QUERY_TYPES: dict[str, pa.DataType] = {
    "int8": pa.int8(), "uint64": pa.uint64(), "string": pa.string(), "large string": pa.large_string(),
    "string view": pa.string_view(), "dictionary": pa.dictionary(pa.int32(), pa.string()), "binary": pa.binary(),
}


@pytest.mark.parametrize("kind", QUERY_TYPES)
def test_query_columns_of_any_type_are_read(tmp_path: Path, kind: str) -> None:
    table = make_table()
    columns = pa.Table.from_pandas(table, preserve_index=False)
    ids, wanted = columns["qid"], QUERY_TYPES[kind]
    ids = ids.cast(wanted) if pa.types.is_integer(wanted) else ids.cast(pa.string())
    if pa.types.is_dictionary(wanted):
        ids = ids.dictionary_encode()
    pq.write_table(columns.set_column(1, "qid", ids.cast(wanted)), tmp_path / "data.parquet")
    assert_reads_as(tmp_path / "data.parquet", table)


@pytest.mark.parametrize("dtype", ["string", "category", "object"])
def test_query_names_of_pandas_are_read(tmp_path: Path, dtype: str) -> None:
    table = make_table()
    table.assign(qid=table["qid"].astype(str).astype(dtype)).to_parquet(tmp_path / "data.parquet")
    assert_reads_as(tmp_path / "data.parquet", table)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "Int64", "Float64", "boolean"])
def test_labels_of_any_type_are_read(tmp_path: Path, dtype: str) -> None:
    table = make_table()
    table["label"] = table["label"] % 2
    table.assign(label=table["label"].astype(dtype)).to_parquet(tmp_path / "data.parquet")
    assert_reads_as(tmp_path / "data.parquet", table)


def test_nulls_are_rejected_or_read_as_zero(tmp_path: Path) -> None:
    table = make_table()
    table.loc[3, "bm25"] = np.nan
    for name, write in [("data.parquet", write_parquet), ("data.csv", write_csv)]:
        write(table, tmp_path / name)
        refused = run("convert", tmp_path / name, tmp_path / "refused.txt")
        assert refused.returncode == 1 and "bm25" in refused.stderr and "--missing" in refused.stderr
        assert_reads_as(tmp_path / name, table.fillna({"bm25": 0.0}), "--missing", "zero")


def test_pandas_reads_our_parquet(tmp_path: Path) -> None:
    table = make_table()
    write_csv(table, tmp_path / "data.csv")
    run_ok("convert", tmp_path / "data.csv", tmp_path / "ours.parquet")
    ours = pd.read_parquet(tmp_path / "ours.parquet")
    assert list(ours.columns) == ["label", "qid", *FEATURES]
    np.testing.assert_array_equal(ours[FEATURES].to_numpy(), feature_values(table))
    np.testing.assert_array_equal(ours["label"], table["label"])
    assert ours["qid"].tolist() == table["qid"].astype(str).tolist()
    assert all(ours[name].dtype == np.float32 for name in FEATURES)
    assert_reads_as(tmp_path / "ours.parquet", table)


@pytest.mark.parametrize("ending", ["txt", "txt.gz", "txt.zst", "txt.xz"])
def test_text_and_parquet_hold_the_same_data(tmp_path: Path, ending: str) -> None:
    table = make_table()
    table.to_parquet(tmp_path / "data.parquet")
    text = tmp_path / f"there.{ending}"
    run_ok("convert", tmp_path / "data.parquet", text)
    run_ok("convert", text, tmp_path / "back.parquet")
    back = pd.read_parquet(tmp_path / "back.parquet")
    np.testing.assert_array_equal(back.drop(columns=["label", "qid"]).to_numpy(), feature_values(table))


@pytest.mark.parametrize("zero_based", [False, True])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "with zeros left out"])
def test_files_of_scikit_learn_are_read(tmp_path: Path, zero_based: bool, sparse: bool) -> None:
    """scikit-learn does not write zeros, so zeros make its rows sparse."""
    random = np.random.default_rng(2)
    values = random.normal(size=(40, 7)) * (random.random((40, 7)) < 0.5 if sparse else 1.0)
    values[-1] = 1.0
    labels, queries = random.integers(0, 3, 40), np.repeat([7, 3, 9, 1], 10)
    dumped = tmp_path / "dumped.svm"
    dump_svmlight_file(values, labels, str(dumped), query_id=queries, zero_based=zero_based)
    run_ok("convert", dumped, tmp_path / "read.parquet", *(["--zero-based"] if zero_based else []))
    read = pd.read_parquet(tmp_path / "read.parquet")
    np.testing.assert_array_equal(read.drop(columns=["label", "qid"]).to_numpy(), values.astype(np.float32))
    np.testing.assert_array_equal(read["label"], labels)
    assert read["qid"].astype(int).tolist() == queries.tolist()


def test_sparse_text_is_the_same_data(tmp_path: Path) -> None:
    table = make_table()
    table.to_parquet(tmp_path / "data.parquet")
    assert_reads_as(tmp_path / "data.parquet", table, "--sparse")
    assert " 4:0 " not in (tmp_path / "converted.txt").read_text()


def test_standard_input_and_output(tmp_path: Path) -> None:
    text = b"1 qid:a 1:0.5 2:3\n0 qid:a 1:1 2:4\n"
    for bytes_in in (text, gzip.compress(text)):
        done = run("convert", "-", "-", "--quiet", stdin=bytes_in)
        assert (done.returncode, done.stdout, done.stderr) == (0, text.decode(), "")


BAD_DATA = {
    "not a number": "1 qid:1 1:x\n",
    "no query": "1 1:0.5\n",
    "scattered query": "1 qid:1 1:1\n0 qid:2 1:1\n0 qid:1 1:1\n",
    "nothing": "",
    "negative label": "-1 qid:1 1:1\n",
    "infinity": "1 qid:1 1:inf\n",
}


def assert_failed(done: subprocess.CompletedProcess[str], code: int) -> None:
    """The documented exit code, a message on standard error, and no output."""
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stdout == ""
    assert "panicked" not in done.stderr


@pytest.mark.parametrize("quiet", [[], ["--quiet"]], ids=["", "quiet"])
@pytest.mark.parametrize("kind", BAD_DATA)
def test_bad_data_exits_with_1(tmp_path: Path, kind: str, quiet: list[str]) -> None:
    """A quiet run also prints why it failed."""
    (tmp_path / "bad.txt").write_text(BAD_DATA[kind])
    for output in ("out.txt", "out.parquet"):
        done = run("convert", tmp_path / "bad.txt", tmp_path / output, *quiet)
        assert_failed(done, 1)
        assert "bad.txt" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.txt"]


WRONG_USAGE = {
    "unknown command": ["chose", "data.txt"],
    "unknown option": ["inspect", "data.txt", "--fast"],
    "unknown measure": ["evaluate", "data.txt", "--feature", "1", "--measure", "nddcg@10"],
    "unknown measure option": ["evaluate", "data.txt", "--feature", "1", "--measure", "ndcg[tie=worst]@10"],
    "measure without its cut-off": ["evaluate", "data.txt", "--feature", "1", "--measure", "p"],
    "unknown method": ["select", "data.txt", "--method", "best"],
    "unknown feature": ["evaluate", "data.txt", "--feature", "99"],
    "unknown preset": ["synth", "--output", "out", "--preset", "huge"],
    "unknown setting": ["synth", "--output", "out", "--set", "querys=3"],
    "no ranking": ["evaluate", "data.txt"],
    "a format that cannot be written": ["convert", "data.txt", "out.csv"],
    "too many features": ["select", "data.txt", "--k", "3"],
}


@pytest.mark.parametrize("kind", WRONG_USAGE)
def test_wrong_usage_exits_with_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.txt").write_text("1 qid:1 1:0.5 2:1\n0 qid:1 1:0.25 2:2\n")
    assert_failed(run(*WRONG_USAGE[kind]), 2)
    assert [path.name for path in tmp_path.iterdir()] == ["data.txt"]


def test_a_missing_file_and_a_folder_exit_with_1(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.txt", tmp_path):
        assert_failed(run("inspect", path, "--format", "letor"), 1)


def test_a_failed_run_keeps_the_old_output(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("1 qid:1 1:x\n")
    (tmp_path / "old.txt").write_text("kept\n")
    assert_failed(run("convert", tmp_path / "bad.txt", tmp_path / "old.txt"), 1)
    assert (tmp_path / "old.txt").read_text() == "kept\n"


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small synthetic data."""
    folder = tmp_path_factory.mktemp("synthetic")
    run_ok("synth", "--output", folder, "--set", "queries=20", "--quiet")
    return folder


def commands(folder: Path, output: Path) -> list[list[object]]:
    """Every command that reads data or prints information."""
    data = folder / "train.txt"
    return [
        ["inspect", data],
        ["select", data, "--k", 5, "--output", output / "selection.json"],
        ["evaluate", data, "--feature", 1, "--feature", 2, "--risk", "--measure", "ndcg[empty=skip]@10,map"],
        ["convert", data, output / "converted.parquet"],
        ["synth", "--output", output / "synthetic", "--set", "queries=20"],
        ["methods"],
    ]


def test_every_command_prints_valid_json(synthetic: Path, tmp_path: Path) -> None:
    """All commands except `convert`, which only writes a file, print JSON."""
    for command in commands(synthetic, tmp_path):
        if command[0] == "convert":
            assert run_ok(*command, "--json") == ""
        else:
            assert run_json(*command)


def test_quiet_runs_leave_standard_error_empty(synthetic: Path, tmp_path: Path) -> None:
    for command in commands(synthetic, tmp_path):
        done = run(*command, "--quiet")
        assert (done.returncode, done.stderr) == (0, ""), command


def test_results_go_to_standard_output_alone(synthetic: Path, tmp_path: Path) -> None:
    """Standard output is the same with and without --quiet."""
    for command in commands(synthetic, tmp_path):
        quiet, loud = (run_ok(*command, "--json", *extra) for extra in (["--quiet"], []))
        assert quiet == loud, command


def test_an_interrupted_run_exits_with_130(tmp_path: Path) -> None:
    """The first line of progress shows that the signal handler is installed."""
    size = ["--set", "queries=60", "--set", "documents=7200"]
    run_ok("synth", "--output", tmp_path, "--preset", "web10k", *size, "--one-file", "--quiet")
    measures = ",".join(f"ndcg@{k}" for k in range(1, 41))
    command = [find_binary(), "inspect", tmp_path / "data.txt", "--threads", "1", "--measure", measures]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert out == b""
