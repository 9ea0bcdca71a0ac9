"""Invalid input raises the exceptions of scikit-learn conventions, with remedies for Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from featherank import BestGain, TopK, _core, ndcg_score
from featherank.exceptions import (
    ConstraintError,
    FeatherankError,
    InputError,
    InvalidParameterError,
    NothingCountsError,
    UnknownNameError,
)

from ranking_data import RankingData, ranking_data
from support import run

DATA = ranking_data()


def fit(selector: Any = None, X: Any = DATA.X, y: Any = DATA.y, **queries: Any) -> Any:
    return (selector or TopK()).fit(X, y, **(queries or {"qid": DATA.qid}))


def changed(array: np.ndarray, place: Any, value: Any) -> np.ndarray:
    array = array.astype(np.float64)
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ({"y": DATA.y[:-1]}, ValueError, "inconsistent numbers of samples"),
        ({"y": None}, ValueError, "requires y to be passed"),
        ({"y": changed(DATA.y, 3, -1)}, InputError, r"label -1 is negative\n  --> y\[3\]\n  help: .*leave these rows out"),
        ({"y": changed(DATA.y, 3, np.nan)}, InputError, r"label is NaN, not a finite number\n  --> y\[3\]"),
        ({"y": ["a"] * len(DATA.y)}, ValueError, "could not convert string"),
        ({"X": DATA.X[:, 0]}, ValueError, "Expected 2D array, got 1D array"),
        ({"X": DATA.X[:0], "y": [], "qid": []}, ValueError, r"0 sample\(s\)"),
        ({"X": DATA.X[:, :0]}, ValueError, r"0 feature\(s\)"),
        ({"X": DATA.X[:1], "y": [1], "qid": [1]}, ValueError, r"1 sample\(s\)"),
        ({"X": changed(DATA.X, (2, 5), np.nan)}, InputError, r"the value of feature 6 is NaN, .*\n  --> X\[2, 5\]"),
        ({"X": changed(DATA.X, (2, 5), -np.inf)}, InputError, r"feature 6 is -inf, not a finite number"),
        ({"X": changed(DATA.X, (2, 5), 1e39)}, InputError, r"feature 6 is 1e39, beyond the largest 32-bit"),
        ({"X": DATA.X.astype(str).astype(object) + "x"}, ValueError, "could not convert string to float"),
        ({"X": DATA.X.astype(complex)}, ValueError, "Complex data not supported"),
        ({"qid": DATA.qid[:-1]}, InputError, "query ids of shape"),
        ({"qid": DATA.qid[:, None]}, InputError, "query ids of shape"),
        ({"qid": [None, *DATA.qid[1:].tolist()]}, InputError, r"qid\[0\]"),
        ({"qid": changed(DATA.qid, 0, np.nan)}, InputError, r"this row has no query id\n  --> qid\[0\]"),
        ({"group": DATA.sizes[:-1]}, InputError, r"the query sizes add up to \d+, but there are \d+ rows"),
        ({"group": -DATA.sizes}, InputError, "whole numbers of 0 or more"),
        ({"group": DATA.sizes + 0.5}, InputError, "whole numbers of 0 or more"),
        ({"qid": DATA.qid, "group": DATA.sizes}, InputError, "qid and group were both given"),
        ({"y": np.zeros(len(DATA.y))}, NothingCountsError, "no query has documents of different relevance"),
    ],
)
def test_invalid_data_raises(arguments: dict[str, Any], kind: Any, says: str) -> None:
    if not {"qid", "group"} & set(arguments):
        arguments = {**arguments, "qid": DATA.qid[: np.shape(arguments.get("X", DATA.X))[0]]}
    with pytest.raises(kind, match=says) as raised:
        fit(**arguments)
    assert " --" not in str(raised.value).replace("  --> ", "")


@pytest.mark.parametrize(
    ("selector", "kind", "says"),
    [
        (TopK(k=0), InvalidParameterError, "`0` is not a valid k: expected a whole number of 1 or more"),
        (TopK(k=2.5), InvalidParameterError, "`2.5` is not a valid k"),
        (TopK(k=9), InvalidParameterError, "at most 8, the number of features that may be selected"),
        (TopK(k=1, keep=[0, 1]), ConstraintError, "help: raise k, or keep fewer features"),
        (TopK(keep=[0], drop=[0]), ConstraintError, "name it in keep or in drop, not in both"),
        (TopK(keep=[8]), InvalidParameterError, "`8` is not a valid column in keep: expected 0 to 7, or a name"),
        (TopK(keep="bm25"), InvalidParameterError, "a list of columns or names"),
        (TopK(keep=["bm25"]), UnknownNameError, "there is no feature called `bm25`"),
        (TopK(costs=[1.0]), InvalidParameterError, "1 cost for 8 features"),
        (TopK(costs={0: -1}), InvalidParameterError, "0 or more"),
        (TopK(budget=-1), InvalidParameterError, "a number above 0"),
        (TopK(budget=0.5), ConstraintError, "the budget of 0.5 allows no more; raise budget"),
        (TopK(measure="ndgc@10"), UnknownNameError, "did you mean `ndcg`"),
        (TopK(measure=10), UnknownNameError, "measure called `10`"),
        (TopK(random_state=-1), InvalidParameterError, "not a valid random_state"),
        (TopK(n_jobs=0), InvalidParameterError, "not a valid n_jobs"),
        (TopK(time_limit=0), InvalidParameterError, "not a valid time_limit"),
        (BestGain(delta=2), InvalidParameterError, "`2` is not a valid delta of best-gain: expected 0 to 1"),
        (BestGain(delta=None), InvalidParameterError, "not a valid delta of best-gain"),
    ],
)
def test_invalid_parameters_raise(selector: Any, kind: Any, says: str) -> None:
    with pytest.raises(kind, match=says) as raised:
        fit(selector)
    assert isinstance(raised.value, FeatherankError)
    assert isinstance(raised.value, ValueError)


def test_remedies_name_no_flags_of_the_command() -> None:
    words = _core.remedy_words()
    assert len(words) > 40
    for setting, text in words:
        assert text and "--" not in text and "-p " not in text, (setting, text)
    assert ("Regroup", 'order them with numpy.argsort(qid, kind="stable")') in words
    assert ("K", "k") in words and ("K", "pass k") in words
    assert ('ParameterValue("eta", "auto")', 'pass eta="auto"') in words


def test_every_problem_reads_as_a_sentence_without_flags() -> None:
    texts = _core.problem_texts()
    assert len(texts) > 35
    for text in texts:
        fact, place, remedy = text.splitlines()
        assert place == "  --> train.txt, line 97"
        assert remedy.startswith("  help: ")
        for sentence in (fact, remedy.removeprefix("  help: ")):
            assert re.match(r"[a-z0-9`]", sentence) and not re.search(r"[ .,;:]$", sentence), text
            assert not re.search(r"  | [,;:]| \.(?!\w)|[,;] ?[,;]", sentence), text
            assert sentence.count("`") % 2 == 0 and len(sentence) <= 200, text
        assert "--" not in remedy and " -p " not in remedy, text


def test_scattered_queries_raise_the_error_of_the_command(tmp_path: Path) -> None:
    X, y, qid = np.array([[0.5], [0.1], [0.9]]), [1, 0, 0], [7, 8, 7]
    file = tmp_path / "scattered.txt"
    file.write_text("1 qid:7 1:0.5\n0 qid:8 1:0.1\n0 qid:7 1:0.9\n")
    first_line = run("select", file, "--quiet").stderr.splitlines()[0].removeprefix("error: ")
    with pytest.raises(InputError) as raised:
        TopK().fit(X, y, qid=qid)
    lines = str(raised.value).splitlines()
    assert lines[0] == first_line == "query 7 appears again after other queries"
    assert lines[1] == "  --> qid[2] (first seen at qid[0])"
    assert "numpy.argsort" in lines[2]
    order = np.argsort(qid, kind="stable")
    TopK().fit(X[order], np.array(y)[order], qid=np.array(qid)[order])


def test_non_numeric_columns_raise() -> None:
    frame = pd.DataFrame({"bm25": [0.5, 0.25], "url": ["a", "b"]})
    with pytest.raises(InputError, match="column `url` holds .*, which cannot be a feature"):
        TopK().fit(frame, [1, 0])
    double = pd.DataFrame([[0.5, 1.0], [0.25, 2.0]], columns=["a", "a"])
    with pytest.raises(InputError, match="two columns are called `a`"):
        TopK().fit(double, [1, 0])
    missing = pd.DataFrame({"bm25": pd.array([0.5, None], dtype="Float64")})
    with pytest.raises(InputError, match=r"feature bm25 is NaN, not a finite number\n  --> X\[1, 0\]"):
        TopK().fit(missing, [1, 0])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        TopK().fit(frame[:0], [])


def test_features_that_differ_from_fit_raise(data: RankingData = DATA) -> None:
    names = [f"f{number}" for number in range(8)]
    fitted = TopK(k=2).fit(pd.DataFrame(data.X, columns=names), data.y, qid=data.qid)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.transform(pd.DataFrame(data.X, columns=names[::-1]))
    with pytest.raises(ValueError, match="expecting 8 features"):
        fitted.transform(data.X[:, :3])


def test_measures_reject_inconsistent_input() -> None:
    with pytest.raises(ValueError, match="inconsistent shapes"):
        ndcg_score([1, 0], [0.5])
    with pytest.raises(FeatherankError, match="`NaN` is not a valid score of document 1"):
        ndcg_score([1, 0], [0.5, np.nan])
    with pytest.raises(InputError, match="label -1 is negative"):
        ndcg_score([1, -1], [0.5, 0.1])
    with pytest.raises(FeatherankError, match="gain=linear"):
        ndcg_score([60, 1], [0.5, 0.1])
