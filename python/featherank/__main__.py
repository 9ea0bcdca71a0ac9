"""The ``featherank`` command: ``python -m featherank`` runs the same code as the Rust binary."""

from __future__ import annotations

import signal
import sys

from featherank import _core


def main() -> None:
    """Run the command with this process's arguments and exit with its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # The command handles Ctrl-C itself; Python would raise an exception after it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_core.run_command(["featherank", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
