"""Motion of a floating base: where the joints turn it and shift it on their way, without momentum."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from flexblocks.constraints.posture import posture
from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from .open_base import base_rates, gyration

POSTURES = 3  # random ones, in which inertia that is shared at all shows
COUPLED = 1e-9  # of the geometric mean of both inertias: below it is rounding
STEPS = 40  # of order four on a way of the joints
FAR = 40.0  # rotation coordinates beyond which an attitude is at the end of its chart, where no plan goes


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
    n, base = dae.tree.size, list(floating)
    mass, joints = mass_of(dae, at), np.setdiff1d(np.arange(n), base)
    M = mass(start)
    turns = np.array([unit == "rad" for unit in dae.x.units[:n]])
    units = np.array([1.0 if turns[i] else gyration(M, turns, i) for i in range(n)])
    # Not out and back on one line, which encloses no area.
    aside = 0.5 * bool(detour) * units * np.random.default_rng(detour).uniform(-1, 1, (2, n))

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
        if not np.max(np.abs(q[turns & ~np.isin(np.arange(n), joints)]), initial=0.0) <= FAR:
            break
    return q


def still_coordinates(dae: DAE, at: OperatingPoint, floating: Collection[int]) -> set[int]:
    """Return those of some coordinates of a floating base that stay where they are, whatever the others do.

    As those out of the plane of a planar arm: they share no inertia with the others, in any posture.
    """
    n, mass = dae.tree.size, mass_of(dae, at)
    M = mass(at.x[:n])
    turns = np.array([unit == "rad" for unit in dae.x.units[:n]])
    units = np.array([1.0 if turns[i] else gyration(M, turns, i) for i in range(n)])
    still, kept = set(floating), at.x[:n]
    for move in np.random.default_rng(0).uniform(-0.5, 0.5, (POSTURES, n)):
        moved = np.array([i not in still for i in range(n)])
        M = mass(kept + move * units * moved)
        size = np.sqrt(np.diag(M))
        coupled = np.abs(M) > COUPLED * np.outer(size, size)
        while joining := {i for i in still if any(coupled[i, j] for j in range(n) if j not in still)}:
            still -= joining
    return still


def mass_of(dae: DAE, at: OperatingPoint) -> Callable[[np.ndarray], np.ndarray]:
    """Return the mass matrix (n, n) as a function of the coordinates (n,)."""
    rest = at.x[dae.tree.size :]
    return lambda q: dae.mass_matrix(*posture(dae, np.concatenate([q, rest]), at.p)).full()
