"""Quasi-static path: the equilibria that an arm passes between start and goal, for the initial guess."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.statics.balance import rest, unknown_slices
from flexblocks.statics.followed import followed, straight_way, taut_way
from flexblocks.statics.operating_point import OperatingPoint

from ...problem.phase import Phase
from ...problem.problem import Problem
from ..equilibrium import unknowns_at

ARRIVED = 1e-3  # largest distance from the goal, relative to that of the start
SHORT = 1e-3  # of the coordinates: shorter ways are judged as one of this length, as they may be all rounding


@dataclass(frozen=True, eq=False)
class QuasiStaticPath:
    """Equilibria as functions of the share of the way from 0 to 1.

    Attributes
    ----------
    x, z, forces : BSpline
        States (nx,), whose rates are zero, algebraic variables (nz,) and forces that close loops (m,).
    """

    x: scipy.interpolate.BSpline
    z: scipy.interpolate.BSpline
    forces: scipy.interpolate.BSpline


def follows_from_balance(dae: DAE) -> bool:
    """Return whether a straight path between two equilibria leaves balance by much.

    Pressures and lengths of ropes, elements that are stiff along lines between frames, and closed loops: between two
    ends in balance, their straight interpolation means forces that no arm bears.
    """
    return bool(len(dae.x) > 2 * dae.tree.size or dae.tree.elements or dae.tree.loops.closures)


def quasi_static_path(
    dae: DAE, start: OperatingPoint, goal: OperatingPoint, driven: Iterable[str]
) -> QuasiStaticPath | None:
    """Follow the equilibria from a start to a goal; None if they do not connect.

    Parameters
    ----------
    dae : DAE
    start, goal : OperatingPoint
    driven : iterable of str
        Coordinates that go straight; all others follow from the balance of forces. Where that leaves a freedom, they
        stay as near to the straight way as it allows.
    """
    at, names = unknown_slices(dae), set(driven)
    s, target = (unknowns_at(dae, point) for point in (start, goal))
    held = np.zeros(len(s), dtype=bool)
    held[at.q] = [name in names for name in dae.q_names]
    way = straight_way(s, target)
    points = followed(rest(dae), start.p, s, way, held)
    if points is None and dae.tree.states_following:
        points = followed(rest(dae), start.p, s, taut_way(dae, start.p, way), held)
    if points is None:
        return None
    off, way, size = (np.abs(values)[at.q].max(initial=0.0) for values in (points[-1] - target, s - target, target))
    if off > ARRIVED * max(way, SHORT * size):
        return None
    still = np.zeros((len(points), dae.tree.size))
    states = np.hstack([points[:, at.q], still, points[:, at.w]])
    shares = np.linspace(0.0, 1.0, len(points))
    return QuasiStaticPath(
        *(_spline(shares, values) for values in (states, points[:, at.z], points[:, at.multipliers]))
    )


def balanced_path(
    dae: DAE, problem: Problem, phase: Phase, start: OperatingPoint, goal: OperatingPoint
) -> QuasiStaticPath | None:
    """Return the equilibria that an arm passes in a phase; None where they do not matter or do not connect."""
    if not follows_from_balance(dae):
        return None
    return quasi_static_path(dae, start, goal, driven_names(dae, problem, phase))


def driven_names(dae: DAE, problem: Problem, phase: Phase) -> list[str]:
    """Return the coordinates that both start and goal of a phase name: those that go straight."""
    return [name for name in problem.start if name in dae.q_names and name in (phase.goal or {})]


def _spline(shares: np.ndarray, values: np.ndarray) -> scipy.interpolate.BSpline:
    return scipy.interpolate.make_interp_spline(shares, values, k=5)
