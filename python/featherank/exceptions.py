"""What can go wrong, one class a kind. All are `FeatherankError`, and what a user of scikit-learn would catch."""

from __future__ import annotations


class FeatherankError(Exception):
    """Anything that featherank refuses or fails to do."""


class InputError(FeatherankError, ValueError):
    """The data says something that cannot be right."""


class InvalidParameterError(FeatherankError, ValueError):
    """A parameter has a value that it cannot have."""


class UnknownNameError(FeatherankError, ValueError):
    """There is no method, measure, parameter or feature of that name."""


class ConflictError(FeatherankError, ValueError):
    """Things that each make sense, but not together."""


class FileError(FeatherankError, OSError):
    """A file cannot be read or written."""


class DocumentError(FeatherankError, ValueError):
    """A saved selection or model that this release cannot read."""


class TimeLimitError(FeatherankError, TimeoutError):
    """Time was up before the method had an answer."""


class ShardError(FeatherankError, RuntimeError):
    """A shard of a cluster was lost, or could not do what it was asked.

    Attributes
    ----------
    shard : int
        Its number, from 1, where that is known; else 0.
    """

    def __init__(self, message: str, shard: int = 0) -> None:
        super().__init__(message)
        self.shard = shard
