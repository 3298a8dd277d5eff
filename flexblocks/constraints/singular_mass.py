"""Singular mass matrices: coordinates that move no mass and so have no equation of motion."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from flexblocks.constraints.coordinate_ranges import coordinate_bounds
from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.constraints.posture import posture
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import NAMED, is_massless, mass_at_posture, weakest_motion
from flexblocks.dynamics.at_posture.massless_coordinates import massless_coordinate
from flexblocks.errors import SingularMassError

# Phases of the generic steps from the start posture: of two steps one moves each coordinate well.
PHASES = (1.0, 2.5)
# Part of a range that a generic posture stays away from its ends.
MARGIN = 0.01
# From so many coordinates on a tree is large: pivots take a third of the time of a dense M there.
LARGE = 100
# Coordinates of a large tree among which those are looked for that move no mass together.
NEAR = 50


def refuse_singular_mass(dae: DAE) -> None:
    """Refuse coordinates that move no mass, by the null space of M near the start posture; of large trees, by pivots.

    Not at the start itself, where a wrist may be aligned or a slide retracted, which is a posture and not a fault.
    Closures of loops add w J'J, which does not affect motions that keep them closed.

    Raises
    ------
    SingularMassError
        With the names of coordinates that move no mass.
    """
    if not dae.tree.size:
        return
    names = _massless_of_large(dae) if _is_large(dae) else _massless(dae)
    if not names:
        return
    which = (
        f"coordinate '{names[0]}' moves"
        if len(names) == 1
        else f"coordinates {', '.join(map(repr, names))} together move"
    )
    raise SingularMassError(
        f"Mass matrix singular: {which} no mass; add a Rotor, LumpedMass or link outboard, or a Payload with inertia "
        "about that axis."
    )


def _massless(dae: DAE) -> list[str]:
    """Return the names of coordinates that together move no mass, by the null space of M."""
    value, share = weakest_motion(_generic_mass(dae, PHASES[0]))
    if not is_massless(value, dae.tree.size):
        return []
    # Its eigenvector names the coordinates.
    return [dae.q_names[i] for i in np.argsort(-share) if share[i] > NAMED]


def _is_large(dae: DAE) -> bool:
    return dae.tree.size > LARGE and not dae.tree.loops.closures


def _massless_of_large(dae: DAE) -> list[str]:
    """Return the names of coordinates of a large tree that together move no mass, as far as they are neighbours."""
    posture_there = _generic_posture(dae, PHASES[0])
    worst = massless_coordinate(dae.tree, *posture_there)
    if worst is None:
        return []
    near = sorted(range(dae.tree.size), key=lambda j: abs(j - worst))[:NEAR]
    value, share = weakest_motion(mass_at_posture(dae.tree, *posture_there, columns=sorted(near)))
    if not is_massless(value, len(near)):
        return [dae.q_names[worst]]
    return [dae.q_names[sorted(near)[i]] for i in np.argsort(-share) if share[i] > NAMED]


@lru_cache(maxsize=32)
def generic_inertia(dae: DAE) -> float:
    """Return the inertia of the weakest motion (see `weakest_motion`) in the better of two generic postures."""
    return max(weakest_motion(_generic_mass(dae, phase))[0] for phase in PHASES)


def _generic_mass(dae: DAE, phase: float) -> np.ndarray:
    """Return the mass matrix (n, n) in a generic posture."""
    return regular_mass(dae, *_generic_posture(dae, phase))


def _generic_posture(dae: DAE, phase: float) -> tuple[np.ndarray, ...]:
    """Return the posture (see `DAE.posture`) a generic step of a tenth of a radian or metre beside the start.

    Slides that are extended move by a tenth of their extension, as a beam that is out by a centimetre must not be
    pushed in by ten; and no coordinate leaves its range.
    """
    n, x = dae.tree.size, dae.x.start.copy()
    step = 0.1 * np.sin(phase + np.arange(n))
    is_out = np.array([unit == "m" and start > 0 for unit, start in zip(dae.x.units[:n], x[:n], strict=True)])
    low, high = coordinate_bounds(dae)
    margin = MARGIN * np.where(np.isfinite(high - low), high - low, 0.0)
    x[:n] = np.clip(x[:n] + step * np.where(is_out, x[:n], 1.0), low + margin, high - margin)
    return posture(dae, x, dae.p.start)
