"""Controllability and observability of a linear model, mode by mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.errors import listing
from flexblocks.linear.mode import Mode
from flexblocks.linear.scaling import state_scales
from flexblocks.linear.spectral_split import InvariantSubspace, split_rigid

# Cosine of an angle below which directions count as orthogonal.
REACHED = 1e-8
# Eigenvalues that differ by less than this fraction of their size count as a multiple one.
SAME = 1e-7
# A state takes part in a direction if its entry exceeds this fraction of the largest.
LARGE = 0.1


@dataclass(frozen=True)
class ModeControllability:
    """Controllability and observability of one mode.

    Attributes
    ----------
    eigenvalue : complex
        [1/s]; of a pair the one with a positive imaginary part.
    controllability, observability : float
        Cosine of the angle between the mode's left (right) eigenvector and the nearest input (output) direction, in
        balanced states; 0 if uncontrollable or unobservable.
    input, output : str
        The input or output with that direction; empty if there is none.
    name : str
        Number and description of the mode in `LinearModel.modes`.
    """

    eigenvalue: complex
    controllability: float
    observability: float
    input: str
    output: str
    name: str = ""

    def __str__(self) -> str:
        moved = f"moved by {self.input} ({self.controllability:.2g})" if self.input else "no input moves it"
        seen = f"seen in {self.output} ({self.observability:.2g})" if self.output else "no output shows it"
        return f"{self.name or f'{self.eigenvalue:.4g} 1/s'}: {moved}, {seen}"


@dataclass(frozen=True)
class ControllabilityReport:
    """Controllability and observability of a linear model: ranks, and mode by mode.

    Attributes
    ----------
    states, controllable, observable : int
        Number of states, and dimensions of the controllable subspace and of the observable quotient space.
    rigid, rigid_controllable, rigid_observable : int
        The same for the part with eigenvalue 0.
    modes : tuple of ModeControllability
        All other modes, from slow to fast.
    rigid_unmoved, rigid_unseen : tuple of str
        States that take part in uncontrollable, or unobservable, motions at eigenvalue 0.
    """

    states: int
    controllable: int
    observable: int
    rigid: int
    rigid_controllable: int
    rigid_observable: int
    modes: tuple[ModeControllability, ...]
    rigid_unmoved: tuple[str, ...] = ()
    rigid_unseen: tuple[str, ...] = ()

    @property
    def minimal(self) -> bool:
        """Whether the realisation is minimal: no smaller model has the same transfer function."""
        return self.controllable == self.observable == self.states

    def __repr__(self) -> str:
        return (
            f"ControllabilityReport({self.states} states, {self.controllable} controllable, "
            f"{self.observable} observable)"
        )

    def __str__(self) -> str:
        head = f"{self.states} states, {self.controllable} controllable, {self.observable} observable"
        rigid = f"at eigenvalue 0: {self.rigid}, {self.rigid_controllable} and {self.rigid_observable}"
        if self.rigid_unmoved:
            rigid += f"; no input moves a motion of {listing(self.rigid_unmoved, 6)}"
        if self.rigid_unseen:
            rigid += f"; no output shows a motion of {listing(self.rigid_unseen, 6)}"
        return "\n".join([head, rigid, *map(str, self.modes)])


def controllability_report(
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    inputs: Sequence[str],
    outputs: Sequence[str],
    states: Sequence[str] = (),
    modes: Sequence[Mode] = (),
) -> ControllabilityReport:
    """Analyse controllability and observability of x' = A x + B u, y = C x; `states` and `modes` name the results.

    Notes
    -----
    By the test of Popov, Belevitch and Hautus, eigenvalue by eigenvalue: the numerical rank of [B, A B, A^2 B, ...] is
    meaningless for an arm, whose eigenvalues spread over decades. It is used for the nilpotent part at eigenvalue 0.
    """
    # Balanced states, inputs and outputs of unit length, rigid-body part split off.
    scale = state_scales(A)
    A, B, C = A / scale[:, None] * scale, _unit(B.T / scale).T, _unit(C * scale)
    rigid, elastic = split_rigid(A)
    # Cosines between eigenvectors and input or output directions.
    values, vectors = np.linalg.eig(elastic.A) if elastic.A.size else (np.zeros(0), np.zeros((0, 0)))
    moved = _unit(np.linalg.solve(vectors, elastic.left) if len(values) else np.zeros((0, len(A)))) @ B
    seen = C @ _unit((elastic.right @ vectors).T).T
    elastic_modes, unnamed = [], {number: mode for number, mode in enumerate(modes, 1) if mode.eigenvalue != 0}
    for i in np.lexsort((np.real(values), np.abs(values))):
        if np.imag(values[i]) >= 0:
            (controllability, nearest_input), (observability, nearest_output) = (
                _nearest(moved[i], inputs),
                _nearest(seen[:, i], outputs),
            )
            value = complex(values[i])
            name = _take_name(value, unnamed)
            elastic_modes.append(
                ModeControllability(value, controllability, observability, nearest_input, nearest_output, name)
            )
    # Rigid-body part by the Kalman rank.
    rigid_moved, unmoved = _chain(rigid, B)
    rigid_seen, unseen = _chain(_transposed(rigid), C.T)
    groups = _groups(values)
    return ControllabilityReport(
        states=len(A),
        controllable=rigid_moved + sum(_rank(moved[group]) for group in groups),
        observable=rigid_seen + sum(_rank(seen[:, group]) for group in groups),
        rigid=len(rigid.A),
        rigid_controllable=rigid_moved,
        rigid_observable=rigid_seen,
        modes=tuple(elastic_modes),
        rigid_unmoved=_mostly(rigid.left.T @ unmoved, states),
        rigid_unseen=_mostly(rigid.right @ unseen, states),
    )


def _unit(rows: np.ndarray) -> np.ndarray:
    """Return rows of length 1; those that are zero stay zero."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1.0)


def _nearest(cosines: np.ndarray, names: Sequence[str]) -> tuple[float, str]:
    size = np.abs(cosines)
    if not size.size or np.max(size) <= REACHED:
        return 0.0, ""
    return float(np.max(size)), names[int(np.argmax(size))]


def _rank(matrix: np.ndarray) -> int:
    return int(np.count_nonzero(np.linalg.svd(matrix, compute_uv=False) > REACHED)) if matrix.size else 0


def _groups(values: np.ndarray) -> list[list[int]]:
    """Return indices of the eigenvalues, equal ones in one group."""
    groups: list[list[int]] = []
    for i, value in enumerate(values):
        for group in groups:
            if abs(values[group[0]] - value) <= SAME * abs(value):
                group.append(i)
                break
        else:
            groups.append([i])
    return groups


def _transposed(part: InvariantSubspace) -> InvariantSubspace:
    return InvariantSubspace(part.A.T, part.left.T, part.right.T)


def _chain(part: InvariantSubspace, B: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the rank of [B, A B, A^2 B, ...] on a nilpotent part, and a basis of its orthogonal complement (k, j)."""
    size = np.linalg.norm(part.A, 2) if part.A.size else 0.0
    columns = [part.left @ B]
    for _ in range(len(part.A) - 1):
        columns.append(part.A @ columns[-1] / size if size else 0 * columns[-1])
    chain = np.hstack(columns)
    if not chain.size:
        return 0, np.eye(len(part.A))
    directions, values, _ = np.linalg.svd(chain)
    rank = int(np.count_nonzero(values > REACHED))
    return rank, directions[:, rank:]


def _take_name(value: complex, left: dict[int, Mode]) -> str:
    """Return number and description of the mode with that eigenvalue, and remove it from `left`."""
    if not left:
        return ""
    number = min(left, key=lambda i: abs(left[i].eigenvalue - value))
    return f"mode {number}, {left.pop(number).motion}"


def _mostly(directions: np.ndarray, states: Sequence[str]) -> tuple[str, ...]:
    """Return the states with large entries in any of the directions (nx, j)."""
    size = np.max(np.abs(directions), axis=1, initial=0.0)
    return tuple(name for name, part in zip(states, size.tolist(), strict=False) if part > LARGE * np.max(size))
