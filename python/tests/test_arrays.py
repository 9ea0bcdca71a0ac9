"""All array and table types give the same data, keep names, and are copied only once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from featherank import TopK
from featherank.rankers import RegressionTree
from scipy import sparse

from ranking_data import RankingData, ranking_data, write_letor
from support import answer_of, run_json

NAMES = [f"feature_{number}" for number in range(8)]


@pytest.fixture(scope="module")
def data() -> RankingData:
    return ranking_data()


def selection(X: Any, data: RankingData) -> Any:
    return TopK(k=3).fit(X, data.y, qid=data.qid).selection_


def test_arrays_of_any_dtype_and_order_give_the_same_data(data: RankingData) -> None:
    expected = selection(data.X, data)
    wide = data.X.astype(np.float64)
    padded = np.zeros((2 * len(wide), 16))
    padded[::2, ::2] = wide
    read_only = wide.copy()
    read_only.flags.writeable = False
    for X in (
        wide,
        np.asfortranarray(wide),
        np.asfortranarray(data.X),
        padded[::2, ::2],
        wide[:, ::-1][:, ::-1],
        wide.tolist(),
        wide.astype(object),
        read_only,
        sparse.csr_matrix(wide),
        sparse.csc_array(data.X),
        sparse.coo_matrix(wide),
    ):
        assert selection(X, data) == expected


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.bool_, np.float16, np.longdouble])
def test_other_dtypes_give_the_same_data(data: RankingData, kind: type) -> None:
    whole = np.clip(np.round(data.X), 0, 100).astype(kind)
    assert selection(whole, data) == selection(whole.astype(np.float64), data)


def tables(data: RankingData) -> list[Any]:
    wide = pd.DataFrame(data.X.astype(np.float64), columns=NAMES)
    mixed = wide.astype({NAMES[0]: np.float32, NAMES[1]: "Float64", NAMES[2]: "float32[pyarrow]"})
    arrow = pa.Table.from_pandas(wide)
    chunked = pa.concat_tables([arrow[:50], arrow[50:]])
    return [wide, mixed, pl.from_pandas(wide), arrow, chunked, arrow.to_batches()[0]]


def test_tables_give_the_same_data_and_keep_column_names(data: RankingData) -> None:
    first, *others = [TopK(k=3).fit(X, data.y, qid=pd.Series(data.qid)) for X in tables(data)]
    assert first.feature_names_in_.tolist() == NAMES
    for fitted in others:
        assert fitted.feature_names_in_.tolist() == NAMES
        assert fitted.selection_ == first.selection_
        assert fitted.get_feature_names_out().tolist() == [NAMES[place] for place in fitted.get_support(indices=True)]
    assert {feature["name"] for feature in first.selection_["selected"]} <= set(NAMES)
    by_name = TopK(k=3, keep=[NAMES[6]]).fit(tables(data)[0], data.y, qid=data.qid)
    assert by_name.support_[6]


def test_set_output_returns_the_requested_table_type(data: RankingData) -> None:
    frame = tables(data)[0]
    selector = TopK(k=2).set_output(transform="pandas")
    out = selector.fit_transform(frame, data.y, qid=data.qid)
    assert isinstance(out, pd.DataFrame)
    assert out.columns.tolist() == selector.get_feature_names_out().tolist()
    assert isinstance(selector.set_output(transform="polars").transform(pl.from_pandas(frame)), pl.DataFrame)


def test_a_table_equals_its_parquet_file(data: RankingData, tmp_path: Path) -> None:
    frame = pd.DataFrame(data.X, columns=NAMES)
    frame.assign(label=data.y, qid=data.qid).to_parquet(tmp_path / "train.parquet")
    expected = run_json("select", tmp_path / "train.parquet", "--k", 3, "--method", "top-k", "--quiet")
    assert answer_of(TopK(k=3).fit(frame, data.y, qid=data.qid).selection_) == answer_of(expected)


def test_query_ids_of_any_dtype_give_the_same_queries(data: RankingData) -> None:
    expected = selection(data.X, data)
    for qid in (
        data.qid.tolist(),
        data.qid.astype(float),
        data.qid.astype(str),
        data.qid.astype(object),
        pd.Series(data.qid, dtype="category"),
        pl.Series(data.qid),
        pa.array(data.qid),
    ):
        assert TopK(k=3).fit(data.X, data.y, qid=qid).selection_ == expected


def test_without_queries_all_rows_are_one_query(data: RankingData, tmp_path: Path) -> None:
    one = RankingData(data.X, data.y, np.ones(len(data.y), dtype=int))
    file = write_letor(tmp_path / "one.txt", one)
    expected = run_json("select", file, "--method", "top-k", "--k", 3, "--quiet")
    assert answer_of(TopK(k=3).fit(data.X, data.y).selection_) == answer_of(expected)


def test_trees_accept_missing_values(data: RankingData) -> None:
    X = data.X.copy()
    X[::3, 0] = np.nan
    scores = RegressionTree().fit(X, data.y, qid=data.qid).predict(X)
    assert np.isfinite(scores).all()


# A separate process that prints its peak memory before and after reading the data.
MEASURE = """
import sys
import numpy as np
from featherank._arrays import columns_of
from sklearn.base import BaseEstimator

rows, width = 200_000, 40
kind = sys.argv[1]
if kind == "pandas":
    import pandas as pd
    X = pd.DataFrame({f"f{place}": np.random.rand(rows) for place in range(width)})
elif kind == "polars":
    import polars as pl
    X = pl.DataFrame({f"f{place}": np.random.rand(rows).astype(np.float32) for place in
    range(width)})
elif kind == "arrow":
    import pyarrow as pa
    X = pa.table({f"f{place}": np.random.rand(rows) for place in range(width)})
else:
    order, dtype = kind.split("-")
    X = np.asarray(np.random.rand(rows, width) if order == "C" else np.random.rand(width, rows).T)
    X = X.astype(dtype, order=order, copy=False)
columns_of(BaseEstimator(), X[:1000] if kind != "arrow" else X.slice(0, 1000), reset=True)

def memory(line):
    with open("/proc/self/status") as file:
        return next(int(words.split()[1]) for words in file if words.startswith(line)) * 1024

with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # The high-water mark starts anew.
before = memory("VmRSS")
columns = columns_of(BaseEstimator(), X, reset=True)
print((memory("VmHWM") - before) / (rows * width * 4))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("kind", ["C-float32", "C-float64", "F-float32", "F-float64", "pandas", "polars", "arrow"])
def test_input_is_copied_only_once(kind: str) -> None:
    done = subprocess.run([sys.executable, "-c", MEASURE, kind], capture_output=True, text=True, check=True)
    copies = float(done.stdout)
    # A second copy, even in 32 bits, would give 2.
    assert copies < 1.5, f"{kind}: {copies:.2f} times the memory of the data in 32 bits"
