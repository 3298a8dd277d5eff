"""Change points on the way of a linkage: postures in which several motions go on, as of a parallelogram in line.

There the closures lose rank, and which of the motions continues is decided by rounding: the result is one of several.
Along a way that passes such a point an orientation flips, that of the closures' slopes J (m, n) with the motions N
(n - m, n) that they leave, the sign of det [J; N], with N turned along from posture to posture (the test for
bifurcations of numerical continuation; Allgower & Georg 1990, section 8.1). Where another motion continues than the one
that arrived, it need not flip, but the smallest singular value of J comes down to zero. Beams that bend keep a linkage
from being in line exactly, and its joints alone decide: there, what is nearly in line counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from flexblocks.constraints.deformation import deforming
from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.constraints.loop_newton import RANK, polished
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.charts import chart_functions
from flexblocks.errors import listing

# Of two postures, how much of the volume of the motions N must be left in those of the next: beyond, they are too far
# apart to show how these turn.
TURNED = 0.1
# Of neighbours at most so many postures apart, the same volume from which on nothing is looked for between them.
COARSE, STRAIGHT = 16, 0.9
CHUNK = 500  # postures that are looked at together: matrices of as many fit into memory
# Smallest singular value, as a share of the largest one on the way, that counts as zero: of rigid links, where a
# difference in length of 1e-6 leaves 1e-3; and of joints beside beams, which bend by more than that.
ZERO, NEARLY = 1e-3, 0.05
NEAR = 0.3  # the same share of postures beside which it is looked for
SECTIONS = 24  # of an interval in which the least one is: by golden section, to 1e-5 of it
HAIR = 1e-5  # by which singular values are differentiated [rad, lengths of the loops]
# Share of the coordinates' largest motion from which on a joint is named.
NAMED = 0.1


def change_points(dae: DAE, q: np.ndarray, p: np.ndarray, held: np.ndarray | None = None) -> np.ndarray:
    """Return which of the postures q (k, n) on a way come right behind a change point.

    Parameters
    ----------
    dae : DAE
    q : ndarray (k, n)
        Postures, so near to each other that they show the motion.
    p : ndarray (np,)
    held : ndarray (n,) of bool, optional
        Coordinates that are led along the way.

    Notes
    -----
    None are listed for arms whose attitudes change their coordinates on the way, nor where loops decide for one another
    how they go on.
    """
    if len(q) < 2 or not may_pass(dae, q[0], p):
        return np.zeros(0, dtype=int)
    joints = ~deforming(dae)
    looked_at = [(np.ones(dae.tree.size, dtype=bool), ZERO)]
    if not joints.all():
        locked = not _close_loops(dae, q[0], p, joints)  # of these, those that are not held
        looked_at.append((joints & ~held if locked and held is not None else joints, NEARLY))
    sets = [(np.flatnonzero(mask), zero) for mask, zero in looked_at if mask.any()]
    behind = [_behind(dae, q, p, columns, zero, _followed(dae, q, p, columns)) for columns, zero in sets]
    found = np.unique(np.concatenate([np.zeros(0, dtype=int), *behind]))
    return found[np.diff(found, prepend=-9) > 2]  # one that is seen in two ways is one


def _behind(dae: DAE, q: np.ndarray, p: np.ndarray, columns: np.ndarray, zero: float, way: _Way) -> np.ndarray:
    """Return which postures come right behind a change point by the slopes in some coordinates."""
    at, size, most = way.at, way.size, np.max(way.size)
    # Least ones that may be zero in between, by what changes from posture to posture.
    i = 1 + np.flatnonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & (size[1:-1] < NEAR * most))
    i = i[size[i] <= size[i - 1] + size[i + 1] - 2 * size[i]]
    three = [slice(j - 1, j + 2) for j in i.tolist()]
    passed = [at[each.stop - 1] for each in three if _vanishes(dae, q[at[each]], size[each], p, columns, zero * most)]
    return np.union1d(at[way.flips], passed).astype(int)


def _vanishes(dae: DAE, q: np.ndarray, size: np.ndarray, p: np.ndarray, columns: np.ndarray, zero: float) -> bool:
    """Return whether the least singular value is below `zero` at a closed posture between three (3, n).

    By golden section; those of the three are `size` (3,). It changes no faster than twice as fast as between these and
    those that were found, so that what is too far above cannot come down in what is left.
    """
    if size.min() < zero:
        return True
    equations, free, (before, _, after) = closure_equations(dae), np.ones(q.shape[1], dtype=bool), q

    def value(share: float) -> float:
        q = polished(equations, before + share * (after - before), p, free)
        return float(np.linalg.svd(_slopes(dae, q[None], p)[0][:, columns], compute_uv=False)[-1])

    golden = (np.sqrt(5.0) - 1) / 2
    low, high = 0.0, 1.0
    left, right = value(1 - golden), value(golden)
    steepest = 2 * float(np.max(np.abs(size[[0, 2]] - size[1]))) / 0.5
    for _ in range(SECTIONS):
        least = min(left, right)
        steepest = max(steepest, 2 * abs(right - left) / ((2 * golden - 1) * (high - low)))
        if least < zero or least - steepest * (high - low) > zero:
            break
        if left < right:
            high, right = low + golden * (high - low), left
            left = value(high - golden * (high - low))
        else:
            low, left = high - golden * (high - low), right
            right = value(low + golden * (high - low))
    return min(left, right) < zero


def _close_loops(dae: DAE, q: np.ndarray, p: np.ndarray, columns: np.ndarray) -> bool:
    """Whether coordinates at `columns` alone close the loops next to a posture (n,), as joints do but for beams."""
    J = _slopes(dae, q[None], p)[0][:, columns]
    return J.shape[0] < J.shape[1] and bool(np.linalg.matrix_rank(J, RANK * np.linalg.norm(J, 2)) == len(J))


@dataclass(frozen=True)
class _Way:
    """What the slopes in some coordinates are at those postures of a way that were looked at.

    Attributes
    ----------
    at : ndarray (j,) of int
        The postures.
    size : ndarray (j,)
        The smallest singular values of the slopes.
    flips : ndarray (j,) of bool
        Where an orientation flips, from the posture before.
    """

    at: np.ndarray
    size: np.ndarray
    flips: np.ndarray


def _followed(dae: DAE, q: np.ndarray, p: np.ndarray, columns: np.ndarray) -> _Way:
    """Return the slopes along a way of k postures: at a few, and at all between those that differ much.

    Such are neighbours between which the motions turn much or an orientation flips, or beside which a singular value is
    small.
    """
    apart = min(COARSE, len(q) - 1)
    at = np.unique(np.append(np.arange(0, len(q), apart), len(q) - 1))
    known = _Motions.at(dae, q[at], p, columns)
    while True:
        turned, flips = known.turned()
        small = known.size < NEAR * np.max(known.size)
        near = (np.abs(turned) > STRAIGHT) & ~flips & ~small[1:] & ~small[:-1]
        i = np.flatnonzero((np.diff(at) > 1) & ~near)
        if not i.size:
            return _Way(at, known.size, np.append(False, flips))
        between = (at[i] + at[i + 1]) // 2
        known = known.with_more(_Motions.at(dae, q[between], p, columns), i + 1)
        at = np.insert(at, i + 1, between)


@dataclass(frozen=True)
class _Motions:
    """Slopes J at postures (j): the smallest singular value, the motions N (j, n - m, n), the sign of det [J; N]."""

    size: np.ndarray
    motions: np.ndarray
    orientation: np.ndarray

    @classmethod
    def at(cls, dae: DAE, q: np.ndarray, p: np.ndarray, columns: np.ndarray) -> _Motions:
        """Return those at postures (j, n), of the slopes in these coordinates."""
        sizes, motions, orientations = [], [], []
        for first in range(0, len(q), CHUNK):
            slopes = _slopes(dae, q[first : first + CHUNK], p)[:, :, columns]
            count = slopes.shape[1]
            basis, triangle = np.linalg.qr(slopes.swapaxes(1, 2), mode="complete")
            square = triangle[:, :count]
            sizes.append(np.linalg.svd(square, compute_uv=False)[:, -1])
            motions.append(basis[:, :, count:].swapaxes(1, 2))
            signs = np.sign(np.linalg.det(basis)) * np.prod(np.sign(np.diagonal(square, axis1=1, axis2=2)), axis=1)
            orientations.append(signs)
        return cls(np.concatenate(sizes), np.concatenate(motions), np.concatenate(orientations))

    def with_more(self, other: _Motions, before: np.ndarray) -> _Motions:
        """Return these with others, each inserted before one of these."""
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(self))
        return _Motions(*(np.insert(ours, before, theirs, axis=0) for ours, theirs in pairs))

    def turned(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the volume of each's motions in those of the next (j - 1), and whether the orientation flips."""
        if not self.motions.shape[1]:  # they close no loops by themselves
            return np.ones(len(self.size) - 1), np.zeros(len(self.size) - 1, dtype=bool)
        turned = np.linalg.det(self.motions[1:] @ self.motions[:-1].swapaxes(1, 2))
        return turned, (np.abs(turned) > TURNED) & (self.orientation[1:] * self.orientation[:-1] * turned < 0)


def joints_in_line(dae: DAE, q: np.ndarray, p: np.ndarray) -> tuple[str, ...]:
    """Return the joints that move in the motion that the closures hold least, at postures (k, n)."""
    joints = ~deforming(dae)
    least = min(len(dae.tree.loops.multipliers), np.count_nonzero(joints)) - 1
    motion = np.abs(np.linalg.svd(_slopes(dae, q, p)[:, :, joints])[2][:, least:])
    most = motion.max(axis=(0, 1)) / motion.max(initial=1e-300)
    return tuple(name for name, share in zip(np.array(dae.q_names)[joints], most, strict=True) if share > NAMED)


def way_to_change_point(dae: DAE, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> float:
    """Return how long a motion with rates `v` (n,) continues to a change point [s], by the slope of a singular value.

    It is negative behind one, and infinite where there is none, or nothing moves.
    """
    speed = float(np.max(np.abs(v / closure_equations(dae).unit), initial=0.0))
    if not speed or not may_pass(dae, q, p):
        return np.inf
    hair = HAIR / speed
    before, here, after = np.linalg.svd(_slopes(dae, q + np.outer([-hair, 0.0, hair], v), p), compute_uv=False)[:, -1]
    slope = (after - before) / (2 * hair)
    return float(-here / slope) if slope else np.inf


def may_pass(dae: DAE, q: np.ndarray, p: np.ndarray) -> bool:
    """Whether change points are looked for, on a way from a posture (n,).

    Loops that depend on each other, as of three parallel cranks, decide how all go on; where they did not, they would
    come open: see `flexblocks.simulation.loops`.
    """
    equations, kept = closure_equations(dae), len(dae.tree.loops.multipliers)
    if not kept or chart_functions(dae.tree):
        return False
    slopes = equations.mismatch(q, p)[1].full() * equations.unit
    ranks = [np.linalg.matrix_rank(of_cut, RANK) for of_cut in slopes.reshape(-1, 12, dae.tree.size)]
    return sum(ranks) <= kept


def _slopes(dae: DAE, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the slopes (postures, m, n) of the closures, lengths in those of the loops."""
    equations, n, count = closure_equations(dae), dae.tree.size, len(q)
    slopes = equations.closures.map(count)(q.T, np.tile(p, (count, 1)).T)[1].full()
    J = slopes.reshape(len(slopes), count, n).swapaxes(0, 1) * equations.unit
    J[:, np.array([unit == "N" for unit in dae.tree.loops.units], dtype=bool)] /= equations.length
    return J


def passed_words(at: str, joints: Sequence[str]) -> str:
    """Return what is reported of change points that were passed at some place, with these joints in line."""
    return (
        f"its loops pass a change point at about {at}, where {listing(list(joints), 6)} are in line and do not "
        "determine how they move on: rounding decides which of several motions follows"
    )
