"""The motions of an arm that leave its stiff blocks undeformed, and the coordinates that tell them from the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import stored_energies
from flexblocks.errors import NameUnknownError, ParameterError, listing, nearest

# Eigenvalues of a stiffness matrix with unit diagonal below this are zero.
SLACK = 1e-11


@dataclass(frozen=True, eq=False)
class RigidMotion:
    """The coordinates as q = N theta + P xi: theta moves the arm as if its stiff blocks were rigid, xi deforms them.

    Attributes
    ----------
    stiff : tuple of str
        The blocks that are taken to be stiff.
    slow, fast : tuple of int
        Which coordinates theta and xi are told by: theta = q[slow], xi = q[fast] - N[fast] theta.
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
        """The matrix (n_f, n) that takes xi from q."""
        found = self.P.T.copy()
        found[:, list(self.slow)] -= self.N[list(self.fast)]
        return found


def rigid_motion(dae: DAE, stiff: Sequence[str] | None = None, slow: Sequence[str] | None = None) -> RigidMotion:
    """Return the rigid motion that the energies stored in some blocks, by default all that store any, leave open.

    Raises
    ------
    NameUnknownError
        A block of `stiff` stores no energy.
    ParameterError
        Nothing is stiff, nothing is left to move, or the stiff blocks are not undeformed at rest and after every
        rigid motion.
    """
    energies = _stiff_energies(dae, stiff)
    n = dae.tree.size
    energy = sum(energies.values(), ca.SX(0))
    K, force = ca.hessian(energy, dae.q)
    stiffness = ca.Function("stiffness", [dae.q, dae.p.symbol], [K, force])
    start = dae.x.start[:n]
    at_start, tension = (value.full() for value in stiffness(start, dae.p.start))
    N = _null_space(at_start)
    if not N.shape[1] or N.shape[1] == n:
        what = "hold every coordinate" if not N.shape[1] else "hold no coordinate"
        raise ParameterError(
            f"singular_perturbation: {listing(energies)} {what} of '{dae.name}', so that there is no slow and fast "
            "part; name other blocks as stiff."
        )
    told = _joints_first(dae) if slow is None else [dae.q_names.index(name) for name in _coordinates(dae, slow)]
    slow_rows = _told_by(N, told)
    if len(slow_rows) < N.shape[1]:
        raise ParameterError(
            f"singular_perturbation: slow = {slow!r}; must be {N.shape[1]} coordinates that tell the rigid motions "
            f"apart, such as {listing(dae.q_names[i] for i in _told_by(N, _joints_first(dae)))}."
        )
    N = N @ np.linalg.inv(N[slow_rows])
    N[np.abs(N) < 1e-12] = 0.0
    fast = [i for i in range(n) if i not in slow_rows]
    # Rigid motions must be straight lines in the coordinates, through the place of rest q = 0.
    turned = N @ (start[slow_rows] + np.sin(1.0 + np.arange(len(slow_rows))))
    elsewhere, left = (value.full() for value in stiffness(turned, dae.p.start))
    scale = np.abs(at_start).max()
    if max(np.abs(left).max(), np.abs(tension).max(), np.abs(elsewhere @ N).max()) > 1e-9 * scale:
        raise ParameterError(
            f"singular_perturbation: {listing(energies)}: some are deformed at the start values or after a motion of "
            f"{listing(dae.q_names[i] for i in slow_rows)} alone; must be undeformed there. Leave them "
            "out of stiff=[...]."
        )
    return RigidMotion(tuple(energies), tuple(slow_rows), tuple(fast), N, np.eye(n)[:, fast])


def _stiff_energies(dae: DAE, stiff: Sequence[str] | None) -> Mapping[str, ca.SX]:
    energies = stored_energies(dae.tree, dae.q)
    if stiff is None:
        if not energies:
            raise ParameterError(f"singular_perturbation: no block of '{dae.name}' stores energy: nothing is fast.")
        return energies
    stiff = (stiff,) if isinstance(stiff, str) else tuple(stiff)
    for name in stiff:
        if name not in energies:
            raise NameUnknownError(
                f"singular_perturbation: stiff: no block '{name}' stores energy ({listing(energies)})."
                f"{nearest(str(name), energies)}"
            )
    return {name: energies[name] for name in dict.fromkeys(stiff)}


def _null_space(K: np.ndarray) -> np.ndarray:
    """Return the null space (n, r), each coordinate measured by its own stiffness."""
    own = np.abs(np.diag(K))
    scale = 1 / np.sqrt(np.where(own > 0, own, 1.0))
    values, vectors = np.linalg.eigh(K * np.outer(scale, scale))
    return scale[:, None] * vectors[:, np.abs(values) < SLACK]


def _coordinates(dae: DAE, names: Sequence[str]) -> tuple[str, ...]:
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        if name not in dae.q_names:
            raise NameUnknownError(
                f"singular_perturbation: slow: there is no coordinate '{name}' ({listing(dae.q_names)})."
                f"{nearest(str(name), dae.q_names)}"
            )
    return names


def _joints_first(dae: DAE) -> list[int]:
    """Return all coordinates, those of blocks that carry others first."""
    carried = np.zeros(dae.tree.size, dtype=bool)
    for body in dae.tree.bodies:
        if body.terms.outlets:
            carried |= np.abs(body.share.full()).max(axis=0, initial=0.0) > 0
    return sorted(range(dae.tree.size), key=lambda i: (not carried[i], i))


def _told_by(N: np.ndarray, candidates: Sequence[int]) -> list[int]:
    """Return the first of the candidates that together tell the rigid motions apart."""
    found: list[int] = []
    for i in candidates:
        rows = N[[*found, i]]
        if np.linalg.matrix_rank(rows / np.abs(N).max(), tol=1e-9) == len(rows):
            found.append(i)
    return sorted(found)
