"""Rigid motion: the null space of the stiff blocks' stiffness, and coordinates for it and for the deformation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import stored_energies
from flexblocks.errors import NameUnknownError, ParameterError, listing, suggestion

# Eigenvalues of a stiffness matrix with unit diagonal below this are zero: rounding leaves about n * 2e-16.
ZERO_EIGENVALUE = 1e-11


@dataclass(frozen=True, eq=False)
class RigidMotion:
    """Rigid motion theta and deformation xi of an arm, q = N theta + P xi: theta leaves the stiff blocks undeformed.

    Attributes
    ----------
    stiff : tuple of str
        The blocks considered stiff.
    slow, fast : tuple of int
        Indices of the coordinates that define theta and xi: theta = q[slow], xi = q[fast] - N[fast] theta.
    N : ndarray (n, n_s)
        The identity in the rows `slow`.
    P : ndarray (n, n_f)
        Unit vectors: deformation leaves q[slow] alone.
    """

    stiff: tuple[str, ...]
    slow: tuple[int, ...]
    fast: tuple[int, ...]
    N: np.ndarray
    P: np.ndarray

    @property
    def deformation(self) -> np.ndarray:
        """The matrix (n_f, n) that maps q to xi."""
        matrix = self.P.T.copy()
        matrix[:, list(self.slow)] -= self.N[list(self.fast)]
        return matrix


def rigid_motion(dae: DAE, stiff: Sequence[str] | None = None, slow: Sequence[str] | None = None) -> RigidMotion:
    """Return the rigid motion: all motion that stores no energy in the stiff blocks, by default all that store any.

    Raises
    ------
    NameUnknownError
        A block of `stiff` stores no energy.
    ParameterError
        Nothing is stiff, no rigid motion is left, or the stiff blocks are deformed at the start values or by a rigid
        motion.
    """
    energies = _stiff_energies(dae, stiff)
    n = dae.tree.size
    energy = sum(energies.values(), ca.SX(0))
    K, force = ca.hessian(energy, dae.q)
    stiffness = ca.Function("stiffness", [dae.q, dae.p.symbol], [K, force])
    start = dae.x.start[:n]
    at_start, tension = (value.full() for value in stiffness(start, dae.p.start))
    # Rigid motions: the null space of the stiffness.
    N = _null_space(at_start)
    if not N.shape[1] or N.shape[1] == n:
        what = "hold every coordinate" if not N.shape[1] else "hold no coordinate"
        raise ParameterError(
            f"singular_perturbation: {listing(energies)} {what} of '{dae.name}', so that it has no slow or no fast "
            "part; must have both. Name other blocks as stiff."
        )
    # Coordinates that distinguish them, joints first; N is the identity in their rows.
    candidates = _joints_first(dae) if slow is None else [dae.q_names.index(name) for name in _coordinates(dae, slow)]
    slow_rows = _independent(N, candidates)
    if len(slow_rows) < N.shape[1]:
        raise ParameterError(
            f"singular_perturbation: slow = {slow!r}; must be {N.shape[1]} coordinates that determine the rigid "
            f"motion, such as {listing(dae.q_names[i] for i in _independent(N, _joints_first(dae)))}."
        )
    N = N @ np.linalg.inv(N[slow_rows])
    N[np.abs(N) < 1e-12] = 0.0  # rounding; zeros keep expressions sparse
    fast = [i for i in range(n) if i not in slow_rows]
    # Rigid motions must be linear in the coordinates and leave the stiff blocks undeformed: checked at the start values
    # and at one generic posture (angles sin 1, sin 2, ...), within 1e-9 of the stiffness for rounding.
    posture = N @ (start[slow_rows] + np.sin(1.0 + np.arange(len(slow_rows))))
    elsewhere, left = (value.full() for value in stiffness(posture, dae.p.start))
    scale = np.abs(at_start).max()
    if max(np.abs(left).max(), np.abs(tension).max(), np.abs(elsewhere @ N).max()) > 1e-9 * scale:
        raise ParameterError(
            f"singular_perturbation: {listing(energies)}: some are deformed at the start values or by a motion of "
            f"{listing(dae.q_names[i] for i in slow_rows)} alone; must be undeformed there. Leave them "
            "out of stiff=[...]."
        )
    return RigidMotion(tuple(energies), tuple(slow_rows), tuple(fast), N, np.eye(n)[:, fast])


def _stiff_energies(dae: DAE, stiff: Sequence[str] | None) -> Mapping[str, ca.SX]:
    """Return the energies stored in the stiff blocks."""
    energies = stored_energies(dae.tree, dae.q)
    if stiff is None:
        if not energies:
            raise ParameterError(
                f"singular_perturbation: no block of '{dae.name}' stores energy; must have a spring or a flexible beam."
            )
        return energies
    stiff = (stiff,) if isinstance(stiff, str) else tuple(stiff)
    for name in stiff:
        if name not in energies:
            raise NameUnknownError(
                f"singular_perturbation: stiff: no block '{name}' stores energy{suggestion(name, energies)}"
            )
    return {name: energies[name] for name in dict.fromkeys(stiff)}


def _null_space(K: np.ndarray) -> np.ndarray:
    """Return the null space (n, r), with coordinates scaled to a stiffness matrix of unit diagonal."""
    diagonal = np.abs(np.diag(K))
    scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(K * np.outer(scale, scale))
    return scale[:, None] * vectors[:, np.abs(values) < ZERO_EIGENVALUE]


def _coordinates(dae: DAE, names: Sequence[str]) -> tuple[str, ...]:
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        if name not in dae.q_names:
            raise NameUnknownError(
                f"singular_perturbation: slow: there is no coordinate '{name}'{suggestion(name, dae.q_names)}"
            )
    return names


def _joints_first(dae: DAE) -> list[int]:
    """Return the indices of all coordinates, those of blocks that carry other blocks first."""
    carried = np.zeros(dae.tree.size, dtype=bool)
    for body in dae.tree.bodies:
        if body.terms.outlets:
            carried[list(body.share.used)] = True
    return sorted(range(dae.tree.size), key=lambda i: (not carried[i], i))


def _independent(N: np.ndarray, candidates: Sequence[int]) -> list[int]:
    """Return the first candidates that together determine the rigid motion: independent rows of N."""
    independent: list[int] = []
    for i in candidates:
        rows = N[[*independent, i]]
        if np.linalg.matrix_rank(rows / np.abs(N).max(), tol=1e-9) == len(rows):
            independent.append(i)
    return sorted(independent)
