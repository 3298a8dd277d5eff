"""What inputs can move and outputs can see of a linear model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.spectral_split import Part, split_rigid
from flexblocks.state_scales import state_scales

# Directions less parallel than this are not reached at all.
REACHED = 1e-8
# Eigenvalues nearer to each other than this share of their size are one, with several shapes.
SAME = 1e-7


@dataclass(frozen=True)
class ModeReach:
    """How well a mode is reached.

    Attributes
    ----------
    eigenvalue : complex
        [1/s]; of a pair the one with a positive imaginary part.
    controllability, observability : float
        Cosine of the angle between the mode's left (right) eigenvector and the nearest input (output) direction, in
        states scaled alike; 0 for out of reach.
    input, output : str
        The nearest; empty where there is none.
    """

    eigenvalue: complex
    controllability: float
    observability: float
    input: str
    output: str

    def __str__(self) -> str:
        moved = f"moved by {self.input} ({self.controllability:.2g})" if self.input else "no input moves it"
        seen = f"seen in {self.output} ({self.observability:.2g})" if self.output else "no output shows it"
        return f"{self.eigenvalue:.4g} 1/s: {moved}, {seen}"


@dataclass(frozen=True)
class Reach:
    """Ranks of a linear model, and mode by mode.

    Attributes
    ----------
    states, controllable, observable : int
        How many states there are, and how many dimensions inputs can move and outputs can see.
    rigid, rigid_controllable, rigid_observable : int
        The same of the part with eigenvalue 0.
    modes : tuple of ModeReach
        All other modes, from slow to fast.
    """

    states: int
    controllable: int
    observable: int
    rigid: int
    rigid_controllable: int
    rigid_observable: int
    modes: tuple[ModeReach, ...]

    @property
    def minimal(self) -> bool:
        """Whether everything can be moved and seen: no smaller model has the same transfer function."""
        return self.controllable == self.observable == self.states

    def __str__(self) -> str:
        head = f"{self.states} states, {self.controllable} controllable, {self.observable} observable"
        rigid = f"at eigenvalue 0: {self.rigid}, {self.rigid_controllable} and {self.rigid_observable}"
        return "\n".join([head, rigid, *map(str, self.modes)])


def find_reach(A: np.ndarray, B: np.ndarray, C: np.ndarray, inputs: Sequence[str], outputs: Sequence[str]) -> Reach:
    """Return what inputs move and outputs see of x' = A x + B u, y = C x.

    Notes
    -----
    By the criterion of Popov, Belevitch and Hautus, eigenvalue by eigenvalue; the rank of [B, A B, A^2 B, ...] means
    nothing for an arm, whose eigenvalues spread over decades. Only the nilpotent part at eigenvalue 0 is judged by it.
    """
    scale = state_scales(A)
    A, B, C = A / scale[:, None] * scale, _unit(B.T / scale).T, _unit(C * scale)
    rigid, elastic = split_rigid(A)
    values, vectors = np.linalg.eig(elastic.A) if elastic.A.size else (np.zeros(0), np.zeros((0, 0)))
    moved = _unit(np.linalg.solve(vectors, elastic.left) if len(values) else np.zeros((0, len(A)))) @ B
    seen = C @ _unit((elastic.right @ vectors).T).T
    modes = []
    for i in np.lexsort((np.real(values), np.abs(values))):
        if np.imag(values[i]) >= 0:
            (controllability, nearest_input), (observability, nearest_output) = (
                _nearest(moved[i], inputs),
                _nearest(seen[:, i], outputs),
            )
            modes.append(ModeReach(complex(values[i]), controllability, observability, nearest_input, nearest_output))
    rigid_moved, rigid_seen = _rank_of_chain(rigid, B), _rank_of_chain(_transposed(rigid), C.T)
    groups = _groups(values)
    return Reach(
        states=len(A),
        controllable=rigid_moved + sum(_rank(moved[group]) for group in groups),
        observable=rigid_seen + sum(_rank(seen[:, group]) for group in groups),
        rigid=len(rigid.A),
        rigid_controllable=rigid_moved,
        rigid_observable=rigid_seen,
        modes=tuple(modes),
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
    """Return positions of equal eigenvalues together."""
    groups: list[list[int]] = []
    for i, value in enumerate(values):
        for group in groups:
            if abs(values[group[0]] - value) <= SAME * abs(value):
                group.append(i)
                break
        else:
            groups.append([i])
    return groups


def _transposed(part: Part) -> Part:
    return Part(part.A.T, part.left.T, part.right.T)


def _rank_of_chain(part: Part, B: np.ndarray) -> int:
    """Return the rank of [B, A B, A^2 B, ...] on a nilpotent part."""
    size = np.linalg.norm(part.A, 2) if part.A.size else 0.0
    columns = [part.left @ B]
    for _ in range(len(part.A) - 1):
        columns.append(part.A @ columns[-1] / size if size else 0 * columns[-1])
    return _rank(np.hstack(columns))
