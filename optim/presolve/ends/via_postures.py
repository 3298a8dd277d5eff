"""Via postures: the states in which the initial guess passes the via points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, meant
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ...problem.path_constraints.path_constraint import PathConstraint
from ...problem.phase import Phase
from ...problem.signals.instant import instant
from ...problem.signals.signals import Signals
from ...tolerances import ROUNDING
from ..bounds import Limits, no_limits
from ..path_values import PathValues
from ..postures.admissible import Admissible
from ..postures.inverse_statics import posture
from ..rigid_motion.waypoint_spline import Waypoint


def via_waypoints(
    dae: DAE, phase: Phase, start: OperatingPoint, goal: OperatingPoint, limits: Limits, path: PathValues
) -> tuple[Waypoint, ...]:
    """Return the waypoints, fraction of the duration and states, of the via points that prescribe a posture.

    Raises
    ------
    ProblemError
        A via point out of reach.
    """
    free = replace(no_limits(dae), x=limits.x)  # the arm passes in motion, so holding inputs are unlimited
    time = 0.0 if isinstance(phase.duration, str) else float(np.mean(phase.duration))
    admissible = Admissible(free, path, time)
    waypoints: list[Waypoint] = []
    for via in phase.via:
        share = via.share(phase.duration)
        known = [(0.0, start.x), *waypoints, (1.0, goal.x)]
        x = np.array(
            [np.interp(share, [s for s, _ in known], column) for column in np.transpose([x for _, x in known])]
        )
        instance = {name: value for name, value in via.values.items() if _is_posture(dae, name)}
        if not instance:
            continue
        where = f"plan: via at {share:.4g} of the duration"
        near = replace(start, x=x)
        there = posture(dae, instance, near, admissible, where)
        waypoints.append((share, there.point.x))
    return tuple(waypoints)


def check_vias(
    dae: DAE, phase: Phase, ranges: Mapping[str, tuple[float, float]], path: tuple[PathConstraint, ...], intervals: int
) -> None:
    """Refuse via points with unknown names, or outside limits or regions.

    Raises
    ------
    ProblemError
        The message names the via point.
    """
    signals = Signals(instant(dae))
    if len(phase.via) >= intervals:
        raise ProblemError(f"plan: {len(phase.via)} via points on {intervals} intervals; take more intervals.")
    for via in phase.via:
        where = f"plan: via at {via.share(phase.duration):.4g} of the duration"
        for name, value in via.values.items():
            if name not in signals or name == "time":
                told = f"there are {listing(signals)}; and .x, .y, .z of points."
                raise ProblemError(f"{where}: there is no '{name}'{meant(name, signals, told)}")
            low, high = ranges.get(name, (-np.inf, np.inf))
            if name in dae.u:
                limit = dae.u.limits[dae.u.index(name)]
                low, high = max(low, -limit), min(high, limit)
            if not low - ROUNDING <= value <= high + ROUNDING:
                raise ProblemError(f"{where}: {name} = {value:g}; its limits are {low:g} to {high:g}.")
        for one in path:
            one.check_via(where, via.values)


def _is_posture(dae: DAE, name: str) -> bool:
    """Whether a name denotes a quantity of the posture, not of the motion."""
    moving = name.startswith("der(") or name in dae.u or name in dae.z or name in dae.x.names[dae.tree.size :]
    return not moving
