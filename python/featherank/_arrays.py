"""Convert NumPy, SciPy sparse, pandas, polars and Arrow data to 32-bit columns, in one copy."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import column_or_1d, validate_data

from featherank import _core
from featherank._queries import Queries
from featherank.exceptions import InputError


def labels_of(estimator: object, y: Any, rows: int) -> npt.NDArray[np.float64]:
    """One relevance label per row."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    labels = column_or_1d(y, warn=True)
    if len(labels) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(labels)}]")
    return np.ascontiguousarray(labels, dtype=np.float64)


def columns_of(
    estimator: object, X: Any, *, reset: bool, keep_missing: bool = False, min_rows: int = 1
) -> tuple[_core.Columns, int]:
    """The columns of X and the number of rows, after scikit-learn's checks.

    Sets ``n_features_in_`` and ``feature_names_in_`` of the estimator if ``reset``; otherwise
    checks X against them.
    """
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(X, arrow.RecordBatch):
        X = arrow.Table.from_batches([X])
    if (columns := _frame_columns(X)) is not None:
        _check_unique_names(X)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        rows, width = X.shape
        _check_size(rows, width, min_rows)
        target = _core.Columns(rows, width, _names(estimator), keep_missing)
        for place in range(width):
            target.fill_column(place, columns(place))
        return target, rows
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csc",
        dtype="numeric",
        ensure_all_finite=False,
        ensure_min_samples=min_rows,
    )
    rows, width = X.shape
    target = _core.Columns(rows, width, _names(estimator), keep_missing)
    if sparse.issparse(X):
        target.fill_sparse(np.asarray(X.indptr, dtype=np.int64), X.indices, _numbers(X.data))
    elif X.dtype in (np.float32, np.float64):
        target.fill_block(X)
    else:
        # Convert integers one column at a time, to avoid a second copy of the matrix.
        for place in range(width):
            target.fill_column(place, _numbers(X[:, place]))
    return target, rows


def data_of(
    columns: _core.Columns, labels: npt.NDArray[np.float64] | None, rows: int, queries: Queries
) -> _core.Data:
    """Columns, labels (0 if not needed) and queries as one data set."""
    labels = np.zeros(rows) if labels is None else labels
    return _core.Data(columns, labels, queries.ids, queries.sizes)


def rows_of(X: Any) -> int:
    """The number of rows of any kind of X."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _names(estimator: object) -> list[str] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _numbers(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """32- or 64-bit floats; integers become 32-bit floats directly, which rounds only once."""
    if values.dtype in (np.float32, np.float64):
        return values
    return values.astype(np.float64 if values.dtype.kind == "f" and values.dtype.itemsize > 4 else np.float32)


def _check_size(rows: int, width: int, min_rows: int) -> None:
    # The messages of scikit-learn's check_array, which does not see tables.
    if rows < min_rows:
        raise ValueError(
            f"Found array with {rows} sample(s) (shape={(rows, width)}) while a minimum of {min_rows} is required."
        )
    if width < 1:
        raise ValueError(f"Found array with 0 feature(s) (shape={(rows, width)}) while a minimum of 1 is required.")


def _check_unique_names(X: Any) -> None:
    names = X.column_names if hasattr(X, "column_names") else list(X.columns)
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"two columns are called `{name}`\n  --> X\n  help: rename one of them")


def _frame_columns(X: Any) -> Any:
    """A function that returns the values of a table's column by position, or None if X is no table.

    Tables are converted one column at a time, because most columns are numeric already.
    """
    pandas, polars, arrow = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return lambda place: _column(X.iloc[:, place], X.columns[place], X.dtypes.iloc[place])
    if polars is not None and isinstance(X, polars.DataFrame):
        return lambda place: _column(X.to_series(place), X.columns[place], X.dtypes[place])
    if arrow is not None and isinstance(X, arrow.Table):
        return lambda place: _column(_ArrowColumn(X.column(place)), X.schema.names[place], X.schema.types[place])
    return None


class _ArrowColumn:
    """Gives an Arrow column the interface of pandas and polars columns."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def to_numpy(self) -> npt.NDArray[Any]:
        column = self._column
        if hasattr(column, "combine_chunks"):
            column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        return column.to_numpy(zero_copy_only=False)


def _column(column: Any, name: object, kind: object) -> npt.NDArray[Any]:
    """The values of a column, without a copy for 32- and 64-bit floats without missing values."""
    values = column.to_numpy()
    if values.dtype == object:
        # Numbers with missing values, or text.
        try:
            return np.array([np.nan if _is_missing(one) else float(one) for one in values], dtype=np.float64)
        except (TypeError, ValueError):
            pass
    elif values.dtype.kind in "fiub":
        return _numbers(values)
    raise InputError(
        f"column `{name}` holds {kind}, which cannot be a feature\n  --> X\n"
        "  help: leave the column out, or convert it to a number"
    )


def _is_missing(one: object) -> bool:
    # pandas.NA cannot be compared.
    return one is None or type(one).__name__ == "NAType" or one != one
