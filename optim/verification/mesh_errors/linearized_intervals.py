"""Linearised intervals: the equations of motion about a plan, and by how much its polynomials violate them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.constrained_accelerations import BAUMGARTE

from ...collocation.equations_of_motion import point_equations
from ...model.dense_output import dense_output
from ...model.read_solution import input_polynomials
from ...model.trajectories import PhaseTrajectory
from ...problem.signals.instant import part_sizes

MORE_NODES = 4  # than the scheme has points: the polynomials are of one degree more, their defects of higher ones


@dataclass(frozen=True, eq=False)
class LinearizedIntervals:
    """The equations of motion der(x) = f(x, u) about the polynomials of a phase, at m nodes of each of K intervals.

    Attributes
    ----------
    times : ndarray (K + 1,)
        Mesh points [s] of the phase.
    nodes, weights : ndarray (m,)
        Gauss points as fractions of an interval, and their quadrature weights.
    x : ndarray (K, m, nx)
        States of the plan.
    A : ndarray (K, m, nx, nx)
        Derivatives of f in the states; algebraic variables and loop-closure forces are eliminated.
    B : ndarray (K, m, nx, nu)
    defect : ndarray (K, m, nx)
        der(x) - f(x, u) along the polynomials.
    inertia : ndarray (K, m, n, n)
        The mass matrix, with an inertia for motions that would open closed loops.
    """

    times: np.ndarray
    nodes: np.ndarray
    weights: np.ndarray
    x: np.ndarray
    A: np.ndarray
    B: np.ndarray
    defect: np.ndarray
    inertia: np.ndarray

    @property
    def steps(self) -> np.ndarray:
        """Lengths of the intervals [s], (K,)."""
        return np.diff(self.times)


def linearized_intervals(traj: PhaseTrajectory) -> LinearizedIntervals | None:
    """Return the linearised equations about a phase, by one call of a function mapped over all nodes.

    None where the equations at a point do not determine the accelerations: with coordinates that depend on others, with
    samplers, and at singular postures.
    """
    t, mesh = traj.transcription, traj.mesh
    dae, n = t.dae, t.dae.tree.size
    if dae.tree.dependent_names or dae.clocks:
        return None
    nodes, weights = np.polynomial.legendre.leggauss(t.scheme.degree + MORE_NODES)
    nodes, weights = (nodes + 1) / 2, weights / 2
    K, m, h = mesh.intervals, len(nodes), mesh.steps
    times = (mesh.times[:-1, None] + h[:, None] * nodes).ravel()
    rows = dense_output(traj, input_polynomials(traj), times)[: -len(dae.u) - 1]
    residual, jacobian = _mapped(dae, K * m)(rows, np.tile(traj.p[:, None], (1, K * m)))
    sizes = part_sizes(dae)
    cuts = np.cumsum([sizes[part] for part in ("x", "a", "dw", "z", "f", "u")])
    J = np.array(jacobian.full()).reshape(residual.shape[0], K * m, -1).transpose(1, 0, 2)
    r = np.array(residual).T
    of_x, of_unknowns, of_u = J[:, :, : cuts[0]], J[:, :, cuts[0] : cuts[4]], J[:, :, cuts[4] : cuts[5]]
    try:
        solved = -np.linalg.solve(of_unknowns, np.concatenate([r[:, :, None], of_x, of_u], axis=2))
    except np.linalg.LinAlgError:
        return None
    if not np.all(np.isfinite(solved)):
        return None
    # The unknowns begin with the accelerations and the rates of the first-order states
    driven, nx = solved[:, : cuts[2] - cuts[0]], len(dae.x)
    change, slopes, pushes = driven[:, :, 0], driven[:, :, 1 : 1 + nx], driven[:, :, 1 + nx :]
    A = np.concatenate([np.tile(np.eye(n, nx, n), (K * m, 1, 1)), slopes], axis=1)
    B = np.concatenate([np.zeros((K * m, n, len(dae.u))), pushes], axis=1)
    x = rows[:nx].T
    rates = np.concatenate([x[:, n : 2 * n], rows[cuts[0] : cuts[2]].T + change], axis=1)
    along = np.einsum("ij,kjx->kix", _differentiation(nodes), x.reshape(K, m, nx)) / h[:, None, None]

    def by_interval(values: np.ndarray) -> np.ndarray:
        return values.reshape(K, m, *values.shape[1:])

    return LinearizedIntervals(
        times=mesh.times,
        nodes=nodes,
        weights=weights,
        x=by_interval(x),
        A=by_interval(A),
        B=by_interval(B),
        defect=along - by_interval(rates),
        inertia=by_interval(_inertia(of_unknowns[:, :n, :n], of_unknowns[:, :n, cuts[3] - cuts[0] :])),
    )


def _inertia(mass: np.ndarray, closing: np.ndarray) -> np.ndarray:
    """Return the mass matrices (k, n, n) with an inertia of the same size along what loop-closure forces push."""
    if not closing.shape[2]:
        return mass
    along = closing @ closing.transpose(0, 2, 1)
    sizes = [np.trace(matrix, axis1=1, axis2=2) for matrix in (mass, along)]
    return mass + along * (sizes[0] / sizes[1])[:, None, None]


@lru_cache(maxsize=8)
def _mapped(dae: DAE, points: int) -> ca.Function:
    """Return (y, p) -> residuals and their Jacobian at `points` instants, of all modes, as a replay integrates them."""
    equations = point_equations(dae)
    y, p = (ca.MX.sym(name, equations.residual.size1_in(i)) for i, name in enumerate(("y", "p")))
    both = [equations.residual(y, p, BAUMGARTE), ca.densify(equations.jacobian(y, p, BAUMGARTE))]
    return ca.Function("linearized", [y, p], both).map(points)


def _differentiation(nodes: np.ndarray) -> np.ndarray:
    """Return the matrix (m, m) from values at the nodes to derivatives of their polynomial there."""
    powers = np.arange(len(nodes))
    derivative = powers * nodes[:, None] ** np.maximum(powers - 1, 0)
    return derivative @ np.linalg.inv(nodes[:, None] ** powers)
