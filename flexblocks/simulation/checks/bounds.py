"""Bounds on the states of a run: diverging speeds, and coordinates outside their range."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.evaluation.body import CoordinateRange
from flexblocks.errors import listing
from flexblocks.geometry import Shape, shape, span
from flexblocks.simulation.integrators.stepper import StepFailure

# No point of an arm moves as fast [m/s], and what is longer than a metre does not turn as fast [rad/s]: such a run
# diverges, in ever smaller steps. The two-link arm under an unstable law gets here within seconds of computing time;
# ten times this speed would take minutes.
FASTEST = 1e5
# A run that fails with less of such a state left, as a share of its start, is said to fail for that.
BESIDE_NONE = 0.1


@dataclass(frozen=True)
class Bounds:
    """Bounds that every state of a run is checked against."""

    dae: DAE
    speeds: tuple[str, ...]
    ranges: tuple[CoordinateRange, ...]
    positive: dict[str, int]
    start: np.ndarray

    def keep(self, X: np.ndarray, p: np.ndarray) -> None:
        """Check states with work (k, nx + 1) of an arm with parameters (np,).

        Raises
        ------
        StepFailure
            A speed, a coordinate or a state that must be positive is out of bounds.
        """
        n = len(self.speeds)
        speeds = np.abs(X[:, n : 2 * n])
        if np.any(speeds > FASTEST):
            fastest = self._fastest(p)
            times = np.max(speeds, axis=0) / fastest
            worst = int(np.argmax(times))
            if times[worst] > 1:
                most = f"{fastest[worst]:.6g} {self.dae.x.units[n + worst]}"
                raise StepFailure(f"the solution grows beyond all bounds, {self.speeds[worst]} beyond {most}")
        for bound in self.ranges:
            values = bound.value(X[:, :n])
            if np.any((values < bound.low) | (values > bound.high)):
                raise StepFailure(f"{bound.name} leaves its range, {bound.low:g} to {bound.high:g} {bound.unit}")
        for name, i in self.positive.items():
            if np.any(X[:, i] <= 0):
                raise StepFailure(f"{name} gets to 0, and must be positive")

    @cached_property
    def _lines(self) -> Shape:
        return shape(self.dae, stations=1)

    def _fastest(self, p: np.ndarray) -> np.ndarray:
        """Return the bounds of all speeds (n,): of angles those of their points, if the arm is shorter than a metre."""
        size = min(span(self._lines(self.start, p)), 1.0) or 1.0
        units = self.dae.x.units[len(self.speeds) : 2 * len(self.speeds)]
        return np.array([FASTEST / size if unit == "rad/s" else FASTEST for unit in units])

    def explained(self, failure: str, X: np.ndarray) -> str:
        """Return a failure beside a state with work (nx + 1,), with the states that have little left above 0 there."""
        near = [name for name, i in self.positive.items() if X[i] < BESIDE_NONE * self.start[i] and name not in failure]
        left = [f"{name} = {X[self.positive[name]]:.3g}" for name in near]
        return f"{failure}, beside {listing(left)}, which must be positive" if left else failure


def bounds(dae: DAE) -> Bounds:
    """Return the bounds on the states of an arm."""
    n = dae.tree.size
    positive = {dae.x.names[i]: i for i in dae.tree.positive_states}
    return Bounds(dae, dae.x.names[n : 2 * n], dae.tree.ranges, positive, dae.x.start)
