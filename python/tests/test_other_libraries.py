"""Cross-validated selection with rankers of LightGBM, XGBoost and CatBoost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from catboost import CatBoostRanker
from featherank import QueryKFold, RankRFECV, RankSFS, TopK, measure_per_query, ndcg_score, rank_scorer
from featherank.rankers import LinearRegression
from lightgbm import LGBMRanker
from sklearn.feature_selection import RFECV
from sklearn.metrics import get_scorer_names, r2_score
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker

from ranking_data import RankingData, ranking_data


@pytest.fixture(scope="module")
def data() -> RankingData:
    return ranking_data(queries=30, features=6, seed=1)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def rankers() -> list[Any]:
    return [
        LGBMRanker(n_estimators=5, min_child_samples=2, verbose=-1, n_jobs=1),
        XGBRanker(n_estimators=5, max_depth=2, n_jobs=1, objective="rank:ndcg"),
        CatBoostRanker(iterations=5, depth=2, verbose=0, thread_count=1, allow_writing_files=False),
        LinearRegression(),
    ]


@pytest.mark.parametrize("ranker", rankers(), ids=lambda one: type(one).__name__)
def test_elimination_keeps_useful_features(ranker: Any, data: RankingData) -> None:
    fitted = RankRFECV(ranker, cv=3, step=2, measure="ndcg@5").fit(data.X, data.y, qid=data.qid)
    assert fitted.support_[0], "the strongest feature"
    assert fitted.cv_results_["n_features"].tolist() == [6, 4, 2, 1]
    assert fitted.n_features_ == fitted.support_.sum() == (fitted.ranking_ == 1).sum()
    assert fitted.transform(data.X).shape == (len(data.y), fitted.n_features_)
    # At the first size, the mean over all queries equals that of an explicit loop.
    by_hand = []
    for train, test in QueryKFold(3).split(data.X, groups=data.qid):
        by_hand.append(measure_per_query("ndcg@5", data.y[test], by(ranker, data, train, test), qid=data.qid[test]))
    assert fitted.cv_results_["mean_test_score"][0] == pytest.approx(np.concatenate(by_hand).mean(), abs=1e-12)


def by(ranker: Any, data: RankingData, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Scores of the test rows by a ranker trained as in its library's documentation."""
    ranker, (X, y, qid) = sklearn.base.clone(ranker), (data.X[train], data.y[train], data.qid[train])
    if isinstance(ranker, LGBMRanker):
        ranker.fit(X, y, group=np.unique(qid, return_counts=True)[1])
    elif isinstance(ranker, CatBoostRanker):
        ranker.fit(X, y, group_id=qid)
    else:
        ranker.fit(X, y, qid=qid)
    return ranker.predict(data.X[test])


@pytest.mark.parametrize("ranker", rankers(), ids=lambda one: type(one).__name__)
def test_sequential_selection_keeps_useful_features(ranker: Any, data: RankingData) -> None:
    frame = pd.DataFrame(data.X[:, [0, 3, 5]], columns=["strong", "medium", "weak"])
    fitted = RankSFS(ranker, n_features_to_select=1, cv=2).fit(frame, data.y, group=data.sizes)
    assert fitted.get_feature_names_out().tolist() == ["strong"]
    backward = RankSFS(ranker, n_features_to_select=2, cv=2, direction="backward").fit(frame, data.y, qid=data.qid)
    assert backward.support_.sum() == 2
    assert len(backward.path_) == 1


def test_sequential_selection_stops_at_the_tolerance(data: RankingData) -> None:
    fitted = RankSFS(LinearRegression(), cv=3, tol=0.005).fit(data.X, data.y, qid=data.qid)
    values = [value for _, value in fitted.path_]
    assert 1 <= len(values) < 6
    assert all(later - earlier >= 0.005 for earlier, later in zip(values, values[1:], strict=False))


def test_rfecv_with_xgbranker_is_silently_wrong_and_rankrfecv_is_not(data: RankingData, routing: None) -> None:
    """scikit-learn gives no warning, but its numbers do not measure the ranking of any query."""
    assert not [name for name in get_scorer_names() if "ndcg" in name or "rank" in name]
    ranker = XGBRanker(n_estimators=5, max_depth=2, n_jobs=1, objective="rank:ndcg", eval_metric="ndcg@20")
    ranker.set_fit_request(qid=True)
    # As in real logs, values differ between queries in ways unrelated to relevance.
    shifts = np.random.default_rng(0).normal(scale=5, size=len(data.sizes))
    data = data._replace(X=data.X + np.repeat(shifts, data.sizes)[:, None].astype(np.float32) * data.X.std(axis=0))
    folds = list(QueryKFold(3).split(data.X, groups=data.qid))
    regression, one_list, true = [], [], []
    for train, test in folds:
        scores = sklearn.base.clone(ranker).fit(data.X[train], data.y[train], qid=data.qid[train]).predict(data.X[test])
        regression.append(r2_score(data.y[test], scores))
        one_list.append(ndcg_score(data.y[test], scores, k=20))
        true.append(measure_per_query("ndcg@20", data.y[test], scores, qid=data.qid[test]))
    truth = np.concatenate(true).mean()

    # RFECV treats a ranker as a regressor and reports R² of scores against labels.
    plain = RFECV(ranker, cv=folds, step=2).fit(data.X, data.y, qid=data.qid)
    assert plain.cv_results_["mean_test_score"][-1] == pytest.approx(np.mean(regression), abs=1e-6)
    assert plain.cv_results_["mean_test_score"][-1] < 0
    # The ranker's own score, as cross-validation uses it, is the NDCG of a whole fold as one list.
    plain = cross_validate(ranker, data.X, data.y, cv=folds, params={"qid": data.qid})["test_score"]
    assert plain == pytest.approx(one_list, abs=1e-6)
    assert abs(np.mean(plain) - truth) > 0.2

    right = RankRFECV(ranker, cv=folds, step=2, measure="ndcg@20").fit(data.X, data.y, qid=data.qid)
    assert right.cv_results_["mean_test_score"][0] == pytest.approx(truth, abs=1e-12)
    # With the scorer, scikit-learn's RFECV is right as well, except that it averages over folds.
    scored = RFECV(ranker, cv=folds, step=2, scoring=rank_scorer("ndcg@20")).fit(data.X, data.y, qid=data.qid)
    assert scored.cv_results_["mean_test_score"][-1] == pytest.approx(np.mean([one.mean() for one in true]), abs=1e-6)


def test_a_pipeline_of_selector_and_lgbmranker_with_routing(data: RankingData, routing: None) -> None:
    selector = TopK(k=3).set_fit_request(qid=True)
    ranker = LGBMRanker(n_estimators=5, min_child_samples=2, verbose=-1, n_jobs=1).set_fit_request(group=True)
    pipeline = Pipeline([("select", selector), ("rank", ranker)])
    pipeline.fit(data.X, data.y, qid=data.qid, group=data.sizes)
    chosen = TopK(k=3).fit(data.X, data.y, qid=data.qid)
    assert np.array_equal(pipeline[0].support_, chosen.support_)
    alone = LGBMRanker(n_estimators=5, min_child_samples=2, verbose=-1, n_jobs=1)
    alone.fit(chosen.transform(data.X), data.y, group=data.sizes)
    assert np.array_equal(pipeline.predict(data.X), alone.predict(chosen.transform(data.X)))


def test_a_pipeline_inside_elimination_without_routing(data: RankingData) -> None:
    ranker = LGBMRanker(n_estimators=5, min_child_samples=2, verbose=-1, n_jobs=1)
    pipeline = Pipeline([("scale", StandardScaler()), ("rank", ranker)])
    fitted = RankRFECV(pipeline, cv=2, step=3, importance_getter="named_steps.rank.feature_importances_")
    assert fitted.fit(data.X, data.y, qid=data.qid).support_[0]


def test_cross_validation_with_scorer_and_splitter(data: RankingData, routing: None) -> None:
    found = cross_validate(
        LinearRegression().set_fit_request(qid=True),
        data.X,
        data.y,
        cv=QueryKFold(3),
        scoring=rank_scorer("ndcg@5"),
        params={"qid": data.qid, "groups": data.qid},
    )
    by_hand = [
        ndcg_score(data.y[test], by(LinearRegression(), data, train, test), qid=data.qid[test], k=5)
        for train, test in QueryKFold(3).split(data.X, groups=data.qid)
    ]
    assert found["test_score"].tolist() == by_hand


def test_grid_search_over_a_selector(data: RankingData, routing: None) -> None:
    steps = [("select", TopK().set_fit_request(qid=True)), ("rank", LinearRegression().set_fit_request(qid=True))]
    search = GridSearchCV(Pipeline(steps), {"select__k": [1, 3]}, cv=GroupKFold(3), scoring=rank_scorer("map"))
    search.fit(data.X, data.y, qid=data.qid, groups=data.qid)
    assert search.best_params_["select__k"] in (1, 3)


def test_folds_hold_whole_queries(data: RankingData) -> None:
    tested = []
    for train, test in QueryKFold(4).split(data.X, groups=data.qid):
        assert not set(data.qid[train]) & set(data.qid[test])
        assert (np.diff(test) > 0).all()
        tested += test.tolist()
    assert sorted(tested) == list(range(len(data.y)))
    with pytest.raises(ValueError, match="the number of queries"):
        list(QueryKFold(31).split(data.X, groups=data.qid))
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        list(QueryKFold(3).split(data.X))


def test_rankers_without_query_arguments_raise(data: RankingData) -> None:
    with pytest.raises(ValueError, match="StandardScaler takes no queries"):
        RankRFECV(StandardScaler()).fit(data.X, data.y, qid=data.qid)
