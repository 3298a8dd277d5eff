"""Properties of a static equilibrium: loop-closure forces, independent states, quasi-static motions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.statics.balance import loop_forces as forces_of_loops
from flexblocks.statics.balance import rest as balance
from flexblocks.statics.balance import rest_residuals, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

RANK = 1e-9  # singular values below this share of the largest are zero
EQUILIBRATIONS = 20  # rounds; each halves the logarithms of the norms


def loop_forces(dae: DAE, at: OperatingPoint) -> np.ndarray:
    """Return the loop-closure forces (m,) [N, N m] at an operating point."""
    return forces_of_loops(dae, at.x, at.z, at.u, at.p)


def independent_states(dae: DAE, at: OperatingPoint) -> list[int]:
    """Return the indices of the independent states at an operating point; closed loops determine the others."""
    if not dae.tree.loops.closures and not dae.tree.dependent_names:
        return list(range(len(dae.x)))
    return tangent(dae, at, np.zeros(dae.tree.size)).states.tolist()


def undetermined_at_rest(dae: DAE) -> list[int]:
    """Return the first-order states that keep any value at rest, such as bristles, by their numbers among all states.

    Their rates vanish with the rates of the coordinates, whatever they are themselves.
    """
    n, count = dae.tree.size, len(dae.x) - 2 * dae.tree.size
    entries = rest_residuals(dae).jac_sparsity(0, 0)
    told = set(entries.row())
    return [2 * n + i for i in range(count) if n + i not in told]


def accompanying_motion(dae: DAE, at: OperatingPoint, driven: Mapping[str, float]) -> np.ndarray:
    """Return how all coordinates (n, k) follow the k `driven` ones in a quasi-static motion.

    A rotor follows its joint, and deflections follow their static values: the motion of the equivalent rigid arm. If
    anything other than coordinates is driven, the basis of all quasi-static motions is returned.
    """
    n = dae.tree.size
    s = unknown_vector(dae, at.x, at.z, loop_forces(dae, at), at.u)
    J = balance(dae)(s, at.p)[1].full()
    if not all(name in dae.q_names for name in driven):
        return slow_motions(J, n)
    named = [dae.q_names.index(name) for name in driven]
    others = np.setdiff1d(np.arange(len(s)), named)
    motion = np.zeros((len(s), len(named)))
    motion[named] = np.eye(len(named))
    row, column = equilibration(J[:, others])
    scaled = row[:, None] * J[:, others] * column
    motion[others] = column[:, None] * np.linalg.lstsq(scaled, -row[:, None] * J[:, named], rcond=RANK)[0]
    return motion[:n]


def equilibration(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return factors of rows and columns that make the norms of all of them near one (Ruiz 2001).

    Stiffnesses of 1e10 N/m beside torques of one as they are look like a singular matrix.
    """
    row, column = np.ones(J.shape[0]), np.ones(J.shape[1])
    for _ in range(EQUILIBRATIONS):
        squares = (row[:, None] * J * column) ** 2
        across, down = squares.sum(axis=1), squares.sum(axis=0)
        row = row / np.where(across > 0, across, 1.0) ** 0.25
        column = column / np.where(down > 0, down, 1.0) ** 0.25
    return row, column


def slow_motions(J: np.ndarray, n: int) -> np.ndarray:
    """Return a basis (n, k) of the null motions: changes of coordinates that keep residuals of Jacobian `J` zero."""
    row = np.maximum(np.max(np.abs(J), axis=1, initial=0.0), 1e-300)[:, None]
    _, sizes, right = np.linalg.svd(J / row)
    free = right[int(np.sum(sizes > RANK * sizes.max(initial=0.0))) :, :n].T
    left, sizes, _ = np.linalg.svd(free, full_matrices=False)
    return left[:, sizes > RANK]
