"""Lines out of reach: places of a line that every motion along it comes through, and where the arm cannot be."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from flexblocks.geometry import place
from flexblocks.libraries import scipy
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ...problem.path_constraints import Follow
from ..boundary import End
from ..bounds import no_limits
from ..equilibrium import joint_motions
from ..magnitudes.characteristic_magnitudes import magnitudes
from ..phase_transcription import PhaseTranscription
from ..postures.admissible import Admissible
from ..postures.posture_program import posture_program
from ..transcribed_problem import TranscribedProblem
from .conserved_center import TYPED
from .passages import passages

PASSAGES = 9  # of a line, by trial: a hole in what is in reach is mostly wider than a tenth of the line
BENT = 3.0  # times the deflections of the rigid motion, by which an arm may bend to be on its line; by trial


def check_lines(transcribed: TranscribedProblem) -> None:
    """Refuse a line that has a place which every motion along it comes through, and where the arm cannot be.

    The arm is in any posture of rest within the limits of its coordinates, whatever holds it, and bent beside that by
    no more than three times what the rigid arm's motion bends it. Not with closed loops, nor on bases that move as
    prescribed; nor where it is open at which point of the line the motion ends.
    """
    dae = transcribed.dae
    if dae.tree.loops.closures or dae.tree.prescribed or dae.u.with_role("disturbance"):
        return
    for t in transcribed.first if not transcribed.first[0].designed else ():
        for line in dict.fromkeys(one for one in t.path.constraints if isinstance(one, Follow)):
            for frame in line.frames:
                _check(t, line, frame)


def _check(t: PhaseTranscription, line: Follow, frame: str) -> None:
    points = np.array(line.points, dtype=float)
    position = _Position(t, frame, points.shape[1])
    if not all(position.is_known(end) for end in (t.begin, t.end)):
        return
    places = passages(points, line.tolerance, position(t.start.x)[0], position(t.goal.x)[0], PASSAGES)
    searches = list[_Search]()
    for share, *there in places.tolist():
        near = searches[-1].nearest if searches else t.start
        searches.append(_Search(t, position, share, np.array(there), near))
    # From all start points only where that may help: each takes long
    while worst := max(searches, key=lambda search: search.off, default=None):
        if worst.off <= line.tolerance * (1 + TYPED):
            return
        if worst.is_ended:
            raise ProblemError(worst.refusal(line, frame))
        worst.end(line.tolerance)


class _Position:
    """The position of a frame, as a function of the states."""

    def __init__(self, t: PhaseTranscription, frame: str, dimensions: int) -> None:
        self._t, self._frame, r = t, frame, place(t.dae, frame)[:dimensions]
        parts = [ca.densify(r), ca.densify(ca.jacobian(r, t.dae.q))]
        self._function = ca.Function("position", [t.dae.q, t.dae.p.symbol], parts)
        # Of a coordinate that is all within the motions of the joints, nothing is left to bending
        is_bent = np.sum(joint_motions(t.dae, t.start)[1] ** 2, axis=1) < 1.0 - TYPED
        self.bends = np.where(is_bent, BENT * magnitudes(t)["q"], 0.0) if is_bent.any() else np.zeros(t.dae.tree.size)

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the position (k,) [m] and its derivatives (k, n) in the coordinates."""
        r, J = self._function(x[: self._t.dae.tree.size], self._t.p)
        return r.full().ravel(), J.full()

    def distance(self, x: np.ndarray, there: np.ndarray) -> float:
        """Return how near to a place [m] the frame comes from a posture, bent within the limits of its coordinates."""
        q, bent = x[: self._t.dae.tree.size], self.bends > 0
        if not bent.any():
            return float(np.linalg.norm(self(q)[0] - there))
        low, high = self._t.limits.x[: len(q)][bent].T
        near, far = np.maximum(q[bent] - self.bends[bent], low), np.minimum(q[bent] + self.bends[bent], high)

        def off(bends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            posture = q.copy()
            posture[bent] = bends
            r, J = self(posture)
            return r - there, J[:, bent]

        found = scipy.optimize.least_squares(
            lambda bends: off(bends)[0],
            q[bent],
            jac=lambda bends: off(bends)[1],  # type: ignore[arg-type]
            bounds=(np.minimum(near, q[bent]), np.maximum(far, q[bent])),
            x_scale=self.bends[bent],
        )
        return float(np.linalg.norm(found.fun))

    @property
    def names(self) -> list[str]:
        """Names of the coordinates of the position that the arm changes."""
        moved = np.any(self(self._t.start.x)[1], axis=1)
        return [f"{self._frame}.{axis}" for axis, is_moved in zip("xyz", moved, strict=False) if is_moved]

    def is_known(self, end: End) -> bool:
        """Whether a motion begins or ends with the frame at a known place."""
        return end.kind == "fixed" or (
            end.kind == "rest" and all(name in end.prescribed_outputs for name in self.names)
        )


class _Search:
    """A search for the posture in which a frame is nearest to a place.

    Attributes
    ----------
    off : float
        How near it comes [m], so far.
    nearest : OperatingPoint
        The posture.
    is_ended : bool
        Whether it was looked for from all start points.
    """

    def __init__(
        self, t: PhaseTranscription, position: _Position, share: float, there: np.ndarray, near: OperatingPoint
    ) -> None:
        self._position, self._share, self._there, self.is_ended = position, share, there, False
        wanted = {name: float(there["xyz".index(name[-1])]) for name in position.names}
        self._program = posture_program(t.dae, wanted, near, Admissible(replace(no_limits(t.dae), x=t.limits.x)))
        self.off, self.nearest = np.inf, near
        self._from(self._program.start)

    def refusal(self, line: Follow, frame: str) -> str:
        """Return what is reported of a place that the frame does not come near."""
        bent = ""
        if self._position.bends.any():
            bent = f", even if it bends {BENT:g} times as far as a smooth motion bends it"
        return (
            f"plan: path: {line.label}: {frame} cannot be within {line.tolerance:g} m of "
            f"({', '.join(f'{value:.4g}' for value in self._there)}) m, {100 * self._share:.0f} % of its way: within "
            f"the limits of its coordinates the arm comes no nearer than {self.off:.3g} m{bent}. Move the line, or "
            "widen its tolerance or the limits."
        )

    def end(self, tolerance: float) -> None:
        """Look from all start points, until it is within a tolerance [m]."""
        for s in self._program.starts:
            if self.off > tolerance:
                self._from(s)
        self.is_ended = True

    def _from(self, s: np.ndarray) -> None:
        found = self._program.nearest([s])
        if found is None:
            return
        point = self._program.point(found[0])
        off = self._position.distance(point.x, self._there)
        if off < self.off:
            self.off, self.nearest = off, point
