"""Floating bases: coordinates that nothing holds, and that end where the conserved momentum takes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np

from flexblocks.constraints.posture import posture
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture
from flexblocks.statics.balance import motion, rest, unknown_slices, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ..tolerances import ROUNDING
from .equilibrium import turning

# Change of the kinetic energy by a coordinate, relative to that energy: a momentum that is conserved has none.
CONSERVED = 1e-6
STEP = 1e-4  # of central differences [rad, radii of gyration], exact to its square
POSTURES = 3  # random ones, in which inertia that is shared at all shows
STEPS = 40  # of order four on a way of the joints
FAR = 40.0  # rotation coordinates beyond which an attitude is at the end of its chart, where no plan goes


def floating_base(dae: DAE, at: OperatingPoint) -> tuple[int, ...]:
    """Return the coordinates of a floating base, by their positions in q; none if a force acts on them.

    A base floats if nothing but joints without mass is between the ground and itself: a free motion, a ball joint,
    slides, slides and a hinge across them; and if no force acts on these joints, so that their momentum is conserved.
    Its motion follows from that of the arm: to fix where it ends would overdetermine the motion. Rates of the point do
    not matter.
    """
    if not dae.tree.has_undriven_base:
        return ()
    floating, at = set[int](), at_rest(dae, at)
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
    s = unknown_vector(dae, at.x, at.z, np.zeros(len(dae.tree.loops.multipliers)), at.u)
    # Known forces do not hold it.
    known = [dae.u.index(name) for name in dae.u.with_role("disturbance")]
    slopes = rest(dae)(s, at.p)[1].full()[:n]
    slopes[:, [unknown_slices(dae).u.start + i for i in known]] = 0.0
    if _acts(slopes, columns):
        return False
    _, dx, _, du = (value.full() for value in motion(dae)(at.x, at.z, at.u, at.p, 0.0, 0.0)[:4])
    du[:, known] = 0.0
    return not _acts(dx[:n, n : 2 * n], columns) and not _acts(du[:n], columns) and _is_cyclic(dae, at, columns)


def _acts(matrix: np.ndarray, rows: list[int]) -> bool:
    return bool(np.abs(matrix[rows]).max(initial=0.0) > ROUNDING * np.abs(matrix).max(initial=0.0))


def _is_cyclic(dae: DAE, at: OperatingPoint, columns: list[int]) -> bool:
    """Whether the kinetic energy of any motion without momentum does not depend on these coordinates.

    The momenta p of the coordinates then stay zero: dp/dt = dT/dq = 0.
    """
    n, rng, mass = dae.tree.size, np.random.default_rng(0), mass_of(dae, at)
    q = at.x[:n].copy()
    q[columns] += turning(dae)[columns] * rng.uniform(-0.3, 0.3, len(columns))  # not in a posture of some symmetry
    M = mass(q)
    v = base_rates(M, columns, rng.uniform(0.5, 1.0, n) / np.sqrt(np.diag(M)))
    h = STEP * np.diag(sizes(dae, M))
    changes = [v @ (mass(q + h[i]) - mass(q - h[i])) @ v for i in columns]
    return not np.any(np.abs(changes) > CONSERVED * STEP * (v @ M @ v))


def at_rest(dae: DAE, point: OperatingPoint) -> OperatingPoint:
    """Return a point in the same posture, at rest."""
    n, x = dae.tree.size, point.x.copy()
    x[n : 2 * n] = 0.0
    return replace(point, x=x)


def mass_of(dae: DAE, at: OperatingPoint) -> Callable[[np.ndarray], np.ndarray]:
    """Return the mass matrix (n, n) as a function of the coordinates (n,)."""
    others = at.x[dae.tree.size :]
    return lambda q: mass_at_posture(dae.tree, *posture(dae, np.concatenate([q, others]), at.p))


def sizes(dae: DAE, M: np.ndarray) -> np.ndarray:
    """Return a radian for each coordinate (n,) that turns, and for others the largest radius of gyration [m].

    Of the turning coordinates with the mass that the other one moves; 1 m where there is none. `M` is the mass matrix.
    """
    turns, mass = turning(dae), np.diag(M)
    radii = np.sqrt(np.divide(np.max(mass[turns], initial=0.0), mass, out=np.zeros(len(M)), where=mass > 0))
    return np.where(turns | (radii == 0), 1.0, radii)


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
    x = at.x.copy()
    x[n : 2 * n] = base_rates(mass_of(dae, at)(x[:n]), list(columns), x[n : 2 * n])
    return replace(at, x=x)


def carried_base(
    dae: DAE, at: OperatingPoint, start: np.ndarray, goal: np.ndarray, floating: Sequence[int], detour: int = 0
) -> np.ndarray:
    """Return the coordinates (n,) in which the joints leave the base on their way from rest to rest.

    Parameters
    ----------
    dae : DAE
    at : OperatingPoint
        Its parameters hold.
    start, goal : ndarray (n,)
        Of the goal those of the floating base do not matter.
    floating : sequence of int
        Coordinates of the base.
    detour : int
        0 for the straight way, otherwise the number of a random one.
    """
    n, base, others = dae.tree.size, list(floating), at.x[dae.tree.size :]

    def mass(q: np.ndarray) -> np.ndarray:  # called so often that M(q) is worth deriving
        return dae.mass_matrix(*posture(dae, np.concatenate([q, others]), at.p)).full()

    joints, turned = np.setdiff1d(np.arange(n), base), [i for i in base if turning(dae)[i]]
    # Not out and back on one line, which encloses no area.
    away = np.random.default_rng(detour).uniform(-1, 1, (2, n))
    aside = 0.5 * bool(detour) * sizes(dae, mass(start)) * away

    def slope(share: float, q: np.ndarray) -> np.ndarray:
        phase = np.pi * share * np.array([1, 2])
        rates = (goal - start) + np.pi * (np.array([1, 2]) * np.cos(phase)) @ aside
        q = q.copy()
        q[joints] = (start + share * (goal - start) + np.sin(phase) @ aside)[joints]
        return base_rates(mass(q), base, rates)

    q, h = start.copy(), 1.0 / STEPS
    for share in h * np.arange(STEPS):
        one = slope(share, q)
        two = slope(share + h / 2, q + h / 2 * one)
        three = slope(share + h / 2, q + h / 2 * two)
        q += h / 6 * (one + 2 * two + 2 * three + slope(share + h, q + h * three))
        if not np.max(np.abs(q[turned]), initial=0.0) <= FAR:
            break
    return q


def still_coordinates(dae: DAE, at: OperatingPoint, floating: Collection[int]) -> set[int]:
    """Return those of some coordinates of a floating base that stay where they are, whatever the others do.

    As those out of the plane of a planar arm: they share no inertia with the others, in any posture.
    """
    n, mass, still = dae.tree.size, mass_of(dae, at), set(floating)
    units = sizes(dae, mass(at.x[:n]))
    for move in np.random.default_rng(0).uniform(-0.5, 0.5, (POSTURES, n)):
        moved = np.array([i not in still for i in range(n)])
        M = mass(at.x[:n] + move * units * moved)
        size = np.sqrt(np.diag(M))
        coupled = np.abs(M) > ROUNDING * np.outer(size, size)
        while joining := {i for i in still if any(coupled[i, j] for j in range(n) if j not in still)}:
            still -= joining
    return still
