"""Bending stress along a beam: where it is looked for, and the largest of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import casadi as ca

from flexblocks.beam.properties.profile import Distribution
from flexblocks.beam.properties.section import Section
from flexblocks.beam.shapes.internal_forces import Cut
from flexblocks.errors import ParameterError

# Intervals between places at which stress is looked for, if the user names no number: between two of them the moment
# of a static load exceeds theirs by less than 0.8 % of its largest value, that of a third mode by less than 7 %.
INTERVALS = 8
# Every place sees all that is outboard of it, so that expressions grow with the square of their number.
MOST = 40
# Places closer than this share of the length are one.
SAME = 1e-9


def checked_largest_stress(where: str, value: Any, has_section: bool) -> bool | int:
    """Return the option ``largest_stress``, as it stands.

    Raises
    ------
    ParameterError
        It is neither False, True nor a whole number > 0, or the beam has no section.
    """
    if not isinstance(value, int) or (value is not False and not 1 <= value <= MOST):
        raise ParameterError(
            f"{where}: largest_stress = {value!r}; must be True, False or a number of intervals, from 1 to {MOST}."
        )
    if value and not has_section:
        raise ParameterError(
            f"{where}: largest_stress = {value!r} without a section; stress is a moment over a section's modulus: pass "
            "section=fb.Rectangle(...), material=fb.Material(...)."
        )
    return value


def stress_places(option: bool | int, section: Distribution) -> tuple[float, ...]:
    """Return the places x/l at which stress is looked for: evenly spaced ones, and those where the section changes."""
    if option is False:
        return ()
    count = INTERVALS if option is True else option
    return _apart([*section.breaks, *(i / count for i in range(count + 1))])


def joined(cuts: Iterable[Cut], places: Iterable[float]) -> tuple[Cut, ...]:
    """Return the cuts, and those needed besides for the moments at `places`, from the root outward."""
    cuts = tuple(cuts)
    more = [xi for xi in places if all(abs(xi - cut.xi) > SAME for cut in cuts)]
    return tuple(sorted([*cuts, *(Cut(xi, f"stress({xi:.9g}).", hinges_only=True) for xi in more)], key=lambda c: c.xi))


def bending_stress(section: Distribution, xi: float, moment: Mapping[str, ca.SX]) -> ca.SX:
    """Return the largest stress [Pa] in the section at x = xi l by moments [N m]; at a jump that of the weaker side."""
    return largest([side.bending_stress(moment) for side in _sides(section, xi)])


def largest(values: Sequence[ca.SX]) -> ca.SX:
    """Return the largest of several values."""
    return reduce(ca.fmax, values)


def _sides(section: Distribution, xi: float) -> list[Section]:
    table = section.definition if isinstance(section.definition, tuple) else ()
    here = [value for x, value in table if math.isclose(x / section.length, xi, abs_tol=SAME)]
    return here or [section.value(xi)]


def _apart(places: Iterable[float]) -> tuple[float, ...]:
    """Return places in their order, without those that rounding alone keeps apart."""
    kept: list[float] = []
    for place in sorted(places):
        if not kept or place - kept[-1] > SAME:
            kept.append(place)
    return tuple(kept)
