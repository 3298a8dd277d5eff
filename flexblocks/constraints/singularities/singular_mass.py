"""Singular mass matrices: coordinates that move no mass and so have no equation of motion."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.constraints.posture import posture
from flexblocks.constraints.ranges import coordinate_bounds
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import NAMED, is_massless, mass_at_posture, weakest_motion
from flexblocks.dynamics.at_posture.massless_coordinates import massless_coordinate
from flexblocks.dynamics.evaluation.block_terms import BlockTerms
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

    Not at the start itself, where a wrist may be aligned or a slide retracted, which is a posture and not a fault of
    the model (see `singular_posture`). Closures of loops add J'W J, which does not affect motions that keep them
    closed.

    Raises
    ------
    SingularMassError
        With the names of coordinates that move no mass.
    """
    if not dae.tree.size:
        return
    names = _massless_of_large(dae) if is_large(dae) else _massless(dae)
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


def is_large(dae: DAE) -> bool:
    """Whether an arm is a tree of so many coordinates that a dense mass matrix is too dear."""
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
    """Return the posture (see `DAE.posture`) a generic step beside the start, in which no coordinate leaves its range.

    The step is a tenth of a radian, or of a length: that of the body that a coordinate deforms, or of the longest part
    of the arm for a slide, so that a beam of 2 mm is not bent by metres; and as much less as the coordinate moves an
    outlet by more than itself, or turns it by more than a radian a length. Slides that are extended move by a tenth of
    their extension, as a beam that is out by a centimetre must not be pushed in by ten.
    """
    n, x = dae.tree.size, dae.x.start.copy()
    step = 0.1 * np.sin(phase + np.arange(n)) * _units(dae)
    low, high = coordinate_bounds(dae)
    margin = MARGIN * np.where(np.isfinite(high - low), high - low, 0.0)
    x[:n] = np.clip(x[:n] + step, low + margin, high - margin)
    return posture(dae, x, dae.p.start)


def _units(dae: DAE) -> np.ndarray:
    """Return the change of each coordinate (n,) that counts as 1: 1 rad, a length, or what a slide is out."""
    n, start = dae.tree.size, dae.x.start[: dae.tree.size]
    meters = np.array([unit == "m" for unit in dae.x.units[:n]], dtype=bool)
    if not meters.any():
        return np.ones(n)
    kinds = {id(body.terms): body.terms for body in dae.tree.bodies}
    reaches = {key: _reach(terms, dae.p.start) for key, terms in kinds.items()}
    units = np.where(meters, max(reaches.values(), default=0.0) or 1.0, 1.0)
    sizes = {key: _sizes(kinds[key], reach, dae.p.start) for key, reach in reaches.items() if reach}
    for body in dae.tree.bodies:
        size = sizes.get(id(body.terms))
        if not body.terms.has_inertia or size is None:
            continue
        for row in range(len(size)):
            columns = list(body.share.row(row)[0])
            units[columns] = np.where(meters[columns], size[row], 1.0)
    return np.where(meters & (start > 0), start, units)


def _reach(terms: BlockTerms, p: np.ndarray) -> float:
    """Return the length [m] of a block: how far its outlets are from its inlet in the reference configuration."""
    q, parameters = terms.reference(p)
    still = (np.eye(3), np.zeros(3), np.zeros(6), q, np.zeros(len(q)), parameters)
    ends = [motion(*still)[1].full() for motion in terms.motions.values()]
    return max((float(np.linalg.norm(end)) for end in ends), default=0.0)


def _sizes(terms: BlockTerms, reach: float, p: np.ndarray) -> np.ndarray:
    """Return for each coordinate (n,) of a block the change [m] that moves or turns its outlets by 1 in its units.

    By a length, the block's `reach` [m], or by 1 rad, whichever comes first, in the reference configuration; no more
    than the block says (`flexblocks.interfaces.Physics.sizes`).
    """
    q, parameters = terms.reference(p)
    most = np.ones(len(q))
    for motion in terms.motions.values():
        for i, unit in enumerate(np.eye(len(q))):
            twist = motion(np.eye(3), np.zeros(3), np.zeros(6), q, unit, parameters)[2].full().ravel()
            most[i] = max(most[i], np.linalg.norm(twist[3:]), reach * np.linalg.norm(twist[:3]))
    own = [terms.physics.sizes.get(coordinate.name, np.inf) for coordinate in terms.coordinates]
    return np.minimum(reach / most, own)
