"""Rankers of the Python package give the models of the command, byte for byte."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path

import featherank.rankers
import numpy as np
import pytest
from featherank import Model, ndcg_score
from featherank.rankers import LambdaMART, LinearRegression, RankSVMPrimal
from sklearn.base import clone

from ranking_data import RankingData, ranking_data, write_letor
from support import run_ok

QUICK = {"trees": 5, "rounds": 5, "epochs": 5}


@pytest.fixture(scope="module")
def data() -> RankingData:
    return ranking_data(queries=12)


@pytest.fixture(scope="module")
def letor(data: RankingData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_letor(tmp_path_factory.mktemp("letor") / "train.txt", data)


@pytest.mark.parametrize("name", featherank.rankers.__all__)
def test_models_equal_those_of_the_command(name: str, data: RankingData, letor: Path, tmp_path: Path) -> None:
    ranker = getattr(featherank.rankers, name)
    quick = {key: value for key, value in QUICK.items() if key in ranker().get_params()}
    settings = [word for key, value in quick.items() for word in ("-p", f"{key}={value}")]
    run_ok("train", letor, "--ranker", ranker._method, "-o", tmp_path / "model.json", "--quiet", *settings)
    fitted = ranker(**quick).fit(data.X, data.y, qid=data.qid)
    assert fitted.model_.to_json() == (tmp_path / "model.json").read_text()
    scores = run_ok("rank", letor, "--model", tmp_path / "model.json", "--form", "scores")
    assert np.array_equal(fitted.predict(data.X), np.array(scores.split(), dtype=np.float32))


def test_normalised_models_equal_those_of_the_command(data: RankingData, letor: Path, tmp_path: Path) -> None:
    for how in ("query-minmax", "query-zscore", "zscore"):
        run_ok("train", letor, "--ranker", "linear-regression", "--normalise", how, "-o", tmp_path / how, "--quiet")
        fitted = LinearRegression(normaliser=how).fit(data.X, data.y, qid=data.qid)
        assert fitted.model_.to_json() == (tmp_path / how).read_text()
        scores = run_ok("rank", letor, "--model", tmp_path / how, "--form", "scores")
        assert np.array_equal(fitted.predict(data.X, qid=data.qid), np.array(scores.split(), dtype=np.float32))
    with pytest.raises(ValueError, match="`minmax` is not a valid"):
        LinearRegression(normaliser="minmax").fit(data.X, data.y, qid=data.qid)


def test_validation_data_enables_early_stopping(data: RankingData) -> None:
    held_out = ranking_data(queries=6, seed=9)
    valid = (held_out.X, held_out.y, held_out.qid + 100)
    fitted = LambdaMART(trees=300, patience=3).fit(data.X, data.y, qid=data.qid, valid=valid)
    assert len(json.loads(fitted.model_.to_json())["trees"]) < 300


def test_notes_of_training_are_warnings(data: RankingData) -> None:
    held_out = ranking_data(queries=6, seed=9)
    with pytest.warns(UserWarning, match="because there is no validation data") as given:
        LambdaMART().fit(data.X, data.y, qid=data.qid)
    assert __file__ in [one.filename for one in given]
    with pytest.warns(UserWarning, match="patience has no effect"):
        LambdaMART(trees=3, patience=3).fit(data.X, data.y, qid=data.qid)
    with pytest.warns(UserWarning, match="6 validation queries have the id of a training query"):
        LambdaMART(trees=3).fit(data.X, data.y, qid=data.qid, valid=tuple(held_out))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        LambdaMART(trees=3).fit(data.X, data.y, qid=data.qid)
        LambdaMART(trees=3).fit(data.X, data.y, qid=data.qid, valid=(held_out.X, held_out.y, held_out.qid + 100))


def test_models_are_saved_pickled_and_exported(data: RankingData, tmp_path: Path) -> None:
    fitted = LambdaMART(trees=3).fit(data.X, data.y, qid=data.qid)
    fitted.model_.save(tmp_path / "model.json")
    assert Model.load(tmp_path / "model.json").to_json() == fitted.model_.to_json()
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(data.X), fitted.predict(data.X))
    assert fitted.model_.export("lightgbm").startswith(b"tree\n")
    with pytest.raises(ValueError, match="no export target called"):
        fitted.model_.export("lightgmb")


def test_scores_and_importances(data: RankingData) -> None:
    fitted = RankSVMPrimal().fit(data.X, data.y, qid=data.qid)
    scores = fitted.predict(data.X)
    assert fitted.score(data.X, data.y, qid=data.qid) == ndcg_score(data.y, scores, qid=data.qid)
    assert fitted.feature_importances_.shape == (8,)
    assert clone(fitted).get_params() == fitted.get_params()
