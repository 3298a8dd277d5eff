"""Exceptions: every refusal says where, what came, what was expected and what to do."""

from __future__ import annotations

import difflib
import pickle
from collections.abc import Iterable
from typing import Any

# Characters of a message: what came may be a list of a million. Of a longer one its beginning, which says where, and
# its end, which says what was expected, are kept.
LONGEST, BEGINNING = 6000, 1500


class FlexblocksError(Exception):
    """Base of all errors of flexblocks; they can be pickled.

    What an error carries and cannot travel, such as a plan of an arm with functions of the user, is None in the process
    that unpickles it, where a note of the error says so. Unpickling runs code: open only what comes from where you
    trust.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*(_shortened(arg) if isinstance(arg, str) else arg for arg in args))

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: _packed(value) for name, value in vars(self).items()}
        return _restored, (type(self), tuple(_packed(arg) for arg in self.args), state)


def _shortened(message: str) -> str:
    """Return a message of characters that can be written, without its middle if it is longer than anybody reads."""
    message = message.encode(errors="backslashreplace").decode()  # halves of a character, as "\\ud800" in JSON
    left_out = len(message) - LONGEST
    if left_out <= 0:
        return message
    return f"{message[:BEGINNING]} ... ({left_out} characters) ... {message[BEGINNING + left_out :]}"


Packed = tuple[bytes | None, str]  # a pickle of its own, or why there is none


def _packed(value: Any) -> Packed:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL), ""
    except Exception as error:  # whatever keeps a value of the user, or of a library, from being pickled
        return None, failure(error)


def _restored(kind: type[FlexblocksError], args: tuple[Packed, ...], state: dict[str, Packed]) -> FlexblocksError:
    """Return an error as it was: its constructor may take more than its message."""
    error, reasons = kind.__new__(kind), {}
    error.args = tuple(_unpacked(f"argument {i}", arg, reasons) for i, arg in enumerate(args))
    vars(error).update({name: _unpacked(name, value, reasons) for name, value in state.items()})
    for name, reason in reasons.items():
        error.add_note(f"Its {name} has stayed behind, where it was raised: {reason}")
    return error


def _unpacked(name: str, packed: Packed, reasons: dict[str, str]) -> Any:
    """Return a value; None, with the reason, if it could not be packed, or cannot be unpacked here."""
    content, reason = packed
    if content is not None:
        try:
            return pickle.loads(content)
        except Exception as error:  # such as a module that is not there
            reason = failure(error)
    reasons[name] = reason
    return None


class FlexblocksWarning(UserWarning):
    """Base of all warnings: the result is valid, but may be misread.

    Attributes
    ----------
    kind : str
        Name of its entry in docs/troubleshooting.md, to which its text links.
    """

    kind = ""


class ModelWarning(FlexblocksWarning):
    """A model, a beam or a material is probably not as intended."""


class LargeDeflectionWarning(FlexblocksWarning):
    """Deflections leave the range of linear beam theory."""


class ParameterError(FlexblocksError):
    """A parameter of a block is missing, of the wrong kind or out of its range."""


class ModelError(FlexblocksError):
    """The blocks and connections do not make up a valid arm."""


class NameUnknownError(FlexblocksError):
    """No variable, block or parameter has this name."""


class ArgumentError(FlexblocksError, TypeError):
    """An argument of a public function is of the wrong type, missing or unknown."""


class UnexpectedError(FlexblocksError):
    """A public function ended in an error of Python's own, which is the cause of this one."""


class FileFormatError(FlexblocksError):
    """A file cannot be written, or read in the format expected of it."""


class MissingExtraError(FlexblocksError, ImportError):
    """An optional library is not installed; the message names the extra that brings it."""


class SingularMassError(FlexblocksError):
    """Singular mass matrix: a coordinate moves no mass."""


class ComputationError(FlexblocksError):
    """A computation ended early; what it had computed until then is kept on the error."""


# Likeness of two names from which on one is the other misspelt: two letters changed places in "joint1.angle".
MISSPELT = 0.9


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean x?`` for the known name closest to `name`, or an empty string.

    Unless one is spelled nearly alike, it is the first of the same block: ``px.displacement`` for ``px.position``.
    """
    known = list(known)
    # 0.5 and not difflib's 0.6: of two letters one may be wrong (kp, kd).
    close = {
        other: difflib.SequenceMatcher(None, other, name).ratio()
        for other in sorted(difflib.get_close_matches(name, known, cutoff=0.5))
    }
    best = max(close, key=close.__getitem__, default=None)
    if best is None or close[best] < MISSPELT:
        block = name.rpartition(".")[0] or name
        best = next((other for other in known if other.rpartition(".")[0] == block), best)
    return f" Did you mean {best}?" if best else ""


def suggestion(
    name: object, known: Iterable[str], words: str = "there are", listed: Iterable[str] | None = None
) -> str:
    """Return how a message continues after an unknown name: first what may have been intended, then what there is.

    ``. Did you mean joint1.angle? There are joint1.angle, joint2.angle.``; where nothing is near,
    ``; there are joint1.angle, joint2.angle.``. Of `known` names only `listed` ones are listed, by default all.
    """
    known = list(known)
    return meant(name, known, f"{words} {listing(known if listed is None else listed)}.")


def meant(name: object, known: Iterable[str], told: str) -> str:
    """Return how a message continues after an unknown name, as `suggestion` does; `told` is what else is said."""
    near = nearest(str(name), known)
    return f".{near} {told[:1].upper()}{told[1:]}" if near else f"; {told}"


def listing(names: Iterable[str], most: int = 12) -> str:
    """Return the names in one line, cut after `most` of them: twelve fill a line or two of a terminal."""
    names = list(names)
    more = f", ... ({len(names) - most} more)" if len(names) > most else ""
    return ", ".join(names[:most]) + more or "none"


def failure(error: Exception) -> str:
    """Return what a function of the user raised, in a line."""
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[-1].rstrip('.')}" if said else repr(error)
