"""Which postures at rest a phase admits: those that keep its limits and path constraints."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.statics.operating_point import OperatingPoint

from ...problem.path_constraints.signal_limit import SignalLimit
from ...problem.phase import Phase
from ...problem.signals.instant import statics_vector
from ..path_values import PathValues


@dataclass(frozen=True, eq=False)
class Admissible:
    """The path values of a phase, at rest.

    Attributes
    ----------
    path : PathValues
    time : float
        At which they are asked for [s].
    """

    path: PathValues
    time: float = 0.0

    def __call__(self, point: OperatingPoint) -> bool:
        """Whether a posture keeps all of them."""
        return bool(np.all(self.path.excess(self.path.at_rest(point, self.time)) <= 0))

    def limited(self, s: ca.SX, p: np.ndarray) -> tuple[ca.SX, np.ndarray, np.ndarray]:
        """Return the quantities (m, 1) that have limits by name, in the unknowns of statics, and the limits (m,).

        Each by its magnitude. Obstacles are not among them: past these a search would stay on one side.
        """
        path = self.path
        rows = np.flatnonzero([isinstance(constraint, SignalLimit) for constraint in path.constraints])
        if not rows.size:
            return ca.SX(0, 1), np.zeros(0), np.zeros(0)
        y = statics_vector(path.dae, s, time=self.time)
        values = path.function.call([y, ca.SX(ca.DM(p))], True, False)[0]
        bounds = np.stack([path.low[rows], path.high[rows]])
        size = np.max(np.abs(np.where(np.isfinite(bounds), bounds, 0.0)), axis=0)
        size[size == 0] = 1.0
        return values[rows.tolist()] / size, *(bounds / size)


def admissible_postures(path: PathValues, phase: Phase) -> Admissible:
    """Return which postures keep the path values of a phase."""
    return Admissible(path, 0.0 if isinstance(phase.duration, str) else float(np.mean(phase.duration)))
