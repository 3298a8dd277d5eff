"""Which postures at rest a phase admits: those that keep its limits and path constraints."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import unknown_vector
from flexblocks.statics.operating_point import OperatingPoint

from ...problem.path_constraints.signal_limit import SignalLimit
from ...problem.signals.instant import statics_vector
from ..bounds import Limits
from ..path_values import PathValues


@dataclass(frozen=True, eq=False)
class Admissible:
    """What a phase requires of a posture at rest.

    Attributes
    ----------
    limits : Limits
        Of the states, and of the inputs that hold it.
    path : PathValues, optional
    time : float
        At which the path values are requested [s].
    """

    limits: Limits
    path: PathValues | None = None
    time: float = 0.0

    def keeps_limits(self, point: OperatingPoint) -> bool:
        """Whether states and holding inputs are within their limits."""
        pairs = ((point.x, self.limits.x), (point.u, self.limits.u))
        return all(np.all((bounds[:, 0] <= values) & (values <= bounds[:, 1])) for values, bounds in pairs)

    def keeps_path(self, point: OperatingPoint) -> bool:
        """Whether a posture keeps all path values."""
        path = self.path
        return path is None or not path.rows or bool(np.all(path.excess(path.at_rest(point, self.time)) <= 0))

    def bounds(self, dae: DAE) -> tuple[np.ndarray, np.ndarray]:
        """Return the limits of the unknowns of statics (ns,)."""
        z, forces = (np.tile([-np.inf, np.inf], (count, 1)) for count in (len(dae.z), len(dae.tree.loops.multipliers)))
        low, high = unknown_vector(dae, self.limits.x, z, forces, self.limits.u).T
        return low, high

    def limited(self, s: ca.SX, p: np.ndarray) -> tuple[ca.SX, np.ndarray, np.ndarray]:
        """Return the quantities (m, 1) that have limits by name, in the unknowns of statics, and the limits (m,).

        Each by its magnitude. Obstacles are not among them: past these a search would stay on one side.
        """
        path, constraints = self.path, self.path.constraints if self.path is not None else ()
        rows = np.flatnonzero([isinstance(constraint, SignalLimit) for constraint in constraints])
        if path is None or not rows.size:
            return ca.SX(0, 1), np.zeros(0), np.zeros(0)
        y = statics_vector(path.dae, s, time=self.time)
        values = path.function.call([y, ca.SX(ca.DM(p))], True, False)[0]
        bounds = np.stack([path.low[rows], path.high[rows]])
        size = np.max(np.abs(np.where(np.isfinite(bounds), bounds, 0.0)), axis=0)
        size[size == 0] = 1.0
        return values[rows.tolist()] / size, *(bounds / size)
