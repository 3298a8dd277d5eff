"""Replay: the planned inputs applied to the arm in an independent simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from flexblocks.constraints.parameter_changes import after_impact
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.lazy_package import upper
from flexblocks.rich_display import Animated, RichDisplay
from flexblocks.simulation.simulate import simulate, whole
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.validity.large_deflections import without_warning

from ..model.read_solution import joined_trajectory
from ..model.violations import Violation
from .arrivals import Arrival, Leg, arrivals
from .limit_violations import limit_violations

if TYPE_CHECKING:
    from flexblocks.modeling.model import Model

# Simulates a leg, by number and from a state: (number, leg, x) -> its motion over its own time.
Drive = Callable[[int, Leg, np.ndarray], Trajectory]


@dataclass(frozen=True, eq=False)
class Replay(RichDisplay, Animated):
    """The replay of a plan: the simulated motion of the arm under the planned inputs.

    Attributes
    ----------
    trajectory : Trajectory
        The simulated motion of the first scenario.
    arrivals : tuple of Arrival
        One for each phase, scenario after scenario.
    scenarios : tuple of Replay
        The replay of each scenario; empty if there is only one.
    excesses : tuple of Violation
        Violated limits of states, outputs, regions and expressions, typically between mesh and collocation points; each
        once with its largest violation and time, worst first.
    feedback : str or None
        The law that tracked the plan, in words; None if the planned inputs alone drove the arm.
    without_feedback : Replay or None
        What these alone come to, where there was feedback; None also if that could not be simulated to its end.
    """

    trajectory: Trajectory
    arrivals: tuple[Arrival, ...]
    scenarios: tuple[Replay, ...] = ()
    excesses: tuple[Violation, ...] = ()
    feedback: str | None = None
    without_feedback: Replay | None = None

    @upper
    def plot(
        self, groups: Sequence[str | Sequence[str]] | None = None, *, limits: Mapping[str, Any] | None = None
    ) -> Any:
        """Draw variables over time, by default all that move, and return the axes; see `flexblocks.plot.stacked`."""

    @property
    def model(self) -> Model | None:
        """The model of the arm; None if it has none, see `flexblocks.DAE`."""
        return self.trajectory.model

    @property
    def end_error(self) -> Mapping[str, float]:
        """Errors of the final states at the goal, by name, in the first scenario."""
        return (self.scenarios[0] if self.scenarios else self).arrivals[-1].end_error

    @property
    def misses(self) -> dict[str, float]:
        """Largest distance of every end point from its target at the end of a phase [m], by block."""
        motion: dict[str, float] = {}
        for arrival in self.arrivals:
            motion |= {name: max(miss, motion.get(name, 0.0)) for name, miss in arrival.misses.items()}
        return motion

    @property
    def tip_miss(self) -> float:
        """The largest of the `misses` [m]; NaN for an arm without end points."""
        return max(self.misses.values(), default=float("nan"))

    @property
    def energy_left(self) -> float:
        """The residual energy [J] at a goal, the largest in magnitude; NaN if no phase ends at rest."""
        left = [arrival.energy_left for arrival in self.arrivals if np.isfinite(arrival.energy_left)]
        return max(left, key=abs, default=float("nan"))

    def __repr__(self) -> str:
        count = f", {len(self.scenarios)} scenarios" if self.scenarios else ""
        left = f"{self.energy_left:.3g} J left"
        return f"Replay({self.trajectory.name!r}: tip misses by {1e3 * self.tip_miss:.3g} mm, {left}{count})"

    def __str__(self) -> str:
        if self.scenarios:
            return "\n".join(f"scenario {i}: {scenario}" for i, scenario in enumerate(self.scenarios))
        how = "" if self.feedback is None else f" with feedback ({self.feedback})"
        text = f"replayed{how}: {self._came_to()}"
        if self.feedback is None:
            return text
        alone = self.without_feedback
        return f"{text}; without: {'it could not be simulated to its end' if alone is None else alone._came_to()}"

    def _came_to(self) -> str:
        worst = sorted(self.misses.items(), key=lambda place: -place[1])
        misses = listing([f"{name} {1e3 * miss:.3g} mm" for name, miss in worst], 4) if worst else "no end point"
        left = "" if np.isnan(self.energy_left) else f"; {self.energy_left:.3g} J left"
        beyond = f"; beyond its limits: {listing(map(str, self.excesses), 3)}" if self.excesses else ""
        return f"misses the goal by {misses}{left}{beyond}"


def replay(dae: DAE, start: OperatingPoint, legs: Sequence[Leg], drive: Drive) -> Replay:
    """Replay the legs: simulate them in sequence from rest at `start`, and compare the end of each with its target."""
    parts: list[Trajectory] = []
    x, p, begin, beyond = start.x, legs[0].p, 0.0, []
    for i, leg in enumerate(legs):
        if leg.is_impact:
            x = after_impact(dae, x, p, leg.p)
        p = leg.p
        with without_warning():
            parts.append(drive(i, leg, x))
        x = parts[-1].x[-1]
        if leg.ranges or len(leg.path):
            beyond += limit_violations(leg.path, leg.ranges, parts[-1], leg.inputs, p, begin)
        begin += leg.duration
    motion = joined_trajectory(parts)
    beyond.sort(key=lambda violation: -violation.amount)
    return Replay(motion, arrivals(dae, motion, legs), excesses=tuple(beyond))


def by_inputs(dae: DAE, **options: Any) -> Drive:
    """Return the drive by the planned inputs alone; `options` are those of `flexblocks.simulate`."""

    def drive(_: int, leg: Leg, x: np.ndarray) -> Trajectory:
        return whole(simulate(dae, (0.0, leg.duration), leg.inputs, x, leg.p, **options))

    return drive


def side_by_side(scenarios: Sequence[Replay]) -> Replay:
    """Combine the replays of several scenarios into one."""
    first, *rest = scenarios
    if not rest:
        return first
    beyond = sorted((excess for s in scenarios for excess in s.excesses), key=lambda violation: -violation.amount)
    return replace(
        first,
        arrivals=tuple(a for s in scenarios for a in s.arrivals),
        scenarios=tuple(scenarios),
        excesses=tuple(beyond),
        without_feedback=_alone(scenarios),
    )


def _alone(scenarios: Sequence[Replay]) -> Replay | None:
    alone = [one.without_feedback for one in scenarios]
    whole = [one for one in alone if one is not None]
    return side_by_side(whole) if len(whole) == len(alone) else None
