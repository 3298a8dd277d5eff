"""Tangent space of the constraints: small motions that keep all loops closed, in independent coordinates.

Closures c(q) = 0 make as many coordinates dependent as they are. A small motion is that of the others:
dq = N dq_i, and likewise for rates and accelerations, with what the curvature of the closures adds where the arm moves.
A tree has no dependent coordinates, and N is the identity; but some of its first-order states may follow from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.constraints.deformation import deforming
from flexblocks.constraints.dependent_variables import dependent_states, state_slopes
from flexblocks.constraints.loop_equations import closure_slopes
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.loop_closure import total_jacobian
from flexblocks.errors import ComputationError
from flexblocks.statics.operating_point import OperatingPoint

# Dependent coordinates have independent columns of J: by this fraction of their length, first well, else at all. At
# first those that are short beside the longest have to wait, too: as strains of a beam that is nearly straight, which
# hardly move its end, and would have to move a lot if they were to follow from it.
WELL, AT_ALL = 0.1, 1e-8
SHORT = 1e-2


@dataclass(frozen=True, eq=False)
class Tangent:
    """Tangent space of the constraints at a point.

    Attributes
    ----------
    coordinates : ndarray of int (d,)
        Indices of the independent coordinates.
    states : ndarray of int (k,)
        Indices of the independent states: these coordinates, their rates and the first-order states.
    q : ndarray (n, d)
        N.
    x : ndarray (nx, k)
        Motion of all states by the independent ones.
    a : ndarray (n, k)
        Accelerations by the independent states beside N times those of the independent coordinates.
    J : ndarray (m, n)
        Jacobian of the closures.
    """

    coordinates: np.ndarray
    states: np.ndarray
    q: np.ndarray
    x: np.ndarray
    a: np.ndarray
    J: np.ndarray


def tangent(dae: DAE, point: OperatingPoint, a: np.ndarray, independent: np.ndarray | None = None) -> Tangent:
    """Return the tangent space at a point with accelerations `a` (n,).

    Parameters
    ----------
    dae : DAE
    point : OperatingPoint
    a : ndarray (n,)
    independent : ndarray of int, optional
        Indices of the coordinates to take as independent, in order; by default as below.

    Notes
    -----
    Independent are prescribed coordinates and, as far as that is possible, driven ones before those of beams before
    joints, and what was added earlier before what was added later.

    Raises
    ------
    ComputationError
        The loops do not determine the motion there.
    """
    n, nx, x = dae.tree.size, len(dae.x), point.x
    if not dae.tree.loops.closures:
        return _of_tree(dae, point)
    # Derivatives of the closures.
    J, rate_q, acceleration_q, acceleration_v = (
        value.full() for value in _derivatives(dae)(x[n : 2 * n], a, *dae.posture(x, point.z, point.p))
    )
    # Partition into dependent and independent coordinates.
    slopes = closure_slopes(dae, x[:n], point.p)
    dependent = _dependent(dae, slopes) if independent is None else np.setdiff1d(np.arange(n), independent)
    if np.linalg.matrix_rank(slopes[:, dependent], AT_ALL * np.max(np.abs(slopes), initial=0.0)) < len(J):
        raise _undetermined(dae)
    coordinates = np.setdiff1d(np.arange(n), dependent)
    following = dependent_states(dae)
    free = np.setdiff1d(np.arange(2 * n, nx), following)
    states, d = np.concatenate([coordinates, n + coordinates, free]), len(coordinates)

    def solved(rows: np.ndarray) -> np.ndarray:
        """Return what the dependent coordinates must do (n, ...) so that J . = -rows."""
        motion = np.zeros((n, rows.shape[1]))
        motion[dependent] = -np.linalg.solve(J[:, dependent], rows)
        return motion

    # Motion of all states and accelerations with the independent states.
    N = np.eye(n)[:, coordinates] + solved(J[:, coordinates])
    T = np.zeros((nx, len(states)))
    T[:n, :d] = T[n : 2 * n, d : 2 * d] = N
    T[n : 2 * n, :d] = solved(rate_q @ N)
    T[free, 2 * d + np.arange(len(free))] = 1.0
    if following:
        T[following, :d] = state_slopes(dae, x, point.z, point.p) @ N
    along = acceleration_q @ T[:n] + acceleration_v @ T[n : 2 * n]
    return Tangent(coordinates, states, N, T, solved(along), J)


def _of_tree(dae: DAE, point: OperatingPoint) -> Tangent:
    """Return the tangent space of an arm without loops: all states are independent except dependent variables."""
    n, nx = dae.tree.size, len(dae.x)
    dependent = dependent_states(dae) if dae.tree.dependent_names else []
    states = np.setdiff1d(np.arange(nx), dependent)
    T = np.eye(nx)[:, states]
    if dependent:
        T[dependent, :n] = state_slopes(dae, point.x, point.z, point.p)
    return Tangent(np.arange(n), states, np.eye(n), T, np.zeros((n, len(states))), np.zeros((0, n)))


def _dependent(dae: DAE, J: np.ndarray) -> np.ndarray:
    """Return as many coordinates as closures, with independent columns of J, that are least suited as states."""
    driven = np.array(ca.DM(ca.jacobian(dae.expressions.applied, dae.u.symbol).sparsity(), 1).full()).any(axis=1)
    wanted = 2 * driven + deforming(dae)
    # What moves no closure but by rounding, as the higher strains of a straight beam, determines none.
    lengths = np.linalg.norm(J, axis=0)
    order = [j for j in np.argsort(-wanted, kind="stable")[::-1] if j not in dae.tree.prescribed_columns]
    for share, short in ((WELL, SHORT), (WELL, AT_ALL), (AT_ALL, AT_ALL)):
        chosen: list[int] = []
        basis = np.zeros((len(J), 0))
        for j in order:
            across = J[:, j] - basis @ (basis.T @ J[:, j])
            if np.linalg.norm(across) > share * lengths[j] > share * short * lengths.max():
                chosen.append(int(j))
                basis = np.linalg.qr(J[:, chosen])[0]
        if len(chosen) == len(J):
            return np.sort(np.array(chosen, dtype=int))
    raise _undetermined(dae)


def _undetermined(dae: DAE) -> ComputationError:
    return ComputationError(
        f"The loops of '{dae.name}' do not determine how they move at this point (links in line, at a change point "
        "or a dead centre); choose a point beside it."
    )


@lru_cache(maxsize=16)
def _derivatives(dae: DAE) -> ca.Function:
    """Return the function (v, a, posture) -> J, d(J v)/dq, and of J a + dJ/dt v the derivatives in q and v."""
    J, drift = dae.expressions.constraint_rates
    a = ca.SX.sym("a", dae.tree.size)
    acceleration = J @ a + drift
    of_q = (total_jacobian(expression, dae.tree, dae.q) for expression in (J @ dae.v, acceleration))
    results = [J, *of_q, ca.jacobian(acceleration, dae.v)]
    return ca.Function("tangent", [dae.v, a, *dae.posture_symbols], ca.cse(results))
