"""Undetermined parameters: unknowns that the data do not show, or show only in combination."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.errors import listing
from flexblocks.identification.unknowns.sought import Unknowns

# A standard deviation of half of what is large for an unknown: its 95 % interval is as wide as the unknown is large.
UNTOLD = 0.5
TAKES_PART = 0.1  # share of the greatest entry of a direction


@dataclass(frozen=True)
class Undetermined:
    """A direction of the unknowns along which the data are uninformative.

    Attributes
    ----------
    names : tuple of str
        Of the unknowns that take part; one alone is not seen at all.
    changes : tuple of float
        How much each changes along it, in shares of itself; of offsets and start states in shares of what is large.
    deviation : float
        Standard deviation along it, in the same shares.
    """

    names: tuple[str, ...]
    changes: tuple[float, ...]
    deviation: float

    @property
    def is_unseen(self) -> bool:
        """Whether it is one unknown, which the data do not show even if all others were known."""
        return len(self.names) == 1

    def __str__(self) -> str:
        if self.is_unseen:
            return f"the data do not show {self.names[0]}"
        size = max(abs(change) for change in self.changes)
        moves = [f"{name} {10 * change / size:+.2g} %" for name, change in zip(self.names, self.changes, strict=True)]
        return f"the data show {listing(self.names)} only together: {', '.join(moves)} would go unnoticed"


def undetermined(unknowns: Unknowns, information: np.ndarray) -> tuple[Undetermined, ...]:
    """Return the directions along which an information (k, k) on z is zero, the unseen unknowns first."""
    names = unknowns.names
    alone = np.diag(information) < UNTOLD**-2
    found = [_unseen(names[i], float(information[i, i])) for i in np.flatnonzero(alone)]
    others = np.flatnonzero(~alone)
    if not len(others):
        return tuple(found)
    values, vectors = np.linalg.eigh(information[np.ix_(others, others)])
    untold = values < UNTOLD**-2
    directions = _few_entries(vectors[:, untold])
    for direction in directions.T:
        sharpness = float(direction @ information[np.ix_(others, others)] @ direction)
        taking_part = np.flatnonzero(np.abs(direction) > TAKES_PART * np.abs(direction).max())
        deviation = 1 / np.sqrt(sharpness) if sharpness > 0 else np.inf
        changes = tuple(float(direction[i]) for i in taking_part)
        found.append(Undetermined(tuple(names[others[i]] for i in taking_part), changes, deviation))
    return tuple(found)


def _unseen(name: str, information: float) -> Undetermined:
    return Undetermined((name,), (1.0,), 1 / np.sqrt(information) if information > 0 else np.inf)


def _few_entries(basis: np.ndarray) -> np.ndarray:
    """Return directions (k, d) of unit length that span the same, with few entries each: by Gauss elimination."""
    rows = basis.T.copy()
    used: list[int] = []
    for i in range(len(rows)):
        rest = np.abs(rows[i]).copy()
        rest[used] = 0.0
        pivot = int(np.argmax(rest))
        used.append(pivot)
        rows[i] /= rows[i, pivot]
        for j in range(len(rows)):
            if j != i:
                rows[j] -= rows[j, pivot] * rows[i]
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).T if len(rows) else basis
