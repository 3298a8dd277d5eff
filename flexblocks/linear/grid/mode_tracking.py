"""Mode tracking over a grid by mode shapes, so that modes whose frequencies cross keep their numbers.

The measure is the modal assurance criterion, weighted by mass, between neighbours:

    MAC = |phi' M psi|^2 / (phi' M phi  psi' M psi)

1 for the same shape, 0 for shapes that have nothing in common. Where two modes come near to each other and turn into
one another (veering), it falls on the way; which of them continues as which is then not for shapes to say.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from flexblocks.libraries import scipy
from flexblocks.linear.mode import Mode
from flexblocks.linear.modes import Modes
from flexblocks.linear.participation import quadratic

# Eigenvalues that differ by less than this fraction of their size are a multiple one, with arbitrary shape basis.
SAME = 1e-6
# Weight of the distance of eigenvalues against the MAC: it decides between modes of equal shape, growing and decaying.
TIE = 1e-3


@dataclass(frozen=True, eq=False)
class Tracks:
    """Tracks of modes over a grid.

    Attributes
    ----------
    number : ndarray of int (..., tracks)
        Index of the mode of each track at each node; -1 if it has none there.
    mac : ndarray (..., tracks)
        The smallest MAC to the same track at the preceding neighbours; 1 at the first node, nan without a mode.
    """

    number: np.ndarray
    mac: np.ndarray


@dataclass(frozen=True, eq=False)
class _GridPoint:
    """Modes at a node, grouped by eigenvalue, with the mode and the shape of each track."""

    modes: Modes
    groups: list[list[int]]
    mass: np.ndarray
    tracks: dict[int, int]
    shapes: dict[int, np.ndarray]

    def mac(self, t: int, other: _GridPoint, number: int) -> float:
        """Return the MAC of a track and a mode of a neighbour.

        For a multiple eigenvalue it is the part of the shape in the space of its modes.
        """
        mass = (self.mass + other.mass) / 2
        mode, shape = self.modes[self.tracks[t]], self.shapes[t]
        return min(sum(mac(mass, mode, shape, other.modes[i]) for i in other.groups[number]), 1.0)


def track(modes: np.ndarray, masses: np.ndarray) -> Tracks:
    """Track modes over a grid.

    Parameters
    ----------
    modes : ndarray of Modes (...)
    masses : ndarray (..., n, n)
        Mass matrices at the nodes.
    """
    nodes: dict[tuple[int, ...], _GridPoint] = {}
    macs: dict[tuple[int, ...], dict[int, float]] = {}
    count = 0
    for place in np.ndindex(modes.shape):
        here: Modes = modes[place]  # pyright: ignore[reportAssignmentType]
        bare = _GridPoint(here, _groups(here), masses[place], {}, {})
        before = [nodes[_step_back(place, axis)] for axis in range(modes.ndim) if place[axis]]
        continued = _continued(before[-1], bare) if before else {}
        new = sorted(set(range(len(here))) - set(continued.values()))
        continued |= dict(zip(range(count, count + len(new)), new, strict=True))
        count += len(new)
        shapes = {t: _aligned(before[-1].shapes.get(t) if before else None, bare, i) for t, i in continued.items()}
        nodes[place] = dataclasses.replace(bare, tracks=continued, shapes=shapes)
        macs[place] = {
            t: min((node.mac(t, bare, i) for node in before if t in node.tracks), default=0.0 if before else 1.0)
            for t, i in continued.items()
        }
    number, least = np.full((*modes.shape, count), -1), np.full((*modes.shape, count), np.nan)
    for place, node in nodes.items():
        for t, i in node.tracks.items():
            number[(*place, t)], least[(*place, t)] = i, macs[place][t]
    return Tracks(number, least)


def mac(mass: np.ndarray, first: Mode, shape: np.ndarray, second: Mode) -> float:
    """Return the MAC of a mode, with a `shape`, and another; by participation of blocks if no coordinate takes part."""
    if (first.energy == "state") != (second.energy == "state"):
        return 0.0
    if first.energy == "state":
        both = set(first.participation) & set(second.participation)
        return sum(np.sqrt(first.participation[name] * second.participation[name]) for name in both) ** 2
    both = abs(shape.conj() @ mass @ second.shape) ** 2
    return float(both / (quadratic(mass, shape) * quadratic(mass, second.shape)))


def _continued(before: _GridPoint, here: _GridPoint) -> dict[int, int]:
    """Return the mode that continues each track, by the assignment of largest total MAC."""
    tracks, numbers = list(before.tracks), range(len(here.modes))
    gain = np.zeros((len(tracks), len(numbers)))
    for row, t in enumerate(tracks):
        for i in numbers:
            gain[row, i] = before.mac(t, here, i) - TIE * _apart(before.modes[before.tracks[t]], here.modes[i])
    rows, columns = scipy.optimize.linear_sum_assignment(-gain)
    return {tracks[row]: int(column) for row, column in zip(rows, columns, strict=True)}


def _aligned(before: np.ndarray | None, here: _GridPoint, number: int) -> np.ndarray:
    """Return the shape of a multiple eigenvalue that is closest to the one before."""
    group = here.groups[number]
    if before is None or len(group) == 1 or not before.any():
        return here.modes[number].shape
    basis = np.array([here.modes[i].shape for i in group]).T
    parts = np.linalg.lstsq(basis.conj().T @ here.mass @ basis, basis.conj().T @ here.mass @ before, rcond=None)[0]
    shape = basis @ parts
    return shape if shape.any() else here.modes[number].shape


def _groups(modes: Modes) -> list[list[int]]:
    """Return for each mode all those of its eigenvalue."""
    values = modes.eigenvalue
    return [np.flatnonzero(np.abs(values - value) <= SAME * abs(value)).tolist() for value in values]


def _apart(first: Mode, second: Mode) -> float:
    size = abs(first.eigenvalue) + abs(second.eigenvalue)
    return abs(first.eigenvalue - second.eigenvalue) / size if size else 0.0


def _step_back(node: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return tuple(i - (k == axis) for k, i in enumerate(node))
