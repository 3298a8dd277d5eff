"""Where a motion leaves what its equations are good for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.stepper import StepFailure

# No joint turns and no point of an arm moves as fast [rad/s, m/s]: what does runs away, in ever smaller steps. The
# two-link arm under an unstable law gets here within seconds of computing; ten times this it nears for minutes.
FASTEST = 1e5


@dataclass(frozen=True)
class Reach:
    """How far one coordinate of a block goes: `low` to `high`; `share` (n,) makes it of the arm's coordinates."""

    name: str
    unit: str
    share: np.ndarray
    low: float
    high: float


@dataclass(frozen=True)
class Bounds:
    """What every state of a run is held against."""

    speeds: tuple[str, ...]
    reaches: tuple[Reach, ...]

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
        for reach in self.reaches:
            values = X[:, :n] @ reach.share
            if np.any((values < reach.low) | (values > reach.high)):
                raise StepFailure(f"{reach.name} leaves its reach, {reach.low:g} to {reach.high:g} {reach.unit}")


def bounds(dae: DAE) -> Bounds:
    """Return the bounds on the states of an arm."""
    n = dae.tree.size
    found = []
    for body in dae.tree.bodies:
        shares = body.share.full()
        for coordinate, share in zip(body.terms.block.coordinates(), shares, strict=True):
            if np.isfinite(coordinate.low) or np.isfinite(coordinate.high):
                name = f"{body.name}.{coordinate.name}"
                found.append(Reach(name, coordinate.unit, share, coordinate.low, coordinate.high))
    return Bounds(dae.x.names[n : 2 * n], tuple(found))
