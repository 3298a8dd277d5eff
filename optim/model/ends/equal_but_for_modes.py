"""States that are equal but for some modes of the arm, as linear constraints."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ...collocation.quasi_static import StaticModes

ROUNDING = 1e-12  # share of its terms below which an entry of a projection is a rounding error


def equal_but_for(
    modes: StaticModes,
    names: Sequence[str],
    one: Sequence[Any],
    other: Sequence[Any],
    leaving_out: Collection[int] = (),
) -> pyo.Constraint:
    """Return the constraints, by coordinate, that two displacements or rates are equal but for `modes`.

    Parameters
    ----------
    modes : StaticModes
    names : sequence of str
        Of the n coordinates.
    one, other : sequence of n numbers or Vars
    leaving_out : collection of int
        Coordinates for which there is to be no constraint.
    """
    n = len(names)
    rest, terms = modes.moving(n), np.eye(n) + np.abs(modes.directions(n)) @ np.abs(modes.amounts(n))
    rows = np.where(np.abs(rest) > ROUNDING * terms, rest, 0.0)

    def equal(_: Any, name: str) -> Any:
        row = rows[names.index(name)]
        return sum(float(row[j]) * (one[j] - other[j]) for j in np.flatnonzero(row).tolist()) == 0

    return pyo.Constraint([names[i] for i in modes.independent(n) if i not in leaving_out], rule=equal)
