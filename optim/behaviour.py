"""How an arm behaves along a motion from rest to rest, in figures that can be set side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from flexblocks.dae import DAE
from flexblocks.operating_point import OperatingPoint
from flexblocks.simulation.trajectory import Trajectory

from .replay import energy_left, misses, outputs_at

DEFLECTION = ".tip_deflection_"


@dataclass(frozen=True)
class Behaviour:
    """A motion in figures.

    Attributes
    ----------
    tip_miss : float
        Largest distance of an end of the arm from its place at the goal, at the end of the motion [m].
    energy_left : float
        Energy by which the arm exceeds rest at the goal then [J].
    peak_deflection : dict of float
        Largest magnitude of every beam's tip deflection on the way [m], by output.
    beyond_limits : dict of float
        By how much each limited quantity leaves its limits at most, in its unit; 0 where it keeps them.
    tip_deviation : float or None
        Largest distance of an end of the arm from its place at the goal while it coasts after the motion [m]; None
        where there is no coast.
    residual_deflection : dict of float
        Largest deviation of every beam's tip deflection from that of rest at the goal while it coasts [m].
    """

    tip_miss: float
    energy_left: float
    peak_deflection: Mapping[str, float]
    beyond_limits: Mapping[str, float]
    tip_deviation: float | None = None
    residual_deflection: Mapping[str, float] = field(default_factory=dict)


def behaviour(
    dae: DAE,
    motion: Trajectory,
    goal: OperatingPoint,
    ranges: Mapping[str, tuple[float, float]],
    coast: Trajectory | None = None,
) -> Behaviour:
    """Return the figures of a motion, and of the `coast` behind it."""
    deflections = [name for name in motion.names["y"] if DEFLECTION in name]
    rest = outputs_at(dae, goal)
    more: dict = {}
    if coast is not None:
        more["tip_deviation"] = max((float(away.max()) for away in misses(coast, rest).values()), default=float("nan"))
        more["residual_deflection"] = {name: float(np.abs(coast[name] - rest[name]).max()) for name in deflections}
    return Behaviour(
        tip_miss=max((float(away[-1]) for away in misses(motion, rest).values()), default=float("nan")),
        energy_left=energy_left(dae, motion.x[-1], goal),
        peak_deflection={name: float(np.abs(motion[name]).max()) for name in deflections},
        beyond_limits={name: _beyond(motion[name], *limit) for name, limit in ranges.items() if name in motion},
        **more,
    )


def _beyond(values: np.ndarray, low: float, high: float) -> float:
    return float(max(0.0, values.max() - high, low - values.min()))
