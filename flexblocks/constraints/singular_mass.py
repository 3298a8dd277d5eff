"""Singular mass matrices: coordinates that move no mass and so have no equation of motion."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from flexblocks.constraints.coordinate_ranges import coordinate_bounds
from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.constraints.posture import posture
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.mass_at_posture import NAMED, is_massless, weakest_motion
from flexblocks.errors import SingularMassError

# Phases of the generic steps from the start posture: of two steps one moves each coordinate well.
PHASES = (1.0, 2.5)
# Part of a range that a generic posture stays away from its ends.
MARGIN = 0.01


def refuse_singular_mass(dae: DAE) -> None:
    """Refuse coordinates that move no mass, by the null space of M near the start posture.

    Not at the start itself, where a wrist may be aligned or a slide retracted, which is a posture and not a fault.
    Closures of loops add w J'J, which does not affect motions that keep them closed.

    Raises
    ------
    SingularMassError
        With the names of coordinates that move no mass.
    """
    if not dae.tree.size:
        return
    value, share = weakest_motion(_generic_mass(dae, PHASES[0]))
    if not is_massless(value, dae.tree.size):
        return
    # Its eigenvector names the coordinates.
    names = [dae.q_names[i] for i in np.argsort(-share) if share[i] > NAMED]
    which = (
        f"coordinate '{names[0]}' moves"
        if len(names) == 1
        else f"coordinates {', '.join(map(repr, names))} together move"
    )
    raise SingularMassError(
        f"Mass matrix singular: {which} no mass; add a Rotor, LumpedMass or link outboard, or a Payload with inertia "
        "about that axis."
    )


@lru_cache(maxsize=32)
def generic_inertia(dae: DAE) -> float:
    """Return the inertia of the weakest motion (see `weakest_motion`) in the better of two generic postures."""
    return max(weakest_motion(_generic_mass(dae, phase))[0] for phase in PHASES)


def _generic_mass(dae: DAE, phase: float) -> np.ndarray:
    """Return the mass matrix (n, n) a generic step of a tenth of a radian or metre beside the start posture.

    Slides that are extended move by a tenth of their extension, as a beam that is out by a centimetre must not be
    pushed in by ten; and no coordinate leaves its range.
    """
    n, x = dae.tree.size, dae.x.start.copy()
    step = 0.1 * np.sin(phase + np.arange(n))
    is_out = np.array([unit == "m" and start > 0 for unit, start in zip(dae.x.units[:n], x[:n], strict=True)])
    low, high = coordinate_bounds(dae)
    margin = MARGIN * np.where(np.isfinite(high - low), high - low, 0.0)
    x[:n] = np.clip(x[:n] + step * np.where(is_out, x[:n], 1.0), low + margin, high - margin)
    return regular_mass(dae, *posture(dae, x, dae.p.start))
