"""Tracking law of a plan: a time-varying linear-quadratic regulator, weighted in the arm's own scaling.

It minimises the integral of the energy of the deviation from the plan over the duration, against inputs that cost as
much as the motion's kinetic energy where they are as large as the planned ones. The Riccati equation is integrated
backwards by doubling (Chu, Fan, Lin & Wang, Int. J. Control 77, 2004), which needs no steps for fast modes, from a
horizon of one duration beyond the end. An arm that cannot be stabilised, such as one on a floating base, has gains too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from flexblocks.control import TimeVaryingLQR
from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.simulation.trajectory import Trajectory

from ..errors import ProblemError
from ..model.read_solution import input_polynomials, trajectory
from ..model.trajectories import PhaseTrajectory
from ..presolve.bounds import chosen_inputs
from .mesh_errors.linearized_intervals import LinearizedIntervals, linearized_intervals
from .mesh_errors.local_errors import scaling
from .mesh_errors.matrix_exponential import matrix_exponentials

# Cost of inputs as large as the planned ones relative to that of a deviation with all the motion's kinetic energy. By
# trial: a raised crane of 20 m keeps within its local errors from 1 to 1e-4.
INPUT_COST = 1e-2
HALVES = 2  # parts of an interval with one gain each
DOUBLED = 1.0  # norm of the Hamiltonian up to which it is exponentiated, and doubled from there


@dataclass(frozen=True, eq=False)
class PlannedMotion:
    """The planned motion of one phase over its own time: what a law follows."""

    trajectory: Trajectory
    inputs: Mapping[str, scipy.interpolate.PPoly]


@dataclass(frozen=True, eq=False)
class TrackingLaw(TimeVaryingLQR):
    """The tracking law of one phase of a plan.

    Attributes
    ----------
    times : ndarray (k,)
        [s]
    states : tuple of str
        Of the arm that was planned for.
    inputs : tuple of str
        What the plan moves, and the law drives.
    K : ndarray (k, nu, nx)
        Gains of these states.
    shared : frozenset of str
        States that mean the same in the arm that is driven.
    """

    Q: Any = None
    R: Any = None
    times: np.ndarray = field(default_factory=lambda: np.zeros(0))
    states: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    K: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 0)))
    shared: frozenset[str] = frozenset()

    def measured_states(self, dae: DAE) -> tuple[str, ...]:
        return tuple(name for name in dae.x.names if name in self.shared)

    def driven(self, dae: DAE) -> tuple[str, ...]:
        return self.inputs

    def gains(self, dae: DAE) -> tuple[np.ndarray, np.ndarray]:
        return self.times, self.K[:, :, [self.states.index(name) for name in self.measured_states(dae)]]


def planned_motion(traj: PhaseTrajectory) -> PlannedMotion:
    """Return the planned motion of a phase over its own time."""
    inputs = input_polynomials(traj)
    return PlannedMotion(trajectory(traj, inputs, to_goal=False), inputs)  # which a jump at its end would throw off


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # gains beyond all numbers end the simulation with them
def tracking_law(traj: PhaseTrajectory, shared: frozenset[str] | None = None) -> TrackingLaw:
    """Return the tracking law of a phase.

    Parameters
    ----------
    traj : PhaseTrajectory
    shared : frozenset of str, optional
        States that the driven arm has in common with the planned one; by default all.

    Raises
    ------
    ProblemError
        The arm cannot be linearised along the motion.
    """
    dae, motion = traj.transcription.dae, planned_motion(traj)
    equations = linearized_intervals(traj)
    L = None if equations is None else scaling(equations)
    if equations is None or L is None:
        raise ProblemError(
            f"replay: law: '{dae.name}' cannot be linearised along its plan (dependent coordinates, samplers or "
            "singular postures); give a law of flexblocks.control, or law=None for none."
        )
    inputs = chosen_inputs(dae, traj.transcription.problem)
    columns = [dae.u.index(name) for name in inputs]
    equations = replace(equations, B=equations.B[..., columns])
    times, K = _gains(equations, _weights(equations, L, motion.trajectory, columns))
    return TrackingLaw(
        motion,
        times=times,
        states=dae.x.names,
        inputs=tuple(inputs),
        K=K,
        shared=frozenset(dae.x.names) if shared is None else shared,
    )


def _weights(
    equations: LinearizedIntervals, L: np.ndarray, motion: Trajectory, columns: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the scaling S (nx, nx) of deviations, |S d|^2 twice their energy, and the cost R of those inputs."""
    nx, size = equations.x.shape[2], L.shape[1]
    energy = 2 * (float(motion.energy[:, 0].max()) or 1.0)
    S = np.zeros((nx, nx))
    S[:size, :size] = L[len(L) // 2].T
    moved = np.ptp(motion.x[:, size:], axis=0)
    S[range(size, nx), range(size, nx)] = np.sqrt(energy) / np.where(moved > 0, moved, 1.0)
    used = np.abs(motion.u[:, columns]).max(axis=0, initial=0.0)
    used = np.where(used > 0, used, used.max(initial=0.0) or 1.0)
    return S, INPUT_COST * energy / used**2


def _gains(equations: LinearizedIntervals, weights: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the times of the gains, at the ends of half intervals, and the gains (k, nu, nx)."""
    S, R = weights
    inverse, T = np.linalg.inv(S), equations.times[-1]
    halves = [equations.nodes < 0.5, equations.nodes > 0.5]
    shares = [np.where(half, equations.weights, 0.0) / equations.weights[half].sum() for half in halves]

    def means(values: np.ndarray) -> np.ndarray:
        return np.einsum("hj,kjab->khab", shares, values).reshape(-1, *values.shape[2:])

    A, B = S @ means(equations.A) @ inverse, S @ means(equations.B)
    h = np.repeat(equations.steps / HALVES, HALVES)
    # Time in durations: the energy of the deviation over T, and inputs over T
    Phi, G, H = _scattering(A * h[:, None, None], B, R, h, T)
    P = _stationary(Phi[-1], G[-1], H[-1], round(T / h[-1]))
    costs = [P]
    for k in range(len(h) - 1, -1, -1):
        P = H[k] + Phi[k].T @ P @ np.linalg.solve(np.eye(len(P)) + G[k] @ P, Phi[k])
        P = (P + P.T) / 2
        costs.append(P)
    costs = np.array(costs[::-1])
    pushes = np.concatenate([B, B[-1:]]).transpose(0, 2, 1)
    K = T * (pushes @ costs @ S) / R[:, None]
    return np.append(0.0, np.cumsum(h)), K


def _scattering(
    A: np.ndarray, B: np.ndarray, R: np.ndarray, h: np.ndarray, T: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Phi, G, H of each step: x_1 = Phi x_0 - G l_1 and l_0 = H x_0 + Phi' l_1 for the costates l."""
    n, scale = A.shape[1], h[:, None, None]
    GG = (B / R) @ B.transpose(0, 2, 1) * (T * scale)
    Q = np.broadcast_to(np.eye(n) / T, A.shape) * scale
    hamiltonian = np.concatenate(
        [np.concatenate([A, -GG], axis=2), np.concatenate([-Q, -A.transpose(0, 2, 1)], axis=2)], axis=1
    )
    norm = float(np.abs(hamiltonian).sum(axis=1).max())
    doublings = max(0, int(np.ceil(np.log2(norm / DOUBLED)))) if norm > 0 else 0
    E = matrix_exponentials(hamiltonian / 2.0**doublings)
    back = np.linalg.inv(E[:, n:, n:])
    Phi, G, H = back.transpose(0, 2, 1), -E[:, :n, n:] @ back, -back @ E[:, n:, :n]
    for _ in range(doublings):
        Phi, G, H = _doubled(Phi, G, H)
    return Phi, G, H


def _doubled(Phi: np.ndarray, G: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the maps of two equal steps after one another."""
    other = np.swapaxes(Phi, -1, -2)
    mixed = np.linalg.solve(np.eye(Phi.shape[-1]) + G @ H, np.concatenate([Phi, G @ other], axis=-1))
    onward, pushed = mixed[..., : Phi.shape[-1]], mixed[..., Phi.shape[-1] :]
    G, H = G + Phi @ pushed, H + other @ H @ onward
    return Phi @ onward, (G + np.swapaxes(G, -1, -2)) / 2, (H + np.swapaxes(H, -1, -2)) / 2


def _stationary(Phi: np.ndarray, G: np.ndarray, H: np.ndarray, steps: int) -> np.ndarray:
    """Return the cost to go where about as many steps as these follow, from a deviation's energy at their end."""
    for _ in range(int(np.ceil(np.log2(max(steps, 1))))):
        Phi, G, H = _doubled(Phi, G, H)
    return H + Phi.T @ np.linalg.solve(np.eye(len(H)) + G, Phi)
