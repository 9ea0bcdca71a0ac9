"""The ``featherank`` command, the same as the Rust program: ``python -m featherank``."""

from __future__ import annotations

import sys

from featherank import _core


def main() -> None:
    """Run the command with the arguments of this process and leave with its exit code."""
    sys.exit(_core.run_command(["featherank", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
