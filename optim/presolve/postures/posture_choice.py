"""Choice among the postures that are solved for: the nearest one that is fit for a start or a goal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexblocks.validity.large_deflections import large_deflections

from ...tolerances import ROUNDING
from ..rigid_motion.quasi_static_path import follows_from_balance, quasi_static_path
from .admissible import Admissible
from .posture_program import PostureProgram

FIT = 3  # conditions


def nearest_fit(program: PostureProgram, admissible: Admissible) -> tuple[np.ndarray, float] | None:
    """Return the nearest posture (ns,) that is fit, with its distance; if none is, of those that are most so.

    None if there is no posture. It is fit if it is admissible, bends beams no farther than their theory goes, and
    equilibria lead there. Linear beams that are bent by a tenth of their length balance in postures that no arm has,
    with much force and all over the linkage; a boom of 30 m had one 1 % nearer than the one intended. Beyond
    the dead centre of a cylinder, which has the same lengths there, the light end of a boom is often near, too.
    """
    nearest: dict[int, tuple[np.ndarray, float]] = {}  # by how many conditions it meets
    for one in _distinct(program.solutions()):
        met = _conditions_met(program, one[0], admissible)
        nearest.setdefault(met, one)
        if met == FIT:
            break
    return nearest[max(nearest)] if nearest else None


def _conditions_met(program: PostureProgram, s: np.ndarray, admissible: Admissible) -> int:
    """Return how many of the conditions a posture meets before the first that it does not, the cheapest first."""
    dae, point = program.dae, program.point(s)
    if not admissible.keeps_path(point):
        return 0
    if large_deflections(dae, point.x[None], point.z[None], point.u[None], point.p, at_rest=True):
        return 1
    if follows_from_balance(dae) and quasi_static_path(dae, program.near, point, ()) is None:
        return 2
    return FIT


def _distinct(postures: Iterator[tuple[np.ndarray, float]]) -> Iterator[tuple[np.ndarray, float]]:
    """Yield the postures, which come by their distances, each once."""
    last = None
    for one in postures:
        if last is None or one[1] - last > ROUNDING * max(1.0, last):
            last = one[1]
            yield one
