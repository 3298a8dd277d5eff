"""Figures of merit of a motion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.trajectory import GROUPS, Trajectory

from .arrivals import Leg, arrivals, misses, outputs_at
from .limit_violations import values_along
from .replay import Replay

DEFLECTION = ".tip_deflection_"


@dataclass(frozen=True)
class MotionFigures:
    """The figures of merit of a motion.

    Attributes
    ----------
    tip_miss : float
        Largest distance of an end point of the arm from its target at the end of a phase [m].
    energy_left : float
        Residual energy above equilibrium at a goal [J], the largest in magnitude.
    peak_deflection : dict of float
        Peak magnitude of every beam's tip deflection [m], by output.
    beyond_limits : dict of float
        Largest violation of each limit, in its unit, and of each distance from a region [m]; 0 if satisfied.
    tip_deviation : float or None
        Largest distance of an end point from its target during the coast after the motion [m]; None without a coast.
    residual_deflection : dict of float
        Largest deviation of every beam's tip deflection from equilibrium during the coast [m].
    """

    tip_miss: float
    energy_left: float
    peak_deflection: Mapping[str, float]
    beyond_limits: Mapping[str, float]
    tip_deviation: float | None = None
    residual_deflection: Mapping[str, float] = field(default_factory=dict)


def motion_figures(dae: DAE, motion: Trajectory, legs: Sequence[Leg], coast: Trajectory | None = None) -> MotionFigures:
    """Return the figures of a motion through `legs` and of the `coast` after it."""
    deflections = [name for name in motion.names["y"] if DEFLECTION in name]
    more: dict = {}
    if coast is not None and legs[-1].goal is not None:
        rest = outputs_at(dae, legs[-1].goal)
        more["tip_deviation"] = max((float(away.max()) for away in misses(coast, rest).values()), default=float("nan"))
        more["residual_deflection"] = {name: float(np.abs(coast[name] - rest[name]).max()) for name in deflections}
    arrived = Replay(motion, arrivals(dae, motion, legs))
    return MotionFigures(
        tip_miss=arrived.tip_miss,
        energy_left=arrived.energy_left,
        peak_deflection={name: float(np.abs(motion[name]).max()) for name in deflections},
        beyond_limits=_largest(_beyond_limits(motion, legs)),
        **more,
    )


def worst(scenarios: Sequence[MotionFigures]) -> MotionFigures:
    """Return the worst value of each figure over scenarios."""
    return MotionFigures(
        tip_miss=max(one.tip_miss for one in scenarios),
        energy_left=max((one.energy_left for one in scenarios), key=abs),
        peak_deflection=_largest(one.peak_deflection for one in scenarios),
        beyond_limits=_largest(one.beyond_limits for one in scenarios),
        tip_deviation=max((one.tip_deviation for one in scenarios if one.tip_deviation is not None), default=None),
        residual_deflection=_largest(one.residual_deflection for one in scenarios),
    )


def _beyond_limits(motion: Trajectory, legs: Sequence[Leg]) -> Iterator[dict[str, float]]:
    """Yield the largest limit violations in each leg, by name.

    The sample where two legs meet has the outputs of the later one, and counts there.
    """
    begin = 0.0
    for leg in legs:
        slack = 1e-9 * leg.duration
        end = begin + leg.duration + (slack if leg is legs[-1] else -slack)
        during = (motion.t >= begin - slack) & (motion.t <= end)
        excesses = {name: _beyond(motion[name][during], *limit) for name, limit in leg.ranges.items() if name in motion}
        if len(leg.path):
            groups = {group: getattr(motion, group)[during] for group in GROUPS}
            part = replace(motion, t=motion.t[during] - begin, **groups)
            excess = leg.path.excess(values_along(leg.path, part, leg.inputs, leg.p)).max(axis=0)
            beyond = leg.path.beyond(np.maximum(excess, 0.0))
            excesses |= {name: max(0.0, most) for name, most in zip(leg.path.names, beyond.tolist(), strict=True)}
        begin += leg.duration
        yield excesses


def _beyond(values: np.ndarray, low: float, high: float) -> float:
    return float(max(0.0, values.max() - high, low - values.min()))


def _largest(groups: Iterable[Mapping[str, float]]) -> dict[str, float]:
    largest: dict[str, float] = {}
    for group in groups:
        largest |= {name: max(value, largest.get(name, value)) for name, value in group.items()}
    return largest
