"""Exported models give the scores of featherank in all target systems.

The first three are run. What the others do with a model is written down here as their documentation
and sources have it.
"""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import onnxruntime
import pytest
import xgboost
from exported_models import LINEAR, NAMES, TOLERANCE, TREES, Exported, linear, make_linear, make_trees, trees

from support import PROJECT, run, run_json, run_ok


def lightgbm_scores(path: Path, values: np.ndarray) -> np.ndarray:
    return lightgbm.Booster(model_file=path).predict(values.astype(np.float64))


def not_zero_for_lightgbm(exported: Exported) -> np.ndarray:
    """Rows without values up to 1e-35, which LightGBM reads as 0."""
    tiny = (exported.values != 0) & (np.abs(exported.values) <= 1e-35)
    return ~tiny.any(axis=1)


def xgboost_scores(path: Path, values: np.ndarray) -> np.ndarray:
    named = path.with_suffix(".json")
    named.write_bytes(path.read_bytes())
    booster = xgboost.Booster()
    booster.load_model(named)
    return booster.predict(xgboost.DMatrix(values, missing=np.nan))


def onnx_session(path: Path) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])


def onnx_scores(path: Path, values: np.ndarray) -> np.ndarray:
    """Columns in the order of the metadata."""
    session = onnx_session(path)
    ids = json.loads(session.get_modelmeta().custom_metadata_map["feature_ids"])
    (found,) = session.run(["score"], {"features": values[:, [i - 1 for i in ids]]})
    assert found.shape == (len(values), 1)
    return found[:, 0]


@pytest.mark.parametrize("kind", TREES)
def test_lightgbm_predicts_the_same(tmp_path: Path, kind: str) -> None:
    exported = trees(tmp_path, kind)
    path = exported.export("lightgbm")
    kept = not_zero_for_lightgbm(exported)
    assert kept.sum() > 590
    np.testing.assert_allclose(lightgbm_scores(path, exported.values)[kept], exported.scores[kept], **TOLERANCE)
    booster = lightgbm.Booster(model_file=path)
    assert booster.num_feature() == 6 and booster.num_trees() == 40
    # The format that Vespa reads.
    dumped = booster.dump_model()
    assert dumped["max_feature_idx"] == 5 and len(dumped["tree_info"]) == 40


def test_lightgbm_accepts_data_with_more_columns(tmp_path: Path) -> None:
    exported = trees(tmp_path, "plain")
    wide = np.hstack([exported.values, np.ones((len(exported.values), 4), dtype=np.float32)])
    found = lightgbm_scores(exported.export("lightgbm", "--columns", 10), wide)
    np.testing.assert_allclose(found, exported.scores, **TOLERANCE)


@pytest.mark.parametrize("kind", TREES)
def test_xgboost_predicts_the_same(tmp_path: Path, kind: str) -> None:
    exported = trees(tmp_path, kind)
    found = xgboost_scores(exported.export("xgboost-json"), exported.values)
    np.testing.assert_allclose(found, exported.scores, **TOLERANCE)


@pytest.mark.parametrize("kind", TREES)
def test_the_dump_equals_that_of_xgboost(tmp_path: Path, kind: str) -> None:
    exported = trees(tmp_path, kind)
    booster = xgboost.Booster()
    named = tmp_path / "booster.json"
    named.write_bytes(exported.export("xgboost-json").read_bytes())
    booster.load_model(named)
    ours = json.loads(exported.export("xgboost-dump").read_text())
    theirs = [json.loads(text) for text in booster.get_dump(dump_format="json")]
    labels = {f"f{entry['id'] - 1}": entry.get("name", str(entry["id"])) for entry in exported.features}

    def same(our: dict[str, Any], their: dict[str, Any]) -> None:
        if "leaf" in their:
            assert np.float32(our["leaf"]) == np.float32(their["leaf"])
            return
        assert our["split"] == labels.get(their["split"], their["split"])
        assert np.float32(our["split_condition"]) == np.float32(their["split_condition"])
        directions = [(node["missing"] == node["yes"]) for node in (our, their)]
        assert directions[0] == directions[1]
        assert our["yes"] == our["children"][0]["nodeid"] and our["no"] == our["children"][1]["nodeid"]
        by_id = {child["nodeid"]: child for child in their["children"]}
        same(our["children"][0], by_id[their["yes"]])
        same(our["children"][1], by_id[their["no"]])

    for our, their in zip(ours, theirs, strict=True):
        same(our, their)


@pytest.mark.parametrize("kind", TREES)
def test_onnx_runs_trees(tmp_path: Path, kind: str) -> None:
    exported = trees(tmp_path, kind)
    np.testing.assert_allclose(onnx_scores(exported.export("onnx"), exported.values), exported.scores, **TOLERANCE)


@pytest.mark.parametrize("kind", LINEAR)
def test_onnx_runs_weights(tmp_path: Path, kind: str) -> None:
    exported = linear(tmp_path, kind)
    path = exported.export("onnx", "--name", "mine")
    np.testing.assert_allclose(onnx_scores(path, exported.values), exported.scores, **TOLERANCE)
    about = onnx_session(path).get_modelmeta()
    labels = [entry.get("name", str(entry["id"])) for entry in exported.features]
    assert about.graph_name == "mine" and json.loads(about.custom_metadata_map["features"]) == labels


Scorer = Callable[[np.ndarray], float]


def ranklib_scorer(text: str) -> Scorer:
    """As in RankLib: skip lines that start with #, join the others; features count from 1."""
    body = "".join(line.strip() for line in text.splitlines() if not line.startswith("#"))
    if body.startswith("<ensemble>"):
        found = [(float(tree.get("weight", "nan")), tree[0]) for tree in ElementTree.fromstring(body)]

        def leaf(node: ElementTree.Element, row: np.ndarray) -> float:
            while node[0].tag == "feature":
                feature, threshold = int(node[0].text or ""), np.float32(node[1].text or "")
                assert node[2].get("pos") == "left" and node[3].get("pos") == "right"
                node = node[2] if row[feature - 1] <= threshold else node[3]
            return float(node[0].text or "")

        return lambda row: sum(weight * leaf(root, row) for weight, root in found)
    pairs = [(int(i), float(w)) for i, w in (pair.split(":") for pair in body.split())]
    assert text.startswith("## Linear Regression\n") == any(i == 0 for i, _ in pairs)
    return lambda row: sum(weight if i == 0 else weight * float(row[i - 1]) for i, weight in pairs)


@pytest.mark.parametrize("make, kind", [(trees, "plain"), (trees, "z-scores"), *((linear, kind) for kind in LINEAR)])
def test_ranklib_scores_the_same(tmp_path: Path, make: Callable[[Path, str], Exported], kind: str) -> None:
    exported = make(tmp_path, kind)
    text = exported.export("ranklib").read_text()
    assert re.match(r"## (LambdaMART|Coordinate Ascent|Linear Regression)\n", text)
    scorer = ranklib_scorer(text)
    np.testing.assert_allclose([scorer(row) for row in exported.values], exported.scores, **TOLERANCE)
    ids = [line.split("\t")[0] for line in exported.export("ranklib-features").read_text().splitlines()]
    assert ids == [str(entry["id"]) for entry in exported.features]


def solr_scorer(model: dict[str, Any]) -> Callable[[dict[str, float]], float]:
    """As in Solr: 32-bit arithmetic, with 1e-6 added to every threshold."""
    slack = np.float32(1e-6)

    def normalised(entry: dict[str, Any], row: dict[str, float]) -> np.float32:
        value = np.float32(row[entry["name"]])
        if "norm" not in entry:
            return value
        assert entry["norm"]["class"] == "org.apache.solr.ltr.norm.StandardNormalizer"
        params = entry["norm"]["params"]
        return (value - np.float32(params["avg"])) / np.float32(params["std"])

    if model["class"] == "org.apache.solr.ltr.model.LinearModel":
        weights = model["params"]["weights"]
        return lambda row: sum(weights[e["name"]] * float(normalised(e, row)) for e in model["features"])
    assert model["class"] == "org.apache.solr.ltr.model.MultipleAdditiveTreesModel"
    null_is_zero = model["params"].get("isNullSameAsZero", "true") == "true"

    def leaf(node: dict[str, Any], row: dict[str, float]) -> float:
        while "value" not in node:
            value = np.float32(row[node["feature"]])
            if np.isnan(value) and null_is_zero:
                value = np.float32(0)
            if np.isnan(value):
                node = node[node["missing"]]
            else:
                node = node["left"] if value <= np.float32(node["threshold"]) + slack else node["right"]
        return float(node["value"])

    return lambda row: sum(float(tree["weight"]) * leaf(tree["root"], row) for tree in model["params"]["trees"])


def rows_by_name(exported: Exported) -> list[dict[str, float]]:
    labels = [entry.get("name", str(entry["id"])) for entry in exported.features]
    return [dict(zip(labels, row[exported.columns], strict=True)) for row in exported.values]


@pytest.mark.parametrize("make, kind", [*((trees, kind) for kind in TREES), *((linear, kind) for kind in LINEAR)])
def test_solr_scores_the_same(tmp_path: Path, make: Callable[[Path, str], Exported], kind: str) -> None:
    exported = make(tmp_path, kind)
    keep = ["--keep-missing"] if "missing" in kind else []
    model = json.loads(exported.export("solr", "--name", "mine", *keep).read_text())
    assert model["name"] == "mine"
    scorer = solr_scorer(model)
    found = np.array([scorer(row) for row in rows_by_name(exported)])
    # Solr's linear models have no constant term.
    found += exported.model.get("intercept", 0.0)
    np.testing.assert_allclose(found, exported.scores, **TOLERANCE)


def elasticsearch_scorer(body: dict[str, Any]) -> Callable[[dict[str, float]], float]:
    """As in Elasticsearch: go left below the condition, with missing values as the split says."""
    model = body["model"]["model"]
    definition = json.loads(model["definition"])
    if model["type"] == "model/linear":
        norms = {name: norm["standard"] for name, norm in model.get("feature_normalizers", {}).items()}

        def value(name: str, row: dict[str, float]) -> float:
            norm = norms.get(name, {"mean": 0.0, "standard_deviation": 1.0})
            return float((np.float32(row[name]) - np.float32(norm["mean"])) / np.float32(norm["standard_deviation"]))

        return lambda row: sum(weight * value(name, row) for name, weight in definition.items())
    assert model["type"] == "model/xgboost+json"
    fields = {"nodeid", "depth", "split", "split_condition", "yes", "no", "missing", "children"}

    def leaf(node: dict[str, Any], row: dict[str, float]) -> float:
        depth = 0
        while "leaf" not in node:
            assert set(node) == fields and node["depth"] == depth
            left, right = node["children"]
            assert (left["nodeid"], right["nodeid"]) == (node["yes"], node["no"])
            value = np.float32(row[node["split"]])
            go_left = node["missing"] == node["yes"] if np.isnan(value) else np.float32(node["split_condition"]) > value
            node, depth = (left if go_left else right), depth + 1
        return float(node["leaf"])

    return lambda row: sum(leaf(tree, row) for tree in definition)


@pytest.mark.parametrize("make, kind", [*((trees, kind) for kind in TREES), *((linear, kind) for kind in LINEAR)])
def test_elasticsearch_scores_the_same(tmp_path: Path, make: Callable[[Path, str], Exported], kind: str) -> None:
    exported = make(tmp_path, kind)
    scorer = elasticsearch_scorer(json.loads(exported.export("elasticsearch").read_text()))
    found = np.array([scorer(row) for row in rows_by_name(exported)]) + exported.model.get("intercept", 0.0)
    np.testing.assert_allclose(found, exported.scores, **TOLERANCE)


def test_pruned_feature_sets(tmp_path: Path) -> None:
    exported = Exported(tmp_path, make_linear(1, named=True))
    entries = [{"name": name, "params": ["q"], "template": {"match": {"body": "{{q}}"}}} for name in [*NAMES, "shown"]]
    entries[2] |= {"template_language": "derived_expression", "template": "shown / 2"}
    source = tmp_path / "featureset.json"
    source.write_text(json.dumps({"featureset": {"name": "all", "features": entries}}))
    found = json.loads(exported.export("elasticsearch-featureset", "--featureset", source).read_text())
    assert found == {"featureset": {"features": [entries[1], entries[2], entries[5], entries[6]]}}
    store = [{"name": name, "class": "org.apache.solr.ltr.feature.SolrFeature", "params": {"q": "x"}} for name in NAMES]
    source.write_text(json.dumps(store))
    assert json.loads(exported.export("solr-features", "--featureset", source).read_text()) == [store[1], store[2], store[5]]


def test_models_that_a_target_cannot_represent_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    for model, target, says in [
        (make_linear(1), "lightgbm", "accepts tree models only"),
        (make_linear(1), "xgboost-json", "accepts tree models only"),
        (make_trees(1) | {"scaler": {"normaliser": "query-minmax"}}, "solr", "query-minmax"),
        (make_linear(1), "elasticsearch-featureset", "--featureset"),
        (make_linear(1), "tensorflow", "no export target"),
    ]:
        path.write_text(json.dumps(model))
        done = run("export", path, "--to", target, "-o", tmp_path / "out")
        assert done.returncode == 2 and says in done.stderr, done.stderr
        assert not (tmp_path / "out").exists()


def real_train() -> Path:
    """The first training part of MQ2008, if present; its licence does not allow shipping it."""
    root = Path(os.environ.get("FEATHERANK_DATA", PROJECT.parent / "shared" / "data"))
    found = sorted(root.glob("MQ2008/**/*.txt*")) or sorted(root.glob("OHSUMED/**/*.txt*"))
    if not found:
        pytest.skip(f"no real data at {root}; set FEATHERANK_DATA to run this test")
    return found[0]


def learnt(folder: Path, ranker: str, normalise: str) -> tuple[Path, Path]:
    if ranker not in {entry["name"] for entry in run_json("methods")}:
        pytest.skip(f"there is no ranker {ranker} yet")
    data, path = real_train(), folder / "model.json"
    run_ok("train", data, "--ranker", ranker, "--normalise", normalise, "-o", path)
    return data, path


def real_values(folder: Path, data: Path, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """All values of the data, one column per feature, and featherank's scores."""
    text = folder / "plain.txt"
    run_ok("convert", data, text)
    rows = [line.split("#")[0].split()[2:] for line in text.read_text().splitlines()]
    values = np.array([[cell.split(":")[1] for cell in row] for row in rows], dtype=np.float32)
    scores = run_ok("rank", data, "--model", path, "--form", "scores").split()
    return values, np.array(scores, dtype=np.float64)


@pytest.mark.parametrize("normalise", ["none", "zscore"])
@pytest.mark.parametrize("ranker", ["lambdamart", "linear-regression", "single-feature"])
def test_models_trained_on_real_data(tmp_path: Path, ranker: str, normalise: str) -> None:
    data, path = learnt(tmp_path, ranker, normalise)
    values, scores = real_values(tmp_path, data, path)
    out = tmp_path / "exported"

    def export(target: str) -> Path:
        run_ok("export", path, "--to", target, "-o", out, "--columns", values.shape[1])
        return out

    np.testing.assert_allclose(onnx_scores(export("onnx"), values), scores, **TOLERANCE)
    scorer = ranklib_scorer(export("ranklib").read_text())
    np.testing.assert_allclose([scorer(row) for row in values], scores, **TOLERANCE)
    if json.loads(path.read_text())["model"] == "trees":
        np.testing.assert_allclose(lightgbm_scores(export("lightgbm"), values), scores, **TOLERANCE)
        np.testing.assert_allclose(xgboost_scores(export("xgboost-json"), values), scores, **TOLERANCE)
