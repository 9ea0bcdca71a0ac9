"""Writes the classes of selectors and rankers from the registry: ``python python/generate.py`` (``make docs`` runs it).

The modules are committed, so that editors and type checkers see them; a test fails when they are out of date.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path
from typing import Any

from featherank._registry import argument_name, default_value, methods

FOLDER = Path(__file__).parent / "featherank"
REFERENCES = Path(__file__).parent.parent / "docs" / "references.md"
WIDTH = 120
MADE = "Made by python/generate.py from the registry; a test keeps it true."

# Type of each kind of parameter.
TYPES = {
    "measure": "str",
    "real": "float",
    "whole": "int",
    "auto": "float | str",
    "values": "float | Sequence[float] | str",
    "flag": "bool",
    "choice": "str",
    "feature": "str",
    "ranker": "str",
    "settings": "Mapping[str, Any] | str | None",
    "words": "str",
}

# Parameters that every method of a kind has: name, type and default.
COMMON = [
    ("random_state", "int | np.random.RandomState | None", "1"),
    ("n_jobs", "int | None", "None"),
    ("time_limit", "float | None", "None"),
    ("verbose", "int", "0"),
]
OF_SELECTORS = [
    ("k", "int | None", "None"),
    ("keep", "Iterable[int | str] | None", "None"),
    ("drop", "Iterable[int | str] | None", "None"),
    ("costs", "Mapping[int | str, float] | Iterable[float] | None", "None"),
    ("budget", "float | None", "None"),
    *COMMON,
]
OF_RANKERS = [("normaliser", "str", '"none"'), *COMMON]


# Classes whose names are not their method's words with capitals: acronyms, as the field writes them.
CLASS_NAMES = {
    "adarank-map": "AdaRankMAP",
    "adarank-ndcg": "AdaRankNDCG",
    "auto": "AutoSelector",
    "btfs": "BTFS",
    "cfs": "CFS",
    "divfs": "DivFS",
    "eg-rank": "EGRank",
    "fcbf": "FCBF",
    "fsmrank": "FSMRank",
    "gas": "GAS",
    "greedy": "GreedyForward",
    "greedy-rankrls": "GreedyRankRLS",
    "hcas": "HCAS",
    "l1-svm": "L1SVM",
    "lambdamart": "LambdaMART",
    "lambdarank": "LambdaRank",
    "listnet": "ListNet",
    "mart": "MART",
    "mofsrank": "MOFSRank",
    "mrmr": "MRMR",
    "ngas": "NGAS",
    "nonconvex-svm": "NonconvexSVM",
    "rank-l2-arom": "RankL2AROM",
    "rankrls": "RankRLS",
    "rankrwfs-l0": "RankRWFSL0",
    "rankrwfs-l1": "RankRWFSL1",
    "ranksvm-primal": "RankSVMPrimal",
    "ranksvm-struct": "RankSVMStruct",
    "rfe": "RFE",
    "rsrank": "RSRank",
    "spea2": "SPEA2",
    "svm-map": "SVMMAP",
    "xgas": "XGAS",
}


def class_name(method: str) -> str:
    """The class of a method: ``best-gain`` is BestGain, ``lambdamart`` is LambdaMART."""
    return CLASS_NAMES.get(method) or "".join(word.capitalize() for word in method.split("-"))


def citations() -> dict[str, str]:
    """The papers by their keys."""
    lines = REFERENCES.read_text(encoding="utf-8").splitlines()
    return {match[1]: match[2] for line in lines if (match := re.match(r"- \[(\w+)\] (.+)", line))}


def wrapped(text: str, indent: int) -> list[str]:
    """Lines of a docstring."""
    return textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False)


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def docstring(method: dict[str, Any], base: str, papers: dict[str, str]) -> list[str]:
    """What a method is, what can be set, and where it comes from."""
    facts = [method["category"] or "ranker", method["status"].replace("-", " ")]
    lines = [f'    """{sentence(method["summary"])}', ""]
    lines += wrapped(f"The method ``{method['name']}`` of featherank ({', '.join(facts)}).", 4)
    lines += ["", "    Parameters", "    ----------"]
    for parameter in method["parameters"]:
        kind = TYPES[parameter["kind"]].replace(" | ", " or ")
        lines.append(f"    {argument_name(parameter['name'])} : {kind}, default={default_value(parameter)!r}")
        lines += wrapped(f"{sentence(parameter['meaning'])} Range: {parameter['range']}.", 8)
    if method["resumes"]:
        lines.append("    checkpoint : path, optional")
        lines += wrapped("Keep what is needed to go on in this file; the same fit goes on from it, and removes it.", 8)
    others = ", ".join(name for name, _, _ in (OF_SELECTORS if base == "RankingSelector" else OF_RANKERS))
    lines.append(f"    {others}")
    lines += wrapped(f"See `{base}`.", 8)
    if method["cites"]:
        lines += ["", "    References", "    ----------"]
        for key in method["cites"]:
            lines += [f"    .. [{key}]", *wrapped(papers.get(key, ""), 8)]
    return [*lines, '    """']


def class_text(method: dict[str, Any], base: str, papers: dict[str, str]) -> str:
    """The class of one method."""
    common = OF_SELECTORS if base == "RankingSelector" else OF_RANKERS
    own = [
        (argument_name(parameter["name"]), TYPES[parameter["kind"]], f"{default_value(parameter)!r}".replace("'", '"'))
        for parameter in method["parameters"]
    ]
    if method["resumes"]:
        own.append(("checkpoint", "str | PathLike[str] | None", "None"))
    clash = {name for name, _, _ in own} & {name for name, _, _ in common}
    if clash:
        sys.exit(f"{method['name']}: {clash} is a parameter of every method")
    lines = [f"class {class_name(method['name'])}({base}):", *docstring(method, base, papers), ""]
    lines += [f'    _method = "{method["name"]}"', "", "    def __init__(", "        self,", "        *,"]
    lines += [f"        {name}: {kind} = {default}," for name, kind, default in [*own, *common]]
    lines += ["    ) -> None:", "        super().__init__("]
    lines += [f"            {name}={name}," for name, _, _ in common]
    lines += ["        )", *(f"        self.{name} = {name}" for name, _, _ in own)]
    return "\n".join(lines)


def module_text(title: str, chosen: list[dict[str, Any]], base: str, module: str) -> str:
    """A module with the classes of these methods."""
    papers = citations()
    classes = [class_text(method, base, papers) for method in chosen]
    body = "\n\n\n".join(classes)
    code = re.sub(r'"""(.|\n)*?"""', "", body)
    collections = [name for name in ("Iterable", "Mapping", "Sequence") if name in code]
    imports = [f"from collections.abc import {', '.join(collections)}"] if collections else []
    imports += ["from os import PathLike"] if "PathLike" in code else []
    imports += ["from typing import Any"] if "Any" in code else []
    names = sorted(class_name(method["name"]) for method in chosen)
    exported = "".join(f'    "{name}",\n' for name in names)
    parts = [
        f'"""{title}\n\n{MADE}\n"""\n',
        "from __future__ import annotations\n",
        "\n".join(imports) + "\n" if imports else "",
        "import numpy as np\n",
        f"from featherank.{module} import {base}\n",
        f"__all__ = [\n{exported}]\n\n",
        body + "\n",
    ]
    return "\n".join(part for part in parts if part)


def modules() -> dict[str, str]:
    """The text of every generated module by its name."""
    selectors = list(methods("selectors").values())

    def of(category: str) -> list[dict[str, Any]]:
        return [method for method in selectors if method["category"] == category]

    base, module = "RankingSelector", "_selector"
    homes = {"filter": "filters", "wrapper": "wrappers", "embedded": "embedded"}
    names = {class_name(method["name"]): f"featherank.{homes[method['category']]}" for method in selectors}
    return {
        "_names.py": f'"""Where the classes of selectors are.\n\n{MADE}\n"""\n\nSELECTORS = {{\n'
        + "".join(f'    "{name}": "{home}",\n' for name, home in sorted(names.items()))
        + "}\n",
        "filters.py": module_text("Filters: they look at features without training a ranker.", of("filter"), base, module),
        "wrappers.py": module_text("Wrappers: they train a ranker for many subsets.", of("wrapper"), base, module),
        "embedded.py": module_text("Embedded methods: they select while they train.", of("embedded"), base, module),
        "rankers.py": module_text(
            "Rankers: they learn to score documents.",
            list(methods("rankers").values()),
            "RankingEstimator",
            "_ranker",
        ),
    }


def main() -> None:
    """Write all modules."""
    for name, text in modules().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
