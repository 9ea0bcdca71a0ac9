"""A progress bar: tqdm if it is installed, otherwise a built-in one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[str, int, int | None], None]


@contextmanager
def progress_bar(verbose: int) -> Iterator[Progress | None]:
    """A callback that shows progress, or None if ``verbose`` is 0."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        bar: _TqdmBar | _PlainBar = _PlainBar()
    else:
        bar = _TqdmBar(tqdm)
    try:
        yield bar.show
    finally:
        bar.close()


class _TqdmBar:
    """One tqdm bar per activity, one after the other."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._what = ""

    def show(self, what: str, done: int, total: int | None) -> None:
        if self._bar is None or what != self._what:
            self.close()
            self._bar, self._what = self._tqdm(desc=what, total=total, leave=False), what
        self._bar.total = total
        self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _PlainBar:
    """A bar on a terminal; otherwise one line on standard error per activity."""

    _WIDTH = 32

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._announced: set[str] = set()
        self._drawn = False

    def show(self, what: str, done: int, total: int | None) -> None:
        if not sys.stderr.isatty():
            if what not in self._announced:
                self._announced.add(what)
                print(what, file=sys.stderr)
            return
        share = done / total if total else 0.0
        filled = round(share * self._WIDTH)
        bar = "█" * filled + "░" * (self._WIDTH - filled)
        seconds = time.monotonic() - self._start
        print(f"\r\x1b[K{what} [{bar}] {done}/{total or '?'} {seconds:.0f} s", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def close(self) -> None:
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
