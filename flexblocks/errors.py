"""Every refusal of flexblocks: it says where, what came, what was expected and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class FlexblocksError(Exception):
    """Base of all errors raised on purpose by flexblocks."""


class FlexblocksWarning(UserWarning):
    """Base of all warnings: the result stands, but not as it may be read."""


class ParameterError(FlexblocksError):
    """A parameter of a block is missing, of the wrong kind or out of its range."""


class ModelError(FlexblocksError):
    """The blocks and connections do not make up an arm."""


class NameUnknownError(FlexblocksError):
    """A variable, block or parameter name that is not there."""


class FileFormatError(FlexblocksError):
    """A file that cannot be read as what it should be."""


class SingularMassError(FlexblocksError):
    """A coordinate that moves no mass."""


class ComputationError(FlexblocksError):
    """A solver stopped before its end. What it had computed is kept on the error."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean x?`` for the known name closest to `name`, or an empty string."""
    close = sorted(difflib.get_close_matches(name, list(known), cutoff=0.5))
    best = max(close, key=lambda other: difflib.SequenceMatcher(None, other, name).ratio(), default=None)
    return f" Did you mean {best}?" if best else ""


def listing(names: Iterable[str], most: int = 12) -> str:
    """Return the names in one line, cut after `most` of them."""
    names = list(names)
    more = f", ... ({len(names) - most} more)" if len(names) > most else ""
    return ", ".join(names[:most]) + more or "none"
