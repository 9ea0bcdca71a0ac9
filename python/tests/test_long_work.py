"""Long calls release the GIL, stop on Ctrl-C, and show progress."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import types

import pytest
from featherank import SPEA2, TopK
from featherank._progress import progress_bar

from ranking_data import RankingData, ranking_data


@pytest.fixture(scope="module")
def data() -> RankingData:
    return ranking_data()


def test_other_threads_run_during_a_fit(data: RankingData) -> None:
    turns = []
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            turns.append(time.monotonic())
            time.sleep(0.005)

    counter = threading.Thread(target=count)
    counter.start()
    start = time.monotonic()
    SPEA2(generations=10**9, time_limit=1.0, n_jobs=1).fit(data.X, data.y, qid=data.qid)
    end = time.monotonic()
    done.set()
    counter.join()
    during = [turn for turn in turns if start < turn < end]
    # If the fit held the GIL, the other thread would run only before and after it.
    assert len(during) > 20


@pytest.mark.skipif(os.name != "posix", reason="a signal is sent")
def test_ctrl_c_stops_within_a_second(data: RankingData) -> None:
    # A busy machine may be late once, but not three times in a row.
    assert min(seconds_after_ctrl_c(data) for _ in range(3)) < 1


def seconds_after_ctrl_c(data: RankingData) -> float:
    pressed = []

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    # Shells start background processes with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.4, press)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            SPEA2(generations=10**9).fit(data.X, data.y, qid=data.qid)
    finally:
        signal.signal(signal.SIGINT, before)
    return time.monotonic() - pressed[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fit_works_in_a_forked_process(data: RankingData) -> None:
    expected = TopK(k=3).fit(data.X, data.y, qid=data.qid).support_
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.apply_async(fit_support, (data,)).get(timeout=60)
    assert found == expected.tolist()


def fit_support(data: RankingData) -> list[bool]:
    return TopK(k=3).fit(data.X, data.y, qid=data.qid).support_.tolist()


def test_progress_is_shown_if_verbose(data: RankingData, capsys: pytest.CaptureFixture[str]) -> None:
    TopK().fit(data.X, data.y, qid=data.qid)
    assert capsys.readouterr().err == ""
    TopK(verbose=1).fit(data.X, data.y, qid=data.qid)
    assert "choosing features" in capsys.readouterr().err


def test_the_built_in_bar_replaces_tqdm(
    data: RankingData, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    TopK(verbose=1).fit(data.X, data.y, qid=data.qid)
    assert "choosing features" in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress_bar(1) as show:
        assert show is not None
        show("merging rankings", 0.25, "1/4 eta 3s")
    shown = capsys.readouterr().err
    assert "merging rankings [████████" in shown
    assert "1/4 eta 3s" in shown
    assert shown.endswith("\r\x1b[K"), "the bar is wiped away"


class RecordedBar:
    """A bar in place of tqdm's, which remembers what it showed."""

    made: list[RecordedBar] = []

    def __init__(self, **settings: object) -> None:
        self.settings, self.shown = settings, []
        self.n, self.postfix = 0.0, ""
        RecordedBar.made.append(self)

    def set_description_str(self, what: str, refresh: bool) -> None:
        self.what = what

    def refresh(self) -> None:
        self.shown.append((self.what, self.n, self.postfix))

    def close(self) -> None:
        self.shown.append(None)


def test_all_stages_share_one_bar(data: RankingData, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("tqdm.auto")
    module.tqdm = RecordedBar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setattr(RecordedBar, "made", [])
    SPEA2(generations=40, verbose=1).fit(data.X, data.y, qid=data.qid)
    [bar] = RecordedBar.made
    *shown, closed = bar.shown
    assert closed is None
    assert shown[-1][:2] == ("evolving subsets", 1.0)
    assert "41/41" in shown[-1][2]
    shares = [share for what, share, _ in shown if what == "evolving subsets"]
    assert shares == sorted(shares), "the bar never moves back"
    # The remaining time is the library's, which the bar shows as text.
    assert bar.settings["bar_format"] == "{desc} {bar} {postfix}"
    assert {"eta" in status or "s" in status for _, _, status in shown} == {True}


def test_an_error_in_the_callback_stops_the_fit(data: RankingData, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the bar broke")

    monkeypatch.setattr("featherank._progress._TqdmBar.show", fail)
    with pytest.raises(RuntimeError, match="the bar broke"):
        SPEA2(generations=10**9, verbose=1).fit(data.X, data.y, qid=data.qid)
