"""A Ray cluster gives the results of one machine, even if shards are lost."""

import doctest
import functools
import json
import random
import signal
import subprocess
import sys
import threading
import time

import featherank.ray
import psutil
import pytest
import ray as ray_itself
from featherank import L1SVM, MRMR, SPEA2, AutoSelector, BestGain, GreedyRankRLS, MOFSRank, TopK, exceptions
from ray.cluster_utils import Cluster

from support import PROJECT, answer_of, run, run_json, run_ok

CLASSES = {chosen._method: chosen for chosen in [BestGain, GreedyRankRLS, L1SVM, MRMR, SPEA2, TopK]}

# Methods of every kind with fast settings.
METHODS = {
    "top-k": ["--k", "7"],
    "best-gain": [],
    "mrmr": ["--k", "9"],
    "greedy-rankrls": ["--k", "5"],
    "l1-svm": ["--k", "6"],
    "spea2": ["-p", "population=10", "-p", "archive=10", "-p", "generations=3"],
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Data shaped like web10k, in files that split queries, and the same data in one file."""
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("data")
    run_ok("synth", "-o", folder, "--preset", "web10k", "--format", "parquet", "--set", "queries=250", "--set", "documents=36000")
    table = pq.read_table(folder / "train.parquet")
    parts = folder / "parts"
    parts.mkdir()
    third = len(table) // 3
    for number, start in enumerate(range(0, len(table), third + 1)):
        pq.write_table(table.slice(start, third + 1), parts / f"part-{number}.parquet", row_group_size=4000)
    return folder


@pytest.fixture(scope="module")
def cluster():
    """Two nodes with enough logical cores for one to take over from the other."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 4, "include_dashboard": False})
    cluster.add_node(num_cpus=4)
    cluster.wait_for_nodes()
    ray_itself.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray_itself.shutdown()
    cluster.shutdown()


@functools.cache
def local(data, method):
    return answer_of(run_json("select", data / "train.parquet", "--method", method, *METHODS[method]))


def selector(method):
    """The selector of the command's method with the same settings."""
    settings = METHODS[method]
    params = dict(setting.split("=") for setting in settings if "=" in setting)
    keywords = {name: int(value) for name, value in params.items()}
    if "--k" in settings:
        keywords["k"] = int(settings[settings.index("--k") + 1])
    return CLASSES[method](**keywords)


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_results_equal_those_of_one_machine(data, cluster, shards):
    with featherank.ray.open(data / "parts" / "*.parquet", shards=shards) as rows:
        assert rows.n_shards == shards and rows.shape[1] == 136 and "shards" in repr(rows)
        for method in METHODS:
            found = selector(method).fit(rows)
            assert answer_of(found.selection_) == local(data, method), method


def shard_processes():
    every = psutil.process_iter(["cmdline"])
    return [process for process in every if "ray::_Shard" in " ".join(process.info["cmdline"] or [])]


# Number of shards that are killed.
KILLS = 6


def kill_some(killed, draws):
    """Kill shards repeatedly, sometimes while a replacement is still starting."""
    while len(killed) < KILLS:
        time.sleep(draws.uniform(0.5, 4.0))
        victims = shard_processes()
        if victims:
            victim = draws.choice(victims)
            try:
                victim.send_signal(signal.SIGKILL)
                killed.add(victim.pid)
            except psutil.NoSuchProcess:
                pass


def test_killing_shards_does_not_change_results(data, cluster):
    search = selector("spea2").set_params(generations=30)
    with featherank.ray.open(data / "parts" / "*.parquet", shards=2, restarts=1000) as rows:
        expected = dict(search.fit(rows).selection_)
        killed = set()
        killer = threading.Thread(target=kill_some, args=(killed, random.Random(5)), daemon=True)
        killer.start()
        while len(killed) < KILLS:
            assert dict(search.fit(rows).selection_) == expected
        assert dict(search.fit(rows).selection_) == expected


def test_losing_a_node_does_not_change_results(data, cluster):
    node = cluster.add_node(num_cpus=4)
    with featherank.ray.open(data / "parts" / "*.parquet", shards=6) as rows:
        calm = selector("spea2").fit(rows)
        removal = threading.Timer(0.3, lambda: cluster.remove_node(node, allow_graceful=False))
        removal.start()
        found = selector("spea2").set_params(generations=40).fit(rows)
        removal.join()
        again = selector("spea2").fit(rows)
    assert dict(again.selection_) == dict(calm.selection_)
    assert found.selection_["selected"]


def test_a_shard_lost_too_often_raises_with_the_checkpoint(data, cluster, tmp_path):
    checkpoint = tmp_path / "search.json"
    with featherank.ray.open(data / "parts" / "*.parquet", shards=2, restarts=0) as rows:
        threading.Timer(1.0, lambda: shard_processes()[0].kill()).start()
        with pytest.raises(exceptions.ShardError, match=r"(?s)shard [12]: .*more often than 0 times.*resume from .*search.json"):
            SPEA2(generations=5000, checkpoint=checkpoint).fit(rows)
    with featherank.ray.open(data / "parts" / "*.parquet", shards=1) as rows:
        found = SPEA2(generations=5000, checkpoint=checkpoint, time_limit=1).fit(rows)
    assert found.selection_["selected"]


def test_methods_that_need_rows_raise(data, cluster):
    with featherank.ray.open(data / "parts" / "*.parquet", shards=1) as rows:
        with pytest.raises(exceptions.UnsupportedError, match="mofsrank"):
            MOFSRank().fit(rows)
        with pytest.raises(exceptions.InvalidParameterError, match="leave out y, qid"):
            TopK(k=2).fit(rows, [1, 2, 3])
        assert L1SVM(k=3).fit(rows, valid=rows).support_.sum() == 3
    with pytest.raises(exceptions.ShardError, match="closed"):
        TopK(k=2).fit(rows)


@pytest.mark.parametrize("scheme", ["file://", "local://"])
def test_urls_are_read_like_paths(data, cluster, scheme):
    with featherank.ray.open(f"{scheme}{data}/parts/*.parquet", shards=2) as rows:
        found = TopK(k=7).fit(rows)
    assert answer_of(found.selection_) == local(data, "top-k")


def test_errors_name_the_cause_and_hide_credentials(data, cluster, tmp_path):
    import pyarrow.parquet as pq

    with pytest.raises(exceptions.FileError, match="no file is called nothing"):
        featherank.ray.open("nothing*.parquet")
    with pytest.raises(exceptions.ShardError, match="none.parquet"):
        featherank.ray.open("none.parquet", shards=1)
    for keywords in [{"shards": 0}, {"memory": "many"}, {"restarts": -1}]:
        with pytest.raises(exceptions.InvalidParameterError):
            featherank.ray.open(data / "train.parquet", **keywords)
    with pytest.raises(exceptions.ShardError) as error:
        featherank.ray.open("ftp://me:hush@127.0.0.1:1/a.parquet?token=hush", shards=1)
    assert "hush" not in repr(error.value)
    address = "see s3://me:hush@host/a.parquet?token=hush, or else"
    assert featherank.ray._without_secrets(address) == "see s3://host/a.parquet or else"
    table = pq.read_table(data / "train.parquet")
    shuffled = table.take([*range(0, len(table), 2), *range(1, len(table), 2)])
    pq.write_table(shuffled, tmp_path / "shuffled.parquet")
    with pytest.raises(exceptions.InputError, match="appears again") as error:
        featherank.ray.open(tmp_path / "shuffled.parquet", shards=2)
    # The suggested command works.
    recipe = str(error.value).split('"')[1].replace("data/*.parquet", str(tmp_path / "shuffled.parquet"))
    exec(recipe.replace("sorted.parquet", str(tmp_path / "sorted.parquet")))
    with featherank.ray.open(tmp_path / "sorted.parquet", shards=2) as rows:
        assert rows.n_queries == TopK(k=1).fit(rows).selection_["data"]["queries"]


def test_examples_of_the_scale_page_run(cluster, tmp_path, monkeypatch):
    run_ok("synth", "-o", tmp_path / "data", "--format", "parquet", "--set", "queries=300", "--set", "documents=15000")
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(PROJECT / "docs" / "scale.md"), module_relative=False)
    assert found.attempted > 3 and found.failed == 0


def test_threads_may_send_requests_concurrently(data, cluster):
    """`auto` runs its folds in parallel."""
    settings = {"ranker": "rankrls", "methods": "elimination,top-k", "k": 20, "repetitions": 1}
    with featherank.ray.open(data / "parts" / "*.parquet", shards=2) as rows:
        found = AutoSelector(**settings).fit(rows)
    words = ["--ranker", "rankrls", "-p", "methods=elimination,top-k", "-p", "repetitions=1", "--k", "20"]
    assert answer_of(found.selection_) == answer_of(run_json("select", data / "train.parquet", *words))


def test_the_command_runs_on_a_cluster(data, cluster):
    def command(*words):
        words = [sys.executable, "-m", "featherank", *words, "--json", "--quiet"]
        return subprocess.run(words, capture_output=True, text=True, timeout=120)

    shards = ["--engine", f"ray://{cluster.address}", "--shards", "2"]
    select = ["select", data / "train.parquet", "--method", "top-k", "--k", "7"]
    done = command(*select, *shards)
    assert done.returncode == 0, done.stderr
    assert answer_of(json.loads(done.stdout)) == local(data, "top-k")
    evaluate = ["evaluate", data / "test.parquet", "--feature", "5", "--feature", "9", "--risk", "--baseline", "mean"]
    done = command(*evaluate, *shards)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == run_json(*evaluate)
    refused = command(*select, "--engine", "spark")
    assert refused.returncode == 2 and "local, ray or ray://ADDRESS" in refused.stderr
    alone = run("select", data / "train.parquet", "--method", "top-k", "--engine", "ray")
    assert alone.returncode == 2 and "featherank[ray]" in alone.stderr
