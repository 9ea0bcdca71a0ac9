"""Convert query ids per row, or query sizes, to contiguous ranges of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from featherank.exceptions import InputError


class Queries(NamedTuple):
    """The id and the number of rows of each query, in row order."""

    ids: list[str]
    sizes: list[int]

    def per_row(self) -> npt.NDArray[np.int64]:
        """The index of the query, from 0, for every row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def queries_of(rows: int, qid: Any = None, group: Any = None) -> Queries:
    """The queries of a number of rows.

    Parameters
    ----------
    rows
        Number of rows.
    qid
        The query id of every row, as in XGBoost. Rows of one query must be adjacent.
    group
        The number of rows of each query, as in LightGBM. Queries without rows are skipped.

    Without either, all rows belong to one query.

    Examples
    --------
    >>> queries_of(5, qid=["a", "a", "b", "b", "b"])
    Queries(ids=['a', 'b'], sizes=[2, 3])
    >>> queries_of(5, group=[2, 3])
    Queries(ids=['1', '2'], sizes=[2, 3])
    """
    if qid is not None and group is not None:
        raise InputError("qid and group were both given\n  help: pass one of them")
    if qid is not None:
        return _from_ids(rows, np.asarray(qid))
    if group is not None:
        return _from_sizes(rows, np.asarray(group))
    return Queries(["1"], [rows])


def _from_ids(rows: int, qid: npt.NDArray[Any]) -> Queries:
    if qid.ndim != 1 or len(qid) != rows:
        raise InputError(
            f"query ids of shape {qid.shape} for {rows} rows\n  --> qid\n  help: pass one query id for every row"
        )
    missing = np.flatnonzero((qid != qid) | (qid == None)) if qid.dtype.kind in "fO" else np.empty(0)  # noqa: E711
    if len(missing):
        raise InputError(f"this row has no query id\n  --> qid[{missing[0]}]\n  help: give every row a query id")
    starts = np.flatnonzero(np.concatenate(([True], qid[1:] != qid[:-1])))
    sizes = np.diff(np.append(starts, rows))
    return Queries([_id_text(one) for one in qid[starts].tolist()], sizes.tolist())


def _id_text(one: object) -> str:
    # An integer id that went through a float column is written without decimals, as in files.
    if isinstance(one, float) and one.is_integer():
        return str(int(one))
    return one.decode() if isinstance(one, bytes) else str(one)


def _from_sizes(rows: int, group: npt.NDArray[Any]) -> Queries:
    whole = group.ndim == 1 and (group.dtype.kind in "iu" or np.array_equal(group, np.floor(group)))
    if not whole or (group < 0).any():
        raise InputError("query sizes must be whole numbers of 0 or more\n  --> group\n  help: pass the rows of each query")
    sizes = [int(size) for size in group if size > 0]
    if sum(sizes) != rows:
        raise InputError(
            f"the query sizes add up to {sum(sizes)}, but there are {rows} rows\n  --> group\n"
            "  help: group holds the number of rows of each query, in the order of the rows"
        )
    return Queries([str(place + 1) for place in range(len(sizes))], sizes)


def sizes_of(qid: Sequence[object] | npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The number of rows of each query, which LightGBM calls ``group``, from one id per row.

    Examples
    --------
    >>> sizes_of([7, 7, 9]).tolist()
    [2, 1]
    """
    ids = np.asarray(qid)
    return np.asarray(_from_ids(len(ids), ids).sizes, dtype=np.int64)
