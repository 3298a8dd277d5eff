"""Parameters of blocks: numbers with a unit and a range, checked when the block is made."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.plausibility import computable, needed


@dataclass(frozen=True)
class Range:
    """A range of admissible values, with its description for messages.

    `low` and `high` are the least and the greatest value, for tools that know closed intervals alone.
    """

    words: str
    holds: Callable[[float], bool]
    low: float = -math.inf
    high: float = math.inf


ANY = Range("a finite number", lambda _: True)
# The least number > 0 that every reader of XML and C knows: subnormal ones are zero to some.
POSITIVE = Range("> 0", lambda value: value > 0, low=sys.float_info.min)
NOT_NEGATIVE = Range(">= 0", lambda value: value >= 0, low=0.0)
NONZERO = Range("different from 0", lambda value: value != 0)
FRACTION = Range(">= 0 and < 1", lambda value: 0 <= value < 1, low=0.0, high=math.nextafter(1.0, 0.0))


@dataclass(frozen=True)
class Quantity:
    """A physical quantity: the unit, range and shape (``()`` is a number) that a parameter must have."""

    symmetric: ClassVar[bool] = False  # whether a matrix of it equals its transpose
    unit: str
    range: Range
    shape: tuple[int, ...] = ()
    optional: bool = False

    def checked(self, where: str, name: str, value: Any) -> Any:
        """Return `value` as float or nested tuples of floats.

        A CasADi symbol passes unchecked: it stands for a number that was checked before.

        Raises
        ------
        ParameterError
            Not a number of this shape, not finite or out of range.
        """
        if isinstance(value, ca.SX) or (value is None and self.optional):
            return value
        unit = f" {self.unit}" if self.unit != "1" else ""
        expected = ("a number" if self.shape == () else f"an array of shape {self.shape}") + (unit and f" in{unit}")
        try:
            array = np.asarray(() if value is None else value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"{where}: {name} = {value!r}; must be {expected}.") from None
        if array.shape != self.shape or not _is_of_numbers(value):
            raise ParameterError(f"{where}: {name} = {value!r}; must be {expected}.")
        if not computable(array):
            raise ParameterError(f"{where}: {name} = {_written(value)}{unit}; must be {needed(array)}.")
        if not all(self.range.holds(entry) for entry in array.flat):
            raise ParameterError(f"{where}: {name} = {_written(value)}{unit}; must be {self.range.words}.")
        return float(array) if self.shape == () else _tuples(array)

    def entry_range(self, shape: tuple[int, ...]) -> Range:
        """Return the range of each entry of a value of this shape, where values of several shapes are taken."""
        return self.range if shape == self.shape else ANY


def parameter(
    unit: str,
    range_: Range = ANY,
    *,
    default: Any = MISSING,
    shape: tuple[int, ...] = (),
    argument: str | None = None,
    symbolic: bool | None = None,
    optional: bool = False,
) -> Any:
    """Declare a field of a block as a physical parameter.

    Parameters
    ----------
    unit : str
        SI; ``"1"`` for a pure number.
    range_ : Range
        Admissible values: `ANY`, `POSITIVE`, `NOT_NEGATIVE`, `NONZERO`, `FRACTION` or a `Range` of your own.
    default : float, sequence or None, optional
        None makes it optional; without a default the user must give it.
    shape : tuple of int
        Of an array; ``()`` is a number.
    argument : str, optional
        Its name for the user, if the field must have another one.
    symbolic : bool, optional
        Whether it can stay a symbol in an assembled arm; by default a number can and an array cannot. False for what
        decides how blocks are joined (the ratio of a gear) and for what appears in no equation (a start value, a
        limit). True for an array whose entries may be symbols wherever the block uses them: it is then an SX of that
        shape, a vector a column.
    optional : bool
        Whether it may be None although it has no default.
    """
    symbolic = shape == () if symbolic is None else symbolic
    quantity = Quantity(unit, range_, shape, optional=optional or default is None)
    return dataclasses.field(
        default=default, metadata={"quantity": quantity, "argument": argument, "symbolic": symbolic}
    )


def choice(words: Sequence[str | bool], *, default: str | bool) -> Any:
    """Declare a field of a block that takes one of a few words, or True or False."""
    return dataclasses.field(default=default, metadata={"choice": tuple(words)})


def argument_name(field: dataclasses.Field) -> str:
    """Return the name by which the user sets a field."""
    return field.metadata.get("argument") or field.name


def checked_fields(where: str, block: Any) -> dict[str, Any]:
    """Return the parameters of `block` in their normal form, or refuse all that are invalid, a line each."""
    checked, told = {}, []
    for field in dataclasses.fields(block):
        try:
            checked[field.name] = _checked_field(where, field, getattr(block, field.name))
        except ParameterError as error:
            told.append(str(error))
    if told:
        raise ParameterError("\n".join(told))
    return checked


def _checked_field(where: str, field: dataclasses.Field, value: Any) -> Any:
    """Return a parameter in its normal form."""
    if "quantity" in field.metadata:
        return field.metadata["quantity"].checked(where, argument_name(field), value)
    if "check" in field.metadata:
        return field.metadata["check"](where, argument_name(field), value)
    if "choice" in field.metadata and value not in field.metadata["choice"]:
        words = ", ".join(repr(word) for word in field.metadata["choice"])
        raise ParameterError(f"{where}: {field.name} = {value!r}; must be one of {words}.")
    return value


def _is_of_numbers(value: Any) -> bool:
    """Whether a number, or all of an array, came as numbers: NumPy makes some of True, b"1" and "1", too."""
    if isinstance(value, (str, bytes, bytearray, bool, np.bool_)):
        return False
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iuf" or (value.dtype.kind == "O" and all(map(_is_of_numbers, value.flat)))
    return not isinstance(value, (list, tuple)) or all(map(_is_of_numbers, value))


def unit_vector(where: str, name: str, value: Sequence[float]) -> tuple[float, ...]:
    """Return `value` scaled to length one; a vector of length zero has no direction and is refused."""
    length = math.sqrt(sum(entry * entry for entry in value))
    if length == 0:
        raise ParameterError(f"{where}: {name} = {_written(value)}; must have a length > 0.")
    if math.isclose(length, 1.0, rel_tol=1e-15):
        return tuple(value)  # dividing again would change the last digit each time a model is saved and loaded
    return tuple(entry / length for entry in value)


def _tuples(array: np.ndarray) -> Any:
    return tuple(_tuples(row) for row in array) if array.ndim else float(array)


def _written(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
