"""Compliance of an arm's end points: how far they are moved by a residual energy."""

from __future__ import annotations

import math
from collections.abc import Collection

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.statics.balance import rest, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ..presolve.equilibrium import loop_forces

PLACES = (".x", ".y", ".z")


def end_compliance(dae: DAE, at: OperatingPoint, held: Collection[str]) -> float:
    """Return the largest compliance [m/N] of an arm's end points at an equilibrium, with coordinates `held`.

    A force F on an end point moves it by at most the compliance c times F, and an elastic energy E by at most
    sqrt(2 c E). Infinite where the held arm is not stable.
    """
    n = dae.tree.size
    motions = tangent(dae, at, np.zeros(n)).q if dae.tree.loops.closures else np.eye(n)
    rows = sorted({*(dae.q_names.index(name) for name in held), *dae.tree.prescribed_columns})
    motions = motions @ scipy.linalg.null_space(motions[rows])
    s = unknown_vector(dae, at.x, at.z, loop_forces(dae, at), at.u)
    stiffness = motions.T @ rest(dae)(s, at.p)[1].full()[:n, :n] @ motions
    if not stiffness.size:
        return 0.0
    values, axes = np.linalg.eigh((stiffness + stiffness.T) / 2)
    if values[0] <= len(values) * np.finfo(float).eps * values[-1]:
        return math.inf
    ways = _slopes_of_ends(dae, at) @ motions @ axes / np.sqrt(values)
    return max((float(np.linalg.norm(way, 2)) ** 2 for way in ways.reshape(-1, len(PLACES), len(values))), default=0.0)


def _slopes_of_ends(dae: DAE, at: OperatingPoint) -> np.ndarray:
    """Return the derivatives (3 ends, n) of the places of all end points by the coordinates."""
    ends = [name.removesuffix(".x") for name in dae.y.names if name.endswith(".x")]
    indices = [dae.y.names.index(f"{end}{axis}") for end in ends for axis in PLACES]
    slopes = ca.jacobian(dae.output_expression[indices], dae.q)
    symbols = [dae.x.symbol, dae.u.symbol, dae.p.symbol, dae.z.symbol]
    return ca.Function("slopes_of_ends", symbols, [slopes])(at.x, at.u, at.p, at.z).full()
