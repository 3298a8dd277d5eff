"""Unit definitions of FMI: exponents of the SI base units."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")

# Exponents of the derived units that occur in blocks.
DERIVED: Mapping[str, Mapping[str, int]] = {
    "1": {},
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "C": {"A": 1, "s": 1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "F": {"kg": -1, "m": -2, "s": 4, "A": 2},
    "Wb": {"kg": 1, "m": 2, "s": -2, "A": -1},
    "T": {"kg": 1, "s": -2, "A": -1},
}
DERIVED = DERIVED | {"Ohm": DERIVED["ohm"]} | {unit: {unit: 1} for unit in BASE}

# A power follows a unit or a closing bracket.
TOKEN = re.compile(
    r"(?P<unit>[A-Za-z]+|1)(?P<power>-?\d+)?|(?P<open>\()|(?P<close>\))(?P<outer>-?\d+)?|(?P<over>/)|[ .*]+"
)


def base_exponents(unit: str) -> dict[str, int] | None:
    """Return the nonzero exponents of the SI base units in a unit; None for an unknown unit.

    A space, a dot or an asterisk multiplies, a slash divides by the single factor or bracket that follows it, a number
    after a unit or a bracket is its power: ``"N m/rad"``, ``"kg m2"``, ``"rad/(N m)3"``.

    Examples
    --------
    >>> base_exponents("N m/rad")
    {'kg': 1, 'm': 2, 's': -2, 'rad': -1}
    """
    groups: list[Counter[str]] = [Counter()]  # the product so far, at each depth of brackets
    signs = [1]  # of the next factor, at each depth
    position = 0
    while position < len(unit):
        token = TOKEN.match(unit, position)
        if token is None or (token["unit"] and token["unit"] not in DERIVED) or (token["close"] and len(groups) == 1):
            return None
        position = token.end()
        if token["open"]:
            groups.append(Counter())
            signs.append(1)
        elif token["over"]:
            signs[-1] = -1
        elif token["unit"] or token["close"]:
            factor = groups.pop() if token["close"] else DERIVED[token["unit"]]
            if token["close"]:
                signs.pop()
            power = signs[-1] * int(token["power"] or token["outer"] or 1)
            signs[-1] = 1
            for base, exponent in factor.items():
                groups[-1][base] += power * exponent
    if len(groups) > 1:
        return None
    return {base: groups[0][base] for base in BASE if groups[0][base]}


def modelica_unit(unit: str) -> str:
    """Return a unit in the notation of Modelica, which FMI recommends: ``N.m/rad``."""
    return re.sub(r"\s+", ".", unit.strip())
