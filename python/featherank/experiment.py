"""Experiments: the ``compare`` and ``report`` commands for Python."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from featherank import _core
from featherank._arrays import columns_of, data_of, labels_of
from featherank._method import RegisteredMethod, seed_of, threads_of
from featherank._progress import progress_bar
from featherank._queries import queries_of
from featherank._registry import set_parameters
from featherank._selector import Costs, check_costs, costs_in_order
from featherank.exceptions import InvalidParameterError

if TYPE_CHECKING:
    import pandas as pd

# The measures of a comparison that names none.
DEFAULT_MEASURES = ("ndcg@10", "map")

# Common parameters of methods that a comparison sets itself, and those it does not support.
_SET_HERE = {"random_state": 1, "n_jobs": None, "verbose": 0}
_NOT_HERE = ("keep", "drop", "costs", "budget", "time_limit", "checkpoint")


class Comparison(NamedTuple):
    """Result of `compare`: a table, and a report that notebooks display."""

    table: pd.DataFrame
    report: Report

    def _repr_html_(self) -> str:
        table = self.table.to_html(float_format="{:.4f}".format)
        return f"{table}{self.report._repr_html_()}"


class Report:
    """The report of an experiment: the values of every query in every cell, and a page with plots.

    Attributes
    ----------
    results : dict
        All results, as the command writes them to ``results.json``.
    tables : str
        All tables as text: effectiveness with tests, risk, size and cost, stability, agreement.
    html : str
        The page, self-contained.
    """

    def __init__(self, results: dict[str, Any], tables: str, page: str) -> None:
        self.results = results
        self.tables = tables
        self.html = page

    def __repr__(self) -> str:
        methods = len({cell["method"] for cell in self.results["cells"]})
        return f"<Report of {methods} methods on {len(self.results['folds'])} folds>"

    def _repr_html_(self) -> str:
        # An iframe keeps styles and scripts of the report apart from those of the notebook.
        style = "width: 100%; height: 48rem; border: 0"
        page = html.escape(self.html, quote=True)
        return f'<iframe title="report" sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        target = Path(path)
        unfinished = target.with_name(f".{target.name}.unfinished")
        unfinished.write_text(self.html, encoding="utf-8")
        unfinished.replace(target)

    def cells(self) -> pd.DataFrame:
        """One row per method, fold and seed: test means, features, cost, seconds and failures."""
        return _pandas().DataFrame([_cell(cell, self.results["measures"]) for cell in self.results["cells"]])


def compare(
    X: Any,
    y: Any = None,
    *,
    qid: Any = None,
    group: Any = None,
    methods: str | BaseEstimator | Iterable[str | BaseEstimator] = (),
    rankers: str | BaseEstimator | Iterable[str | BaseEstimator] = (),
    folds: int | None = None,
    measures: str | Iterable[str] = DEFAULT_MEASURES,
    choose: str | None = None,
    k: int | Iterable[int] = (),
    seeds: int = 1,
    random_state: int | np.random.RandomState | None = 1,
    bootstraps: int = 0,
    tune: bool = True,
    curves: bool = True,
    recommend: bool = False,
    costs: Costs | None = None,
    output: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Comparison:
    """Compare selectors, each with several rankers, on folds of queries.

    Features are selected on training data, settings are chosen on each fold's validation data, and
    test data is used once. All features with each ranker are always included.

    Parameters
    ----------
    X : array-like, sparse matrix, table, path or list of paths
        One row per document of a query; or, without ``y``, a LETOR folder, three or more part
        files, or one file.
    y : array-like of shape (n_rows,)
        Relevance grades, 0 or more.
    qid, group
        The query of each row, or the number of rows of each query.
    methods : selectors or their names
        For example ``BestGain(delta=0.03)`` or ``"best-gain[delta=0.03]"``.
    rankers : rankers or their names
        ``"own"`` is the model that an embedded selector trains. Without rankers, own models are
        tested.
    folds : int, optional
        Number of folds, default 5. LETOR folders and part files define their own.
    measures : str or list of str
        Measures on test data; risk uses the first. The thresholds of relevance of the default
        follow the labels.
    choose : str, optional
        The measure that chooses settings on validation data; by default the first measure, with
        ties by expected value.
    k : int or list of int
        Numbers of features from which validation data chooses, for methods without their own
        ``k``.
    seeds, random_state : int
        The number of seeds, and the first one.
    bootstraps : int
        Number of bootstrap samples of the training queries from which features are selected, to
        measure stability.
    tune, curves, recommend : bool
        Tune rankers; judge other numbers of features on validation data; let ``auto`` recommend a
        set from all data.
    costs : mapping or array-like, optional
        Costs of features, by column or name, or one number per feature.
    output : path, optional
        A folder for results. Repeat the same call to resume after an interruption.
    n_jobs : int, optional
        Number of threads; all cores by default. Results do not depend on it.
    verbose : int, default=0
        Show progress.

    Returns
    -------
    Comparison
        A named tuple: ``table``, a pandas DataFrame with one row per method, and ``report``, which
        a notebook displays.

    Examples
    --------
    >>> import numpy as np
    >>> import featherank
    >>> rng = np.random.default_rng(0)
    >>> qid = np.repeat(np.arange(40), 10)
    >>> y = rng.integers(0, 3, 400)
    >>> X = np.column_stack([rng.normal(size=400), y + rng.normal(size=400), rng.normal(size=400)])
    >>> table, report = featherank.compare(X, y, qid=qid, methods="top-k[k=1]", rankers="linear-regression")
    >>> table["features"].to_dict()
    {'all features, linear-regression': 3.0, 'top-k[k=1], linear-regression': 1.0}
    >>> report
    <Report of 2 methods on 5 folds>
    """
    _pandas()
    measures = [measures] if isinstance(measures, str) else list(measures)
    if not measures:
        raise InvalidParameterError("no measure was given\n  help: name at least one")
    plan: dict[str, Any] = {
        "methods": _method_texts("methods", "selectors", methods),
        "rankers": _method_texts("rankers", "rankers", rankers),
        "default_measures" if tuple(measures) == DEFAULT_MEASURES else "measures": measures,
        **({} if choose is None else {"choose": choose}),
        "k": [int(number) for number in (k if isinstance(k, Iterable) else [k])],
        "seed": seed_of(random_state),
        "seeds": int(seeds),
        "bootstraps": int(bootstraps),
        "tune": bool(tune),
        "curves": bool(curves),
        "recommend": bool(recommend),
    }
    paths, data, prices = _source(X, y, qid, group, costs)
    with tempfile.TemporaryDirectory() as scratch, progress_bar(verbose) as progress:
        folder = Path(scratch) / "results" if output is None else Path(output)
        experiment = {
            # Lists, strings, numbers and booleans have the same syntax in JSON and TOML.
            "plan": "".join(
                f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in {"title": "Comparison", **plan}.items()
            ),
            "command": _command(plan, paths, folds, prices),
            "paths": paths,
            "folds": folds,
            "costs": prices,
            "folder": folder,
            "threads": threads_of(n_jobs),
            "progress": progress,
        }
        page = _core.compare(experiment, data)
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        tables = (folder / "tables.txt").read_text(encoding="utf-8")
    report = Report(results, tables, page)
    return Comparison(_by_method(report.cells(), results["measures"]), report)


def _pandas() -> Any:
    """Import pandas early, so that a missing package is reported before any work."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("compare returns a pandas table, and pandas is not installed\n  help: pip install pandas") from error
    return pd


class _Table(BaseEstimator):
    """An estimator that only records the columns of a table."""


def _source(
    X: Any, y: Any, qid: Any, group: Any, costs: Any
) -> tuple[list[str | os.PathLike[str]], _core.Data | None, list[float]]:
    """Paths or data, and the costs of features."""
    paths = [X] if isinstance(X, (str, os.PathLike)) else X
    if isinstance(paths, (list, tuple)) and paths and all(isinstance(path, (str, os.PathLike)) for path in paths):
        if y is not None or qid is not None or group is not None:
            raise InvalidParameterError("files already contain labels and queries\n  help: leave out y, qid and group")
        if isinstance(costs, Mapping):
            raise InvalidParameterError("costs by name need data in memory\n  help: pass one number per feature")
        prices = [] if costs is None else [float(cost) for cost in costs]
        check_costs(prices)
        return list(paths), None, prices
    table = _Table()
    columns, rows = columns_of(table, X, reset=True, min_rows=2)
    data = data_of(columns, labels_of(table, y, rows), rows, queries_of(rows, qid, group))
    return [], data, costs_in_order(costs, data)


def _command(plan: Mapping[str, Any], paths: Sequence[Any], folds: int | None, prices: list[float]) -> list[str]:
    """The equivalent command. Data in memory has no file name and is written as DATA."""
    arguments = ["featherank", "compare", *(map(os.path.abspath, paths) if paths else ["DATA"])]
    for option, value in (
        ("--methods", ",".join(plan["methods"])),
        ("--rankers", ",".join(plan["rankers"])),
        ("--measure", ",".join(plan.get("measures", ()))),
        ("--choose", plan.get("choose")),
        ("--k", ",".join(map(str, plan["k"]))),
        ("--folds", folds),
        ("--seeds", plan["seeds"]),
        ("--seed", plan["seed"]),
        ("--bootstraps", plan["bootstraps"]),
        ("--costs", "COSTS" if prices else None),
    ):
        if value not in (None, ""):
            arguments += [option, str(value)]
    switches = {"--no-tune": not plan["tune"], "--no-curves": not plan["curves"], "--recommend": plan["recommend"]}
    return arguments + [name for name, is_on in switches.items() if is_on]


def _method_texts(parameter: str, kind: str, given: Any) -> list[str]:
    """Methods in the notation of the command: ``name[setting=value]``."""
    if isinstance(given, (str, BaseEstimator)):
        given = [given]
    return [_method_text(parameter, kind, method) for method in given]


def _method_text(parameter: str, kind: str, method: Any) -> str:
    if isinstance(method, str):
        return method
    if not isinstance(method, RegisteredMethod) or method._kind != kind:
        raise InvalidParameterError(
            f"`{method!r}` is not one of featherank's {kind}\n  help: pass those or their names in {parameter}"
        )
    for name in _NOT_HERE:
        if getattr(method, name, None) is not None:
            raise InvalidParameterError(f"compare does not support {name}, which `{method!r}` sets\n  help: leave it out")
    for name, default in _SET_HERE.items():
        if getattr(method, name) != default:
            raise InvalidParameterError(f"{name} of `{method!r}` differs from that of compare\n  help: pass it to compare")
    settings = list(set_parameters(method._entry(), method))
    if getattr(method, "k", None) is not None:
        settings.append(("k", str(method.k)))
    listed = ",".join(f"{name}={value}" for name, value in settings)
    return f"{method._method}[{listed}]" if listed else method._method


def _cell(cell: dict[str, Any], measures: list[str]) -> dict[str, Any]:
    row = {name: cell.get(name) for name in ("method", "selector", "ranker", "fold", "seed")}
    done = cell.get("done")
    if done is None:
        return {**row, "failed": cell["failed"]}
    for measure, values in zip(measures, done["test"], strict=True):
        counted = [np.nan if value is None else value for value in values]
        row[measure] = _core.measure_summary(measure, np.array(counted))
    measured = done["measured"]
    return {
        **row,
        "features": len(done["features"]),
        "cost": done["cost"],
        "valid": done["valid"],
        "seconds": measured["seconds"],
        "failed": None,
    }


def _by_method(cells: pd.DataFrame, measures: list[str]) -> pd.DataFrame:
    """Means over folds and seeds, with methods in the requested order."""
    shown = [name for name in [*measures, "features", "cost", "seconds"] if name in cells]
    table = cells.groupby("method", sort=False)[shown].mean()
    table["failed"] = cells.groupby("method", sort=False)["failed"].count()
    return table
