"""Modes of vibration that generalised alpha damps: those at a state, and what is left of each after a period."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.implicit.differences import Differences
from flexblocks.simulation.implicit.displacements import Displacements

# A mode counts as damped by the method if it loses more than this share of its amplitude in a period.
LOST = 0.1
# Share of the largest singular value of the closures' slopes below which one follows from others.
RANK = 1e-7


def damped_frequencies(
    dae: DAE,
    x: np.ndarray,
    z: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    displacements: Displacements,
    step: float,
    radius: float,
) -> tuple[float, ...]:
    """Return the rising frequencies [Hz] of the modes at a state, held still, that a step [s] damps.

    Parameters
    ----------
    dae : DAE
    x, z, u, p : ndarray
        State, algebraic variables, inputs and parameters.
    displacements : Displacements
    step : float
    radius : float
        Spectral radius at infinite frequency.
    """
    omega = frequencies(dae, x, z, u, p, displacements)
    return tuple(np.sort(omega[are_damped(omega, step, radius)] / (2 * np.pi)).tolist())


def are_damped(omega: np.ndarray, step: float, radius: float) -> np.ndarray:
    """Return which modes (k,), by their angular frequencies [rad/s], a step [s] damps."""
    left = amplification(omega * step, radius) ** np.maximum(2 * np.pi / np.maximum(omega * step, 1e-9), 1.0)
    return left < 1 - LOST


def closed_directions(J: np.ndarray) -> np.ndarray:
    """Return the directions (n, k), orthonormal, that keep closures with slopes (m, n), in displacements."""
    if not len(J):
        return np.eye(J.shape[1])
    _, sizes, right = np.linalg.svd(J)
    return right[int(np.count_nonzero(sizes > RANK * sizes[0])) :].T


def frequencies(
    dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray, displacements: Displacements
) -> np.ndarray:
    """Return the angular frequencies [rad/s] of the modes that closures and prescribed motions leave, undamped."""
    n, N = dae.tree.size, len(x) - dae.tree.size
    columns, m = list(dae.tree.prescribed_columns), len(dae.expressions.closing_tree.loops.multipliers)
    still = np.concatenate([x[:n], np.zeros(n), x[2 * n :]])
    motion = np.concatenate([x[:n][columns], np.zeros(len(columns))])
    unit = np.concatenate([displacements.reach / displacements.weight, np.maximum(np.abs(x[2 * n :]), 1.0)])
    point = [still, np.zeros(N), np.zeros(m), z, u, motion, p, np.zeros(1)]
    differences = Differences(dae.interpreted.residual, point, n, unit)
    free = np.setdiff1d(np.arange(n), columns)
    # In displacements, so that coordinates of different units compare.
    scale = 1 / displacements.weight[free]
    K, M = (
        differences.along(*of)[np.ix_(free, free)] * np.outer(scale, scale) for of in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    )
    J = -differences.in_multipliers()[free].T * scale
    moves = closed_directions(J)
    squares = np.linalg.eigvals(np.linalg.lstsq(moves.T @ M @ moves, moves.T @ K @ moves, rcond=None)[0])
    return np.sqrt(np.maximum(squares.real, 0.0))


def amplification(angles: np.ndarray, radius: float) -> np.ndarray:
    """Return the spectral radius of generalised alpha (k,) for frequencies times the step (k,) [rad]."""
    mass, force = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    gamma = 0.5 + force - mass
    beta = 0.25 * (gamma + 0.5) ** 2
    s, one = angles**2, np.ones_like(angles)
    # Of displacement, speed times the step, filtered acceleration times its square.
    after = np.array(
        [
            [one, 0 * s, -beta * one],
            [0 * s, one, -gamma * one],
            [(1 - force) * s, 0 * s, (1 - mass) * one],
        ]
    )
    before = np.array(
        [
            [one, one, (0.5 - beta) * one],
            [0 * s, one, (1 - gamma) * one],
            [-force * s, 0 * s, -mass * one],
        ]
    )
    steps = np.linalg.solve(np.moveaxis(after, 2, 0), np.moveaxis(before, 2, 0))
    return np.abs(np.linalg.eigvals(steps)).max(axis=1, initial=0.0)
