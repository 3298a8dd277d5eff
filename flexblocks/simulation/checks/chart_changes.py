"""Changes of chart during a run: coordinates that approach their singularity are expressed in the next chart."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.charts import chart_functions
from flexblocks.simulation.integrators.stepper import StepFailure

# A chunk ends when the border would be reached at the present speed, and this far [rad] beyond it, so that the next one
# starts in the next chart.
BEYOND = 0.1
# Farther [rad] than that beyond the border, at 280 degrees, accuracy would begin to suffer.
FARTHEST = 1.0


@dataclass(frozen=True)
class ChartChanges:
    """Charts of an arm, for states with work (nx + 1,) and parameters (np,)."""

    size: int
    functions: tuple[ca.Function, ...]

    def changed(self, X: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the state in charts whose borders are not crossed: mostly the state itself."""
        n = self.size
        for function in self.functions:
            distance, _, q, v = function(X[:n], X[n : 2 * n], p)
            if float(distance) < 0:
                X = np.concatenate([q.full().ravel(), v.full().ravel(), X[2 * n :]])
        return X

    def time_left(self, X: np.ndarray, p: np.ndarray) -> float:
        """Return the time [s] until the first border is crossed at the present speeds."""
        left = np.inf
        for function in self.functions:
            distance, speed = self._distance(function, X, p)
            if speed > 0:
                left = min(left, (max(distance, 0.0) + BEYOND) / speed)
        return left

    def keep(self, X: np.ndarray, states: np.ndarray, p: np.ndarray, duration: float) -> None:
        """Check a chunk from `X` to the states (k, nx + 1) at its stops.

        Raises
        ------
        StepFailure
            At the speeds reached the motion may have gone too far beyond a border.
        """
        for function in self.functions:
            room = self._distance(function, X, p)[0] + FARTHEST
            for state in states:
                distance, speed = self._distance(function, state, p)
                if distance < -FARTHEST or speed * duration > max(room, 2 * FARTHEST):
                    raise StepFailure("an attitude turns too fast for its chart of coordinates")

    def _distance(self, function: ca.Function, X: np.ndarray, p: np.ndarray) -> tuple[float, float]:
        distance, speed, *_ = function(X[: self.size], X[self.size : 2 * self.size], p)
        return float(distance), float(speed)


NO_CHARTS = ChartChanges(0, ())


def chart_changes(dae: DAE) -> ChartChanges:
    """Return the charts of an arm; most have none."""
    return ChartChanges(dae.tree.size, chart_functions(dae.tree))
