"""Bounds on a run: speeds and coordinates beyond which its equations have no meaning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.evaluation.body import CoordinateRange
from flexblocks.simulation.integrators.stepper import StepFailure

# No joint turns and no point of an arm moves as fast [rad/s, m/s]: what does runs away, in ever smaller steps. The
# two-link arm under an unstable law gets here within seconds of computing; ten times this it nears for minutes.
FASTEST = 1e5


@dataclass(frozen=True)
class Bounds:
    """What every state of a run is held against."""

    speeds: tuple[str, ...]
    ranges: tuple[CoordinateRange, ...]

    def keep(self, X: np.ndarray) -> None:
        """Let states with work (k, nx + 1) pass.

        Raises
        ------
        StepFailure
            A speed or a coordinate is out of bounds.
        """
        n = len(self.speeds)
        speeds = np.abs(X[:, n : 2 * n])
        if np.any(speeds > FASTEST):
            name = self.speeds[int(np.argmax(np.max(speeds, axis=0)))]
            raise StepFailure(f"the solution grows beyond all bounds, {name} beyond {FASTEST:g}")
        for bound in self.ranges:
            values = X[:, :n] @ bound.share
            if np.any((values < bound.low) | (values > bound.high)):
                raise StepFailure(f"{bound.name} leaves its reach, {bound.low:g} to {bound.high:g} {bound.unit}")


def bounds(dae: DAE) -> Bounds:
    """Return the bounds on the states of an arm."""
    n = dae.tree.size
    return Bounds(dae.x.names[n : 2 * n], dae.tree.ranges)
