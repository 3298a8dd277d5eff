"""Properties of a static equilibrium: loop-closure forces, independent states, quasi-static motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.geometry import shape, span
from flexblocks.linear.constraint_tangent import tangent
from flexblocks.statics.balance import loop_forces as forces_of_loops
from flexblocks.statics.balance import rest, unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ..tolerances import ROUNDING

EQUILIBRATIONS = 20  # rounds; each halves the logarithms of the norms


def loop_forces(dae: DAE, at: OperatingPoint) -> np.ndarray:
    """Return the loop-closure forces (m,) [N, N m] at an operating point."""
    return forces_of_loops(dae, at.x, at.z, at.u, at.p)


def unknowns_at(dae: DAE, at: OperatingPoint) -> np.ndarray:
    """Return the unknowns of statics (ns,) at an operating point."""
    return unknown_vector(dae, at.x, at.z, loop_forces(dae, at), at.u)


def balance_jacobian(dae: DAE, at: OperatingPoint) -> np.ndarray:
    """Return the Jacobian of the balance at rest in the unknowns of statics (nb, ns)."""
    return rest(dae)(unknowns_at(dae, at), at.p)[1].full()


def independent_states(dae: DAE, at: OperatingPoint) -> list[int]:
    """Return the indices of the independent states at an operating point; closed loops determine the others."""
    if not dae.tree.loops.closures and not dae.tree.dependent_names:
        return list(range(len(dae.x)))
    return tangent(dae, at, np.zeros(dae.tree.size)).states.tolist()


def turning(dae: DAE) -> np.ndarray:
    """Return which coordinates are angles (n,)."""
    return np.array(dae.x.units[: dae.tree.size]) == "rad"


def arm_length(dae: DAE, at: OperatingPoint) -> float:
    """Return the length of all links of an arm [m]; 1 if it has none."""
    return span(shape(dae, stations=2)(at.x, at.p)) or 1.0


def arm_units(dae: DAE, at: OperatingPoint) -> np.ndarray:
    """Return a radian, or the length of the arm [m], for each coordinate (n,): in these arms of any size move alike."""
    lengths = np.array(dae.x.units[: dae.tree.size]) == "m"
    return np.where(lengths, arm_length(dae, at), 1.0)


def joint_motions(dae: DAE, at: OperatingPoint, held: Sequence[int] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Return the units of `arm_units`, and a basis (n, k) of the quasi-static motions in these, with some `held`."""
    n, size, J = dae.tree.size, arm_units(dae, at), balance_jacobian(dae, at)
    J[:, :n] *= size
    return size, slow_motions(np.vstack([J, np.eye(J.shape[1])[list(held)]]), n)


def accompanying_motion(dae: DAE, at: OperatingPoint, driven: Mapping[str, float]) -> np.ndarray:
    """Return how all coordinates (n, k) follow the k `driven` ones in a quasi-static motion.

    A rotor follows its joint, and deflections follow their static values: the motion of the equivalent rigid arm. If
    anything other than coordinates is driven, the basis of all quasi-static motions is returned.
    """
    n, J = dae.tree.size, balance_jacobian(dae, at)
    if not all(name in dae.q_names for name in driven):
        return slow_motions(J, n)
    named = [dae.q_names.index(name) for name in driven]
    others = np.setdiff1d(np.arange(J.shape[1]), named)
    motion = np.zeros((J.shape[1], len(named)))
    motion[named] = np.eye(len(named))
    motion[others] = scaled_lstsq(J[:, others], -J[:, named])
    return motion[:n]


def scaled_lstsq(J: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the least-squares solution of J x = b with rows and columns of one size; see `equilibration`."""
    row, column = (factors[:, None] for factors in equilibration(J))
    return column * np.linalg.lstsq(row * J * column.T, row * b, rcond=ROUNDING)[0]


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
    free = right[int(np.sum(sizes > ROUNDING * sizes.max(initial=0.0))) :, :n].T
    left, sizes, _ = np.linalg.svd(free, full_matrices=False)
    return left[:, sizes > ROUNDING]
