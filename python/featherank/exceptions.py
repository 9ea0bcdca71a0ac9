"""The exceptions that featherank raises, one class for each kind of error.

All of them are `FeatherankError`, and also the built-in exception that scikit-learn would raise in
their place.
"""

from __future__ import annotations


class FeatherankError(Exception):
    """Base class of all errors of featherank."""


class InputError(FeatherankError, ValueError):
    """The data is wrong or ambiguous."""


class InvalidParameterError(FeatherankError, ValueError):
    """A parameter has a value out of range."""


class UnknownNameError(FeatherankError, ValueError):
    """There is no method, measure, parameter or feature of that name."""


class SettingsError(FeatherankError, ValueError):
    """Settings exclude each other, or lack one that they need."""


class ConstraintError(FeatherankError, ValueError):
    """``keep``, ``drop``, ``k`` and ``budget`` contradict each other or the data."""


class ProtocolError(FeatherankError, ValueError):
    """The data does not fit the evaluation protocol: folds, splits or validation data."""


class PlanError(FeatherankError, ValueError):
    """A comparison is described wrongly: nothing to compare, a method named twice, no ranker."""


class UnsupportedError(FeatherankError, ValueError):
    """The method, model, format or engine cannot do this, for example with missing values."""


class NothingCountsError(FeatherankError, ValueError):
    """No query counts: the measure skips all of them, or their labels do not vary."""


class NothingSelectedError(FeatherankError, ValueError):
    """The method finished without a feature to select."""


class MismatchError(FeatherankError, ValueError):
    """Data sets that must agree differ, for example in their features."""


class NumericalError(FeatherankError, ArithmeticError):
    """A computation diverged, did not converge or left the range of its numbers."""


class MessageError(FeatherankError, ValueError):
    """Bytes exchanged between shards that this release cannot read."""


class InternalError(FeatherankError, RuntimeError):
    """A defect of featherank; please report it."""


class FileError(FeatherankError, OSError):
    """A file cannot be read or written."""


class DocumentError(FeatherankError, ValueError):
    """A saved document or results folder of another kind, version or run."""


class TimeLimitError(FeatherankError, TimeoutError):
    """The time limit was reached before the method had a result."""


class ShardError(FeatherankError, RuntimeError):
    """A shard of a cluster was lost or failed.

    Attributes
    ----------
    shard : int
        Its number, from 1; 0 if it is not known.
    """

    def __init__(self, message: str, shard: int = 0) -> None:
        super().__init__(message)
        self.shard = shard
