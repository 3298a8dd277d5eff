"""Floating bases: coordinates that nothing holds, and that end where the conserved momentum takes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from flexblocks.constraints.posture import posture
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture
from flexblocks.statics.balance import motion, rest, unknown_slices, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

# Stiffness, damping or input of a coordinate below this share of the largest is rounding.
NOTHING = 1e-9
# Change of the kinetic energy by a coordinate, relative to that energy: a momentum that is conserved has none.
CONSERVED = 1e-6
STEP = 1e-4  # of central differences [rad, radii of gyration], exact to its square


def open_base(dae: DAE, at: OperatingPoint, named: Collection[str]) -> tuple[int, ...]:
    """Return the coordinates of a floating base that no name fixes, by their positions in q.

    Its momentum is conserved, and its motion follows from that of the arm: to fix where it ends would overdetermine the
    motion.
    """
    return tuple(i for i in floating_base(dae, at) if dae.q_names[i] not in named)


def floating_base(dae: DAE, at: OperatingPoint) -> tuple[int, ...]:
    """Return the coordinates of a floating base, by their positions in q; none if a force acts on them.

    A base floats if nothing but joints without mass is between the ground and itself: a free motion, a ball joint,
    slides, slides and a hinge across them; and if no force acts on these joints, so that their momentum is conserved.
    """
    floating: set[int] = set()
    for joints in _ways_from_ground(dae):
        while joints and not _floats(dae, at, columns := sorted(set().union(*joints))):
            joints = joints[:-1]
        floating |= set(columns) if joints else set()
    return tuple(sorted(floating))


def _ways_from_ground(dae: DAE) -> list[list[set[int]]]:
    """Return the coordinates of the joints from the ground to each body with mass, one set a joint."""
    tree = dae.tree
    ways: dict[int, list[set[int]]] = {tree.root: []}
    ends = []
    for i, body in enumerate(tree.bodies):
        if body.parent not in ways:
            continue
        if body.terms.has_inertia:
            ends.append(ways[body.parent])
        else:
            ways[i] = ways[body.parent] + ([set(body.share.used)] if body.share.used else [])
    return [way for way in ends if way]


def _floats(dae: DAE, at: OperatingPoint, columns: list[int]) -> bool:
    """Whether no force acts on these coordinates, and their momentum is conserved where it is zero."""
    n = dae.tree.size
    at_rest = unknown_vector(dae, at.x, at.z, np.zeros(len(dae.tree.loops.multipliers)), at.u)
    # Known forces do not hold it.
    known = [dae.u.index(name) for name in dae.u.with_role("disturbance")]
    slopes = rest(dae)(at_rest, at.p)[1].full()[:n]
    slopes[:, [unknown_slices(dae).u.start + i for i in known]] = 0.0
    if _acts(slopes, columns):
        return False
    _, dx, _, du = (value.full() for value in motion(dae)(at.x, at.z, at.u, at.p, 0.0, 0.0)[:4])
    du[:, known] = 0.0
    return not _acts(dx[:n, n : 2 * n], columns) and not _acts(du[:n], columns) and _is_cyclic(dae, at, columns)


def _acts(matrix: np.ndarray, rows: list[int]) -> bool:
    return bool(np.abs(matrix[rows]).max(initial=0.0) > NOTHING * np.abs(matrix).max(initial=0.0))


def _is_cyclic(dae: DAE, at: OperatingPoint, columns: list[int]) -> bool:
    """Whether the kinetic energy of any motion without momentum does not depend on these coordinates.

    The momenta p of the coordinates then stay zero: dp/dt = dT/dq = 0.
    """
    n, rng = dae.tree.size, np.random.default_rng(0)
    turns = np.array([unit == "rad" for unit in dae.x.units[:n]])
    x = at.x.copy()
    x[columns] += turns[columns] * rng.uniform(-0.3, 0.3, len(columns))  # not in a posture of some symmetry

    def mass(q: np.ndarray) -> np.ndarray:
        return mass_at_posture(dae.tree, *posture(dae, np.concatenate([q, x[n:]]), at.p))

    M = mass(x[:n])
    v = base_rates(M, columns, rng.uniform(0.5, 1.0, n) / np.sqrt(np.diag(M)))
    energy = v @ M @ v
    for i in columns:
        h = np.zeros(n)
        h[i] = STEP * (1.0 if turns[i] else gyration(M, turns, i))
        change = v @ (mass(x[:n] + h) - mass(x[:n] - h)) @ v
        if abs(change) > CONSERVED * STEP * energy:
            return False
    return True


def base_rates(M: np.ndarray, columns: list[int], v: np.ndarray) -> np.ndarray:
    """Return rates (n,) with those of a base changed so that it has no momentum, M the mass matrix (n, n)."""
    others = np.setdiff1d(np.arange(len(M)), columns)
    v = v.copy()
    v[columns] = -np.linalg.solve(M[columns][:, columns], M[columns][:, others] @ v[others])
    return v


def with_momentum(dae: DAE, at: OperatingPoint, before: OperatingPoint, columns: Sequence[int]) -> OperatingPoint:
    """Return a point in motion with the rates of an open base changed so that it has none of momentum, as at rest.

    Where the arm comes with a momentum, from `before`, the base's rates stay as they are: a guess.
    """
    n = dae.tree.size
    if np.any(before.x[n : 2 * n]):
        return at
    M, x = mass_at_posture(dae.tree, *posture(dae, at.x, at.p)), at.x.copy()
    x[n : 2 * n] = base_rates(M, list(columns), x[n : 2 * n])
    return replace(at, x=x)


def at_rest(dae: DAE, point: OperatingPoint) -> OperatingPoint:
    """Return a point in the same posture, at rest: whether a base floats is told there."""
    n, x = dae.tree.size, point.x.copy()
    x[n : 2 * n] = 0.0
    return replace(point, x=x)


def gyration(M: np.ndarray, turns: np.ndarray, i: int) -> float:
    """Return the largest radius of gyration [m] of the turning coordinates with the mass that coordinate i moves."""
    return float(np.sqrt(np.max(np.diag(M)[turns], initial=0.0) / M[i, i])) or 1.0
