"""A progress bar: tqdm if it is installed, otherwise a built-in one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[str, float | None, str], None]
"""Shows the stage, the share of it that is done, if it is known, and its counts and remaining time."""


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
    """One tqdm bar for all stages. The remaining time is the library's: that of tqdm takes all units for equally long."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def show(self, what: str, share: float | None, status: str) -> None:
        if self._bar is None:
            self._bar = self._tqdm(total=1.0, leave=False, bar_format="{desc} {bar} {postfix}")
        self._bar.n = share or 0.0
        self._bar.set_description_str(what, refresh=False)
        self._bar.postfix = status
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _PlainBar:
    """A bar on a terminal; otherwise one line on standard error per stage."""

    _WIDTH = 32

    def __init__(self) -> None:
        self._announced: set[str] = set()
        self._drawn = False

    def show(self, what: str, share: float | None, status: str) -> None:
        if not sys.stderr.isatty():
            if what not in self._announced:
                self._announced.add(what)
                print(what, file=sys.stderr)
            return
        filled = round((share or 0.0) * self._WIDTH)
        bar = "█" * filled + "░" * (self._WIDTH - filled)
        print(f"\r\x1b[K{what} [{bar}] {status}", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def close(self) -> None:
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
