"""Lines out of reach: refused before anything is solved."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from scipy.stats import qmc

from flexblocks.geometry import place
from flexblocks.libraries import scipy

from ...errors import ProblemError
from ...problem.path_constraints import Follow
from ..boundary import End
from ..equilibrium import joint_motions
from ..magnitudes.characteristic_magnitudes import magnitudes
from ..phase_transcription import PhaseTranscription
from ..transcribed_problem import TranscribedProblem
from .passages import passages

PASSAGES = 9  # of a line, by trial: a hole in what is in reach is mostly wider than a tenth of the line
BENT = 3.0  # times the deflections of the rigid motion, by which an arm may bend to be on its line; by trial
TRIES = 16  # postures from which a place is looked for, a power of two
TURN = np.pi  # rad: half width of their joints' angles; of slides, twice the length of the arm
STAY = 1e-4  # weight of what a posture is moved and bent, so that the search has one end
KEPT = 1e3  # weight of what is beyond limits
ROUNDING = 1e-3  # of a tolerance
ENOUGH = 1e-5  # relative change at which a search ends


def check_lines(transcribed: TranscribedProblem) -> None:
    """Refuse a line that has a place which every motion along it comes through, and where the arm cannot be.

    The arm is in any posture within the limits of its coordinates, at rest or in motion, and bent by no more than three
    times what the rigid arm's motion bends it. Not with closed loops, nor on bases that move as prescribed; nor where
    it is open at which point of the line the motion ends.
    """
    for t in transcribed.first:
        _check(t)


def _check(t: PhaseTranscription) -> None:
    lines = [
        (one, frame) for one in dict.fromkeys(t.path.constraints) if isinstance(one, Follow) for frame in one.frames
    ]
    knows = t.dae.tree.prescribed or t.dae.u.with_role("disturbance")
    if not lines or t.designed or t.dae.tree.loops.closures or knows:
        return
    search = _Search(t)
    for line, frame in lines:
        points = np.array(line.points, dtype=float)
        position = search.positions(frame, points.shape[1])
        if not all(_is_known(t, end, frame, position) for end in (t.begin, t.end)):
            continue
        first, last = (position(end.point.x[: t.dae.tree.size])[0] for end in (t.begin, t.end))
        looked_at = passages(points, line.tolerance, first, last, PASSAGES)
        offs = [search.distance(position, there, line.tolerance) for _, *there in looked_at.tolist()]
        worst = int(np.argmax(offs)) if offs else 0
        if offs and offs[worst] > line.tolerance * (1 + ROUNDING):
            share, *there = looked_at[worst].tolist()
            raise ProblemError(_refusal(line, frame, share, there, offs[worst], bool(search.bends.any())))


# Coordinates (n,) -> position (k,) of a point [m] and its derivatives (k, n).
Position = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def _is_known(t: PhaseTranscription, end: End, frame: str, position: Position) -> bool:
    """Whether a motion begins or ends with a point at a known place."""
    if end.kind == "fixed":
        return True
    moves = np.any(position(end.point.x[: t.dae.tree.size])[1], axis=1)
    names = [f"{frame}.{axis}" for axis, is_moved in zip("xyz", moves, strict=False) if is_moved]
    return end.kind == "rest" and all(name in end.prescribed_outputs for name in names)


class _Search:
    """Postures of an arm within its limits, searched for those that have a point at a place."""

    def __init__(self, t: PhaseTranscription) -> None:
        self._t = t
        self._size, ways = joint_motions(t.dae, t.start)
        self._joints = self._size[:, None] * ways / np.max(np.abs(ways), axis=0, initial=0.0)
        # Of a coordinate that is all within these motions, nothing is left to bending
        self._bend = np.sum(ways**2, axis=1) < 1.0 - ROUNDING
        self._last = np.zeros(self._joints.shape[1])

    @cached_property
    def bends(self) -> np.ndarray:
        """How far each coordinate goes by bending (n,), beside what the joints move it by."""
        return np.where(self._bend, BENT * magnitudes(self._t)["q"], 0.0)

    def positions(self, frame: str, dimensions: int) -> Position:
        """Return the position of a frame as a function of the coordinates."""
        dae, p = self._t.dae, self._t.p
        r = place(dae, frame)[:dimensions]
        function = ca.Function("position", [dae.q, dae.p.symbol], [ca.densify(r), ca.densify(ca.jacobian(r, dae.q))])

        def position(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            r, J = function(q, p)
            return r.full().ravel(), J.full()

        return position

    def distance(self, position: Position, there: list[float], tolerance: float) -> float:
        """Return how near the arm's point comes to a place [m], or the first distance within the tolerance."""
        k = self._joints.shape[1]
        straight = np.diag(self._size)[:, :0]  # nothing bends
        nearest, self._last = self._nearest(position, there, tolerance, self._last, straight)
        if nearest <= tolerance:
            return nearest
        bent = np.diag(self.bends)[:, self.bends > 0]
        drawn = (2 * qmc.Sobol(k, scramble=False).random(TRIES) - 1) * TURN if k else np.zeros((0, 0))
        for c in (self._last, np.zeros(k), *drawn):
            off, found = self._nearest(position, there, tolerance, c, bent)
            if off < nearest:
                nearest, self._last = off, found
            if nearest <= tolerance:
                break
        return nearest

    def _nearest(
        self, position: Position, there: list[float], tolerance: float, c: np.ndarray, bent: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Return the distance [m] of the nearest posture found from that of the joints, and the joints' part of it."""
        n, k = self._joints.shape
        spread = np.hstack([self._joints, bent])
        low, high = (limit[:n] for limit in self._t.limits.x.T)

        def moved(y: np.ndarray) -> np.ndarray:
            return self._t.start.x[:n] + spread @ y

        def residuals(y: np.ndarray) -> np.ndarray:
            q = moved(y)
            beyond = np.maximum(q - high, 0.0) - np.maximum(low - q, 0.0)
            return np.concatenate([(position(q)[0] - there) / tolerance, KEPT * beyond / self._size, STAY * y])

        def slopes(y: np.ndarray) -> np.ndarray:
            q = moved(y)
            beyond = ((q > high) | (q < low)) / self._size
            return np.vstack(
                [position(q)[1] @ spread / tolerance, KEPT * beyond[:, None] * spread, STAY * np.eye(len(y))]
            )

        jacobian: Any = slopes  # typed as a method by its name alone
        bound = np.concatenate([np.full(k, np.inf), np.ones(bent.shape[1])])
        y = np.concatenate([c, np.zeros(bent.shape[1])])
        found = scipy.optimize.least_squares(residuals, y, jacobian, (-bound, bound), ftol=ENOUGH, xtol=ENOUGH)
        return float(np.linalg.norm(position(moved(found.x))[0] - there)), found.x[:k]


def _refusal(line: Follow, frame: str, share: float, there: list[float], off: float, is_bent: bool) -> str:
    place_there = ", ".join(f"{value:.4g}" for value in there)
    bent = f", even if it bends {BENT:g} times as far as a smooth motion bends it" if is_bent else ""
    return (
        f"plan: path: {line.label}: {frame} cannot be within {line.tolerance:g} m of ({place_there}) m, "
        f"{100 * share:.0f} % of its way: within the limits of its coordinates the arm comes no nearer than "
        f"{off:.3g} m{bent}. Move the line, or widen its tolerance or the limits."
    )
