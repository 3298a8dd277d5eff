"""Singular mass matrices: coordinates that move no mass and so have no equation of motion."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from flexblocks.constraints.coordinate_ranges import coordinate_bounds
from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.constraints.posture import posture
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.mass_at_posture import NAMED, is_massless, weakest_motion
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.errors import SingularMassError

# Phases of the generic steps from the start posture: of two steps one moves each coordinate well.
PHASES = (1.0, 2.5)
# Part of a range that a generic posture stays away from its ends.
MARGIN = 0.01


def refuse_singular_mass(dae: DAE) -> None:
    """Refuse coordinates that move no mass, by the null space of M near the start posture.

    Not at the start itself, where a wrist may be aligned or a slide retracted, which is a posture and not a fault of
    the model (see `singular_posture`). Closures of loops add w J'J, which does not affect motions that keep them
    closed.

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
    """Return the mass matrix (n, n) a generic step beside the start posture, in which no coordinate leaves its range.

    The step is a tenth of a radian, or of a length: that of the beam that a coordinate bends, or of the longest part of
    the arm for a slide, so that a beam of 2 mm is not bent by metres. Slides that are extended move by a tenth of
    their extension, as a beam that is out by a centimetre must not be pushed in by ten.
    """
    n, x = dae.tree.size, dae.x.start.copy()
    step = 0.1 * np.sin(phase + np.arange(n)) * _units(dae)
    low, high = coordinate_bounds(dae)
    margin = MARGIN * np.where(np.isfinite(high - low), high - low, 0.0)
    x[:n] = np.clip(x[:n] + step, low + margin, high - margin)
    return regular_mass(dae, *posture(dae, x, dae.p.start))


def _units(dae: DAE) -> np.ndarray:
    """Return the change of each coordinate (n,) that counts as 1: 1 rad, a length, or what a slide is out."""
    n, start = dae.tree.size, dae.x.start[: dae.tree.size]
    metres = np.array([unit == "m" for unit in dae.x.units[:n]], dtype=bool)
    reaches = [_reach(body, dae.p.start) for body in dae.tree.bodies] if metres.any() else []
    units = np.where(metres, max(reaches, default=0.0) or 1.0, 1.0)
    for body, reach in zip(dae.tree.bodies, reaches, strict=False):
        if body.terms.has_inertia and reach:
            units[metres & np.any(body.share.full(), axis=0)] = reach
    return np.where(metres & (start > 0), start, units)


def _reach(body: Body, p: np.ndarray) -> float:
    """Return the length [m] of a body: how far its outlets are from its inlet in the reference configuration."""
    q, parameters = body.terms.reference(p)
    still = (np.eye(3), np.zeros(3), np.zeros(6), q, np.zeros(len(q)), parameters)
    ends = [motion(*still)[1].full() for motion in body.terms.motions.values()]
    return max((float(np.linalg.norm(end)) for end in ends), default=0.0)
