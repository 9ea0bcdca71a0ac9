"""Settings that must be made before reference libraries are imported."""

from __future__ import annotations

import os
import signal

import pytest

# ranx compiles its measures with numba; on small data, compiling takes longer than interpreting.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

from support import find_binary  # noqa: E402


def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop at once if there is no command to test, instead of failing every test.

    Background jobs of shells ignore SIGINT, and commands that tests start would inherit that.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        find_binary()
    except FileNotFoundError as error:
        pytest.exit(str(error), returncode=1)
