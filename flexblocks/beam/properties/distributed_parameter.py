"""Distributed parameters: those that may vary along a beam, checked when the block is made."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import casadi as ca

from flexblocks.beam.properties.section import Section
from flexblocks.errors import ParameterError, failure
from flexblocks.interfaces import NOT_NEGATIVE, POSITIVE, Quantity, Range

# Where a function is sampled to check its values, in units of the length: both ends, the middle, and unevenly between,
# so that a periodic function is not met at its zeros or its crests alone.
PLACES = (0.0, 0.05, 0.21, 0.37, 0.5, 0.63, 0.79, 0.95, 1.0)


@dataclasses.dataclass(frozen=True)
class DistributedQuantity(Quantity):
    """A distributed quantity: a number, a function of x that returns one, or a table of (x, value).

    With `unit` "" it is a section in place of a number. A `word` is accepted as well. Of a `uniform` one functions and
    tables are refused.
    """

    word: str = ""
    uniform: bool = False

    def checked(self, where: str, name: str, value: Any) -> Any:
        """Return a number as float and a table as tuple of pairs; functions pass.

        Raises
        ------
        ParameterError
            It is something else.
        """
        if self.word and value == self.word:
            return value
        if self.uniform and (callable(value) or (isinstance(value, Sequence) and not isinstance(value, str))):
            raise ParameterError(f"{where}: {name} = {value!r}; must be {self.words}.")
        if value is None or isinstance(value, (ca.SX, Section)) or callable(value):
            return self._checked_kind(where, name, value)
        if isinstance(value, Sequence) and not isinstance(value, str):
            rows = [self._row(where, name, row) for row in value]
            if len(rows) < 2:
                raise ParameterError(f"{where}: {name} = {value!r}; a table needs two points (x, value) at least.")
            return tuple(rows)
        if not self.unit or isinstance(value, str):
            raise ParameterError(f"{where}: {name} = {value!r}; must be {self.words}.")
        return super().checked(where, name, value)

    @property
    def words(self) -> str:
        what = f"number in {self.unit}" if self.unit else "section, such as fb.Rectangle(width, height)"
        word = f", or {self.word!r}" if self.word else ""
        if self.uniform:
            return f"a {what}{word}, the same all along this beam, which is uniform"
        return f"a {what}, a function of x that returns one, or a table of (x, value){word}"

    @property
    def _least(self) -> Range:
        """The range at the tip, where zero is allowed too: a beam may end in a point."""
        return NOT_NEGATIVE if self.range is POSITIVE else self.range

    def _checked_kind(self, where: str, name: str, value: Any) -> Any:
        if isinstance(value, Section) and self.unit:
            raise ParameterError(f"{where}: {name} = {value!r}; must be {self.words}.")
        return value

    def _row(self, where: str, name: str, row: Any) -> tuple[float, Any]:
        if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != 2:
            raise ParameterError(f"{where}: {name}: {row!r} in the table; must be a pair (x, value).")
        place = Quantity("m", NOT_NEGATIVE).checked(where, f"{name}: x in the table", row[0])
        if not self.unit:
            if not isinstance(row[1], Section):
                raise ParameterError(f"{where}: {name}: {row[1]!r} at x = {place:g} m; must be a section.")
            return place, row[1]
        # Whether zero is allowed here depends on the length, which is checked later.
        return place, Quantity(self.unit, self._least).checked(where, f"{name} at x = {place:g} m", row[1])

    def check_over(self, where: str, name: str, value: Any, length: float) -> None:
        """Refuse a table that does not fit the length, and a function with values out of range.

        Raises
        ------
        ParameterError
            Says where along the beam.
        """
        if isinstance(value, tuple):
            self._check_table(where, name, value, length)
        if callable(value):
            if not takes_a_place(value):
                raise ParameterError(f"{where}: {name} = {value!r}; must be a function of one argument, x [m].")
            for xi in PLACES:
                asked = value_at(value, xi * length, f"{where}: {name}", "m")
                self._check_value(where, name, asked, xi * length, at_tip=xi == 1.0)

    def _check_table(self, where: str, name: str, rows: tuple[tuple[float, Any], ...], length: float) -> None:
        places = [x for x, _ in rows]
        if places[0] != 0 or not math.isclose(places[-1], length, rel_tol=1e-9):
            raise ParameterError(
                f"{where}: {name}: the table goes from x = {places[0]:g} m to {places[-1]:g} m; "
                f"must go from 0 to the length, {length:g} m."
            )
        if any(b < a for a, b in pairwise(places)) or any(a == b for a, b in zip(places, places[2:], strict=False)):
            raise ParameterError(
                f"{where}: {name}: x in the table = {places}; must increase, with at most two points at one x (a jump)."
            )
        for x, value in rows:
            self._check_value(where, name, value, x, at_tip=x == places[-1])
        for (x, inner), (end, outer) in pairwise(rows):
            if type(inner) is not type(outer) and end > x:
                raise ParameterError(
                    f"{where}: {name}: {type(inner).__name__} at x = {x:g} m, {type(outer).__name__} at {end:g} m; "
                    "between two points must be sections of one kind (two points at one x are a jump)."
                )

    def _check_value(self, where: str, name: str, value: Any, x: float, at_tip: bool) -> None:
        if not self.unit:
            if not isinstance(value, Section):
                raise ParameterError(f"{where}: {name} is {value!r} at x = {x:g} m; must be a section.")
            return
        quantity = Quantity(self.unit, self._least if at_tip else self.range)
        quantity.checked(where, f"{name} at x = {x:g} m", value)


def value_at(function: Callable[..., Any], x: float, where: str, unit: str = "") -> Any:
    """Return what a function of the user gives at a place.

    Raises
    ------
    ParameterError
        The function fails.
    """
    try:
        return function(x)
    except Exception as error:  # it may raise anything
        place = f"{x:g} {unit}".rstrip()
        raise ParameterError(f"{where}: the function fails at {place}: {failure(error)}.") from error


def takes_a_place(function: Callable[..., Any]) -> bool:
    """Whether a function can be called with one number."""
    try:
        inspect.signature(function).bind(0.0)
    except TypeError:
        return False
    except ValueError:  # what is written in C has no signature, but for its documentation
        return True
    return True


def distributed(unit: str, range_: Range = POSITIVE, word: str = "", uniform: bool = False) -> Any:
    """Declare an optional distributed parameter; with unit "" a section. It may also be a `word`.

    A `uniform` one is the same all along: neither a function of x nor a table.
    """
    quantity = DistributedQuantity(unit, range_, optional=True, word=word, uniform=uniform)
    return dataclasses.field(default=None, metadata={"quantity": quantity})


def check_length_kept(where: str, block: Any) -> None:
    """Refuse another length of a block with functions of x, which were evaluated along the length it was built with.

    Raises
    ------
    ParameterError
    """
    for field in dataclasses.fields(block):
        if isinstance(field.metadata.get("quantity"), DistributedQuantity) and callable(getattr(block, field.name)):
            raise ParameterError(
                f"{where}: another length than {block.length:g} m, and {field.name} is a function of x, which was "
                "evaluated along that length; build the arm anew with the other one, or give a number."
            )


def check_over(where: str, block: Any, length: float) -> None:
    """Check all distributed parameters of a block against its length."""
    for field in dataclasses.fields(block):
        quantity = field.metadata.get("quantity")
        if isinstance(quantity, DistributedQuantity):
            quantity.check_over(where, field.name, getattr(block, field.name), length)
