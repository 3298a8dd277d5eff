"""Local errors of a mesh: how far each interval, integrated from the plan's own state, ends from the plan's next one.

With x the states of the plan, d the deviation from it and delta = der(x) - f(x, u) the defect of its polynomials,

    der(d) = A d - delta,    d = 0 at the beginning of the interval,

which is integrated exactly, A constant in each quarter of the interval and delta a polynomial: matrix exponentials give
both d at the end and the transition matrix of the interval. However fast the modes of an arm are, that costs no steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.libraries import scipy

from ...model.ends.reached_state import left_at_goal
from ...model.trajectories import PhaseTrajectory
from ..arrivals import AXES
from .linearized_intervals import LinearizedIntervals, linearized_intervals
from .matrix_exponential import matrix_exponentials

# Pieces of an interval with one A each. By trial: with one, the momentum of the two-link arm is off by enough to
# predict a miss of 0.4 mm at 40 intervals in the place of 0.01 mm.
PIECES = 4


@dataclass(frozen=True, eq=False)
class LocalErrors:
    """Local errors of the K intervals of one phase, and how errors grow along it.

    Attributes
    ----------
    times : ndarray (K + 1,)
        Mesh points [s] of the phase.
    deviation : ndarray (K, nx)
        Of the states at the end of each interval.
    transition : ndarray (K, nx, nx)
        From a deviation at the beginning of each interval to that at its end.
    miss : ndarray (K,)
        Largest displacement of an end point of the arm by the deviation, at the end of its interval or of the next [m].
    energy : ndarray (K,)
        Kinetic and elastic energy of the deviation [J].
    norm : ndarray (K + 1, 2 n, 2 n)
        Square roots L of the arm's scaling at the mesh points: |L' d|^2 is twice the energy of a deviation d of
        coordinates and rates, in which rigid motions count with what they need to be made within the duration.
    """

    times: np.ndarray
    deviation: np.ndarray
    transition: np.ndarray
    miss: np.ndarray
    energy: np.ndarray
    norm: np.ndarray


@np.errstate(over="ignore", invalid="ignore")
def local_errors(traj: PhaseTrajectory) -> LocalErrors | None:
    """Return the local errors of a phase's mesh; None where its equations cannot be linearised.

    Errors that grow beyond all numbers within an interval are infinite.
    """
    equations = linearized_intervals(traj)
    if equations is None:
        return None
    nx = equations.x.shape[2]
    step = _integrated(equations)
    transition, deviation = step[:, :nx, :nx], step[:, :nx, nx]
    deviation[-1, : 2 * traj.transcription.dae.tree.size] += left_at_goal(traj.block, traj.transcription)
    norm = scaling(equations)
    if norm is None:
        return None
    onward = np.concatenate([np.einsum("kij,kj->ki", transition[1:], deviation[:-1]), deviation[-1:]])
    ends = np.concatenate([equations.x[1:, 0], equations.x[-1:, -1]])
    later = np.concatenate([ends[1:], ends[-1:]])
    energy = deviation_energy(norm[1:], deviation)
    miss = np.maximum(displaced(traj, ends, deviation), displaced(traj, later, onward))
    # Of what blows up there is no number
    miss, energy = (np.where(np.isnan(one), np.inf, one) for one in (miss, energy))
    return LocalErrors(equations.times, deviation, transition, miss, energy, norm)


@np.errstate(over="ignore", invalid="ignore")
def displaced(traj: PhaseTrajectory, x: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Return the largest displacement [m] of an end point (k,) by deviations (k, nx) from states (k, nx)."""
    dae, count = traj.transcription.dae, len(x)
    ends = [i for i, name in enumerate(dae.y.names) if name.endswith(".x")]
    places = np.array([[dae.y.names.index(f"{dae.y.names[i][:-2]}.{axis}") for axis in AXES] for i in ends], dtype=int)
    if not count or not len(places):
        return np.zeros(count)
    n = dae.tree.size
    moved = np.concatenate([x, np.concatenate([x[:, :n] + deviation[:, :n], x[:, n:]], axis=1)]).T
    still = np.zeros((len(dae.u), 1))
    y = np.array(dae.interpreted.output(moved, still, traj.p, *([dae.z.start] if len(dae.z) else []))).reshape(
        len(dae.y), -1
    )
    change = (y[:, count:] - y[:, :count])[places]
    return np.linalg.norm(change, axis=1).max(axis=0)


def _integrated(equations: LinearizedIntervals) -> np.ndarray:
    """Return matrices (K, nx + m, nx + m) with the transitions, and the deviations in column nx."""
    (K, m, nx), h = equations.defect.shape, equations.steps[:, None, None] / PIECES
    powers = np.arange(m)
    monomials = np.linalg.inv(equations.nodes[:, None] ** powers)
    W = np.zeros((PIECES, K, nx + m, nx + m))
    means = _means(equations.nodes)
    W[:, :, :nx, :nx] = h * np.einsum("pj,kjab->pkab", means, equations.A)
    # The defect is a polynomial, whose monomials s^i / i! are states of their own
    scaled = monomials * scipy.special.factorial(powers)[:, None]
    W[:, :, :nx, nx:] = -h * np.einsum("ij,kjx->kxi", scaled, equations.defect)
    W[:, :, nx + powers[1:], nx + powers[:-1]] = 1 / PIECES
    first, *rest = matrix_exponentials(W.reshape(-1, nx + m, nx + m)).reshape(W.shape)
    for piece in rest:
        first = piece @ first
    return first


def _means(nodes: np.ndarray) -> np.ndarray:
    """Return the weights (PIECES, m) of values at the nodes in the mean over each piece, by straight lines between.

    None is negative, so that what damps at all nodes damps: polynomials overshoot beside spikes of A, as of friction
    about rest.
    """
    ends = np.linspace(0.0, 1.0, PIECES + 1)
    corners = np.union1d(ends, nodes)
    hats = np.array([np.interp(corners, nodes, row) for row in np.eye(len(nodes))])
    areas = np.diff(corners) * (hats[:, 1:] + hats[:, :-1]) / 2
    piece = np.searchsorted(ends, corners[:-1], side="right") - 1
    return PIECES * np.stack([areas[:, piece == i].sum(axis=1) for i in range(PIECES)])


@np.errstate(over="ignore", invalid="ignore")
def deviation_energy(norm: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Return the energies [J] of deviations (k, nx) in the scalings (k, 2 n, 2 n) of `LocalErrors`."""
    return np.sum(np.einsum("kij,ki->kj", norm, deviation[:, : norm.shape[1]]) ** 2, axis=1) / 2


def scaling(equations: LinearizedIntervals) -> np.ndarray | None:
    """Return the square roots (K + 1, 2 n, 2 n) of the arm's scaling; None if a coordinate moves no mass."""
    inertia = np.concatenate([equations.inertia[:, 0], equations.inertia[-1:, -1]])
    n = inertia.shape[1]
    slopes = np.concatenate([equations.A[:, 0], equations.A[-1:, -1]])[:, n : 2 * n, :n]
    try:
        root = np.linalg.cholesky((inertia + inertia.transpose(0, 2, 1)) / 2)
    except np.linalg.LinAlgError:
        return None
    # Stiffness in modal coordinates, without what pushes away from balance
    stiffness = -np.linalg.solve(root, inertia @ slopes)
    stiffness = np.linalg.solve(root, stiffness.transpose(0, 2, 1))
    values, modes = np.linalg.eigh((stiffness + stiffness.transpose(0, 2, 1)) / 2)
    L = np.zeros((len(root), 2 * n, 2 * n))
    L[:, :n, :n] = root @ modes * np.sqrt(np.maximum(values, 0.0) + equations.times[-1] ** -2.0)[:, None, :]
    L[:, n:, n:] = root
    return L
