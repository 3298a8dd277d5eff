"""Criteria of a replay: what miss and what residual energy are negligible, in the arm's own size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.geometry import shape, span
from flexblocks.simulation.trajectory import Trajectory

from ..errors import ProblemError
from ..tolerances import NEGLIGIBLE

SLOWEST = 1e-9  # J: a motion without kinetic energy, back to where it began, has no energy to compare with


@dataclass(frozen=True)
class Criteria:
    """Tolerances at the end of a replay: a miss and a residual energy that are negligible.

    Parameters
    ----------
    miss : float, optional
        Distance of an end point from its target [m]; by default 1e-4 of the arm's reach, 0.1 mm for an arm of 1 m.
    energy : float, optional
        Residual energy [J]; by default 1e-4 of the largest kinetic energy of the motion.

    Raises
    ------
    ProblemError
        Not a positive number.
    """

    miss: float | None = None
    energy: float | None = None

    def __post_init__(self) -> None:
        for name, unit in (("miss", "m"), ("energy", "J")):
            value: Any = getattr(self, name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if value is not None and not (number and 0 < value < float("inf")):
                raise ProblemError(f"Criteria: {name} = {value!r}; must be a number > 0 [{unit}], or None.")


@dataclass(frozen=True)
class Allowed:
    """What is negligible for one arm and motion: a miss [m], a residual energy [J], and a share of its reach [m]."""

    miss: float
    energy: float
    share: float

    def __str__(self) -> str:
        return f"{1e3 * self.miss:.3g} mm, {self.energy:.3g} J"


def allowed(criteria: Criteria, dae: DAE, motions: Sequence[Trajectory]) -> Allowed:
    """Return the criteria for planned motions of an arm, one for each scenario."""
    miss, energy = criteria.miss, criteria.energy
    share = NEGLIGIBLE * reach(dae, motions[0])
    if energy is None:
        energy = max(NEGLIGIBLE * max(float(np.max(motion.energy[:, 0])) for motion in motions), SLOWEST)
    return Allowed(share if miss is None else miss, energy, share)


def reach(dae: DAE, motion: Trajectory) -> float:
    """Return the reach of an arm [m]: the lengths of all its links, and the ways of its slides, at the start.

    An arm without length reaches one metre, in which its angles are the error.
    """
    return span(shape(dae, stations=2)(motion.x[0], motion.p)) or 1.0
