"""The ``featherank`` command: ``python -m featherank`` runs the same code as the Rust binary."""

from __future__ import annotations

import sys

from featherank import _core


def main() -> None:
    """Run the command with this process's arguments and exit with its exit code."""
    sys.exit(_core.run_command(["featherank", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
