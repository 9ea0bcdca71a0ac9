"""Selectors of the Python package return the results of the command."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import featherank
import numpy as np
import pandas as pd
import pytest
from featherank import SPEA2, AutoSelector, BestGain, TopK
from featherank._names import SELECTORS
from featherank._registry import as_text, methods
from featherank._selector import RankingSelector
from featherank.exceptions import InvalidParameterError, UnknownNameError
from sklearn.base import clone

from ranking_data import CHEAP, RankingData, ranking_data, write_letor
from support import run, run_ok

CLASSES: list[type[RankingSelector]] = [getattr(featherank, name) for name in SELECTORS]


def cheap(selector: type[RankingSelector], **others: object) -> RankingSelector:
    return selector(**CHEAP.get(selector._method, {}), **others)


@pytest.fixture(scope="module")
def data() -> RankingData:
    return ranking_data()


@pytest.fixture(scope="module")
def letor(data: RankingData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_letor(tmp_path_factory.mktemp("letor") / "train.txt", data)


def without_sources(text: str) -> str:
    """A document without the files of the data, which only the command knows, and the checksum of both."""
    content = json.loads(text)
    content.pop("sources", None)
    del content["checksum"]
    return json.dumps(content)


def test_every_registry_entry_has_a_class() -> None:
    assert {one._method for one in CLASSES} == set(methods("selectors"))
    assert AutoSelector._method == "auto"


@pytest.mark.parametrize("selector", CLASSES, ids=lambda one: one.__name__)
def test_selections_equal_those_of_the_command_to_the_last_bit(
    selector: type[RankingSelector], data: RankingData, letor: Path
) -> None:
    settings = [
        word
        for name, value in CHEAP.get(selector._method, {}).items()
        for word in ("-p", f"{name.replace('_', '-')}={as_text(value)}")
    ]
    expected = run_ok("select", letor, "--method", selector._method, "--seed", 7, "--quiet", "--json", *settings)
    fitted = cheap(selector, random_state=7).fit(data.X, data.y, qid=data.qid)
    assert without_sources(fitted.selection_.to_json()) == without_sources(expected)
    ids = [feature["id"] for feature in json.loads(expected)["selected"]]
    assert sorted(ids) == (fitted.get_support(indices=True) + 1).tolist()
    assert np.array_equal(fitted.transform(data.X), data.X[:, fitted.support_])


def test_constraints_equal_those_of_the_command(data: RankingData, letor: Path, tmp_path: Path) -> None:
    costs = tmp_path / "costs.txt"
    costs.write_text("1 5\n3 2.5\n")
    limits = ["--k", 3, "--keep", 6, "--drop", "2", "--costs", costs, "--budget", 5]
    expected = run_ok("select", letor, "--method", "top-k", *limits, "--quiet", "--json")
    fitted = TopK(k=3, keep=[5], drop=[1], costs={0: 5, 2: 2.5}, budget=5).fit(data.X, data.y, qid=data.qid)
    assert without_sources(fitted.selection_.to_json()) == without_sources(expected)


def test_results_do_not_depend_on_threads_or_query_format(data: RankingData) -> None:
    by_ids = BestGain(n_jobs=1).fit(data.X, data.y, qid=data.qid)
    by_sizes = BestGain(n_jobs=2).fit(data.X, data.y, group=data.sizes)
    assert by_ids.selection_ == by_sizes.selection_


@pytest.mark.parametrize("selector", [BestGain, SPEA2, featherank.Hierarchical, featherank.BTFS])
def test_the_order_of_columns_does_not_matter(selector: type[RankingSelector], data: RankingData) -> None:
    width = data.X.shape[1]
    names = [f"x{place * 7 % width}" if width % 7 else f"x{width - place}" for place in range(width)]
    table = pd.DataFrame(data.X, columns=names)
    limits = {"keep": [names[2]], "drop": [names[0]], "costs": {names[3]: 3.0}, "budget": 6.0}
    expected = cheap(selector, **limits).fit(table, data.y, qid=data.qid)
    # Columns and costs by number follow the given order.
    places = {name: place for place, name in enumerate(reversed(names))}
    prices = [3.0 if name == names[3] else 1.0 for name in places]
    numbered = {"keep": [places[names[2]]], "drop": [places[names[0]]], "costs": prices, "budget": 6.0}
    found = cheap(selector, **numbered).fit(table[names[::-1]], data.y, qid=data.qid)
    assert set(found.get_feature_names_out()) == set(expected.get_feature_names_out())
    assert dict(zip(reversed(names), found.ranking_, strict=True)) == dict(zip(names, expected.ranking_, strict=True))
    scores = dict(zip(names, expected.scores_, strict=True))
    assert np.array_equal(found.scores_, [scores[name] for name in reversed(names)], equal_nan=True)


def test_validation_data_gives_the_result_of_the_command(data: RankingData, letor: Path, tmp_path: Path) -> None:
    held_out = ranking_data(queries=10, seed=5)
    file = write_letor(tmp_path / "vali.txt", held_out)
    expected = run_ok("select", letor, "--valid", file, "--method", "l1-svm", "--quiet", "--json")
    fitted = featherank.L1SVM().fit(data.X, data.y, qid=data.qid, valid=tuple(held_out))
    assert without_sources(fitted.selection_.to_json()) == without_sources(expected)
    assert fitted.model_ is not None
    assert json.loads(fitted.model_.to_json())["featherank"] == "model"


@pytest.mark.parametrize("method", [featherank.L1SVM(), featherank.rankers.LambdaMART(trees=3)])
def test_validation_data_with_training_queries_is_refused(data: RankingData, method: featherank.L1SVM) -> None:
    last = data.qid == data.qid[-1]
    part = (data.X[last], data.y[last], data.qid[last])
    with pytest.raises(featherank.exceptions.ProtocolError, match="are also training queries"):
        method.fit(data.X, data.y, qid=data.qid, valid=part)


def test_attributes_of_a_fitted_selector(data: RankingData) -> None:
    fitted = TopK(k=2).fit(data.X, data.y, qid=data.qid)
    assert fitted.support_.sum() == 2
    assert fitted.n_features_in_ == 8
    # Selected features have rank 1; the dead feature is last and has no score.
    assert (fitted.ranking_[fitted.support_] == 1).all()
    assert fitted.ranking_[-1] == fitted.ranking_.max()
    assert np.isnan(fitted.scores_[-1])
    assert np.isfinite(fitted.scores_[:-1]).all()
    order = [step.feature for step in fitted.path_]
    assert [fitted.scores_[feature] for feature in order] == sorted(fitted.scores_[order], reverse=True)
    assert fitted.front_ == []
    assert repr(fitted.selection_).startswith("<selection by top-k: ")


def test_a_search_has_a_front(data: RankingData) -> None:
    fitted = cheap(SPEA2, objectives="e-f").fit(data.X, data.y, qid=data.qid)
    chosen = [member for member in fitted.front_ if member.chosen]
    assert len(chosen) == 1
    assert sorted(chosen[0].features) == fitted.get_support(indices=True).tolist()
    assert chosen[0].objectives["features"] == fitted.support_.sum()


def test_selectors_can_be_cloned_and_pickled(data: RankingData) -> None:
    fitted = featherank.L1SVM(k=3).fit(data.X, data.y, qid=data.qid)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.selection_ == fitted.selection_
    assert again.model_.to_json() == fitted.model_.to_json()
    assert np.array_equal(again.transform(data.X), fitted.transform(data.X))
    unfitted = clone(fitted)
    assert not hasattr(unfitted, "support_")
    assert unfitted.get_params() == fitted.get_params()


def test_a_saved_selection_equals_that_of_the_command(data: RankingData, letor: Path, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    TopK(k=4).fit(data.X, data.y, qid=data.qid).selection_.save(ours)
    run_ok("select", letor, "--method", "top-k", "--k", 4, "-o", theirs, "--quiet")
    assert without_sources(ours.read_text()) == without_sources(theirs.read_text())
    assert run("train", letor, "--ranker", "linear-regression", "--selection", ours, "--quiet").returncode == 0


def test_checkpoints_are_removed_and_time_limits_obeyed(data: RankingData, tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.json"
    cheap(SPEA2, checkpoint=checkpoint).fit(data.X, data.y, qid=data.qid)
    assert not checkpoint.exists()
    endless = SPEA2(generations=10**9, time_limit=0.3, checkpoint=checkpoint).fit(data.X, data.y, qid=data.qid)
    assert endless.selection_["unfinished"]
    assert checkpoint.exists()
    with pytest.raises(featherank.exceptions.TimeLimitError, match="time limit"):
        featherank.GreedyForward(time_limit=1e-6).fit(data.X, data.y, qid=data.qid)


def test_the_verdict_is_that_of_the_command(data: RankingData, letor: Path) -> None:
    settings = {"ranker": "linear-regression", "margin": 0.02}
    fitted = AutoSelector(**settings, k=1, budget=2.5, random_state=7).fit(data.X, data.y, qid=data.qid)
    verdict = fitted.verdict_
    given = ["-p", "ranker=linear-regression", "-p", "margin=0.02", "--k", "1", "--budget", "2.5", "--seed", "7", "--quiet"]
    headline = " ".join(run_ok("select", letor, *given).split("\n\n")[0].split())
    assert verdict.headline in headline
    assert verdict.value in ("shown", "not-shown", "not-tested") and verdict.words in repr(fitted.selection_)
    assert verdict.headline.startswith("Recommendation: keep") == (verdict.value == "shown")
    assert (verdict.cost, verdict.budget) == (1.0, 2.5)
    advice = fitted.selection_["advice"]
    if verdict.value != "not-tested":
        tried = advice["tried"][advice["returned"]]["effectiveness"]
        assert (verdict.difference, verdict.lower_bound) == (tried["mean_difference"], tried["lower_bound"])
    assert TopK(k=1).fit(data.X, data.y, qid=data.qid).verdict_ is None
def test_patterns_and_ranges_select_several_features(data: RankingData) -> None:
    names = [f"bm25.{i}" if i < 3 else f"tf.{i}" for i in range(data.X.shape[1])]
    table = pd.DataFrame(data.X, columns=names)
    fitted = TopK(drop=["bm25.*"]).fit(table, data.y, qid=data.qid)
    assert not fitted.support_[:3].any()
    fitted = TopK(k=3, keep=["1-2"], costs={"tf.*": 2.0, "tf.3": 5.0}).fit(table, data.y, qid=data.qid)
    assert fitted.support_[:2].all()
    with pytest.raises(UnknownNameError, match="did you mean `bm25"):
        TopK(keep=["bm24.*"]).fit(table, data.y, qid=data.qid)
    with pytest.raises(InvalidParameterError, match="two costs"):
        TopK(costs={0: 1.0, "bm25.0": 2.0}).fit(table, data.y, qid=data.qid)
