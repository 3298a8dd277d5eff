"""Picture of a plan: the arm along its path, and its variables with their limits over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from flexblocks.geometry import shape
from flexblocks.plot.plane import equal_scales, project
from flexblocks.plot.region import region
from flexblocks.plot.snapshots import snapshots
from flexblocks.plot.style import BLACK, GREY
from flexblocks.plot.time_series import time_series

if TYPE_CHECKING:
    from flexblocks.optim import Plan, Replay
    from flexblocks.simulation import Trajectory

NEAR = 1.6  # a limit is drawn within this multiple of its curve's magnitude: one far away would flatten the curve
ROW = 1.75  # inches


def plan(plan: Plan, replay: Replay | None = None, *, count: int = 10, plane: str = "xy") -> tuple[Axes, ...]:
    """Draw a plan in one figure.

    On the left the arm at instants evenly spaced in time, with the path of its tip and sections of the regions that it
    must avoid or stay in (not in space); on the right, over time, the inputs, the driven coordinates, whatever else is
    limited, and the tip deflections of the beams, all with their limits.

    Parameters
    ----------
    plan : Plan
    replay : Replay, optional
        ``plan.replay()``: the simulated motion of the arm, drawn as dashed lines over the plan.
    count : int
        Number of postures, at least 2.
    plane : "xy", "xz", "yz" or "xyz"
        Of the postures.

    Returns
    -------
    tuple of Axes
        The postures, then the time series from top to bottom.

    Raises
    ------
    ParameterError
        `count` is less than 2, or an invalid plane.
    """
    dae, motion = plan.transcribed.dae, plan.trajectory
    # The postures on the left.
    groups = _groups(plan)
    figure = plt.figure(figsize=(12.5, max(5.5, 0.5 + ROW * len(groups))), layout="constrained")
    halves: Any = figure.subfigures(1, 2)
    left, right = halves
    postures = left.subplots(subplot_kw={"projection": "3d"} if plane == "xyz" else {})
    snapshots(dae, motion, postures, count, plane=plane)
    if replay is not None:
        _draw_path(plan, replay.trajectory, postures, plane)
    _explain(plan, postures, plane)
    # The time series on the right.
    series = right.subplots(len(groups), sharex=True, squeeze=False)[:, 0]
    limits = _limits(plan)
    for ax, names in zip(series, groups, strict=True):
        time_series(motion, names, ax, limits=_near(limits, motion, names))
        if replay is not None:
            for name in set(names) - set(motion.names["u"]):  # the inputs are the same
                ax.plot(replay.trajectory.t, replay.trajectory[name], color=BLACK, linewidth=0.9, linestyle=(0, (4, 3)))
        for begin, _ in list(plan.phases.values())[1:]:
            ax.axvline(begin, color=GREY, linewidth=0.8, zorder=0.5)
        ax.label_outer()
    _name_phases(plan, series[0])
    right.align_ylabels()
    figure.suptitle(_title(plan, replay), fontsize="medium")
    return (postures, *series)


def _groups(plan: Plan) -> list[list[str]]:
    """Return names for each axes: inputs, driven coordinates, limited variables, deflections, grouped by kind."""
    motion, phases = plan.trajectory, plan.transcribed.problem.phases
    driven = [name for phase in phases for name in (phase.goal or phase.passing or {})]
    deflections = [name for name in motion.names["y"] if ".tip_deflection_" in name]
    limited = [name for phase in phases for name in plan.transcribed.problem.ranges_in(phase)]
    groups: dict[tuple[str, str], list[str]] = {}
    for name in dict.fromkeys([*motion.names["u"], *driven, *limited, *deflections]):
        if name in motion:
            groups.setdefault((motion.unit(name), _kind(name)), []).append(name)
    return list(groups.values())


def _kind(name: str) -> str:
    """Return what variables of one axes have in common: order of the derivative and last word of the name."""
    word = name.rpartition(".")[2].rstrip(")")
    rates = name.count("der(")
    return f"{rates} {'position' if word in ('x', 'y', 'z') else word.partition('[')[0]}"


def _limits(plan: Plan) -> dict[str, tuple[float, float]]:
    """Return the limits that are the same in all phases, by name, with those of the blocks resolved."""
    limits: dict[str, set[tuple[float, float]]] = {}
    for t in plan.transcribed.first:
        in_phase = dict(plan.transcribed.problem.ranges_in(t.phase))
        for group, bounds in ((t.dae.x, t.limits.x), (t.dae.u, t.limits.u)):
            in_phase |= {name: (low, high) for name, (low, high) in zip(group.names, bounds.tolist(), strict=True)}
        for name, limit in in_phase.items():
            limits.setdefault(name, set()).add(limit)
    return {name: next(iter(bounds)) for name, bounds in limits.items() if len(bounds) == 1}


def _near(
    limits: Mapping[str, tuple[float, float]], motion: Trajectory, names: list[str]
) -> dict[str, tuple[float | None, float | None]]:
    """Return the limits of one axes that are near its curves."""
    largest = max(float(np.abs(motion[name]).max()) for name in names)

    def near(bound: float) -> float | None:
        return bound if abs(bound) <= NEAR * largest else None

    return {name: (near(limits[name][0]), near(limits[name][1])) for name in names if name in limits}


def _draw_path(plan: Plan, motion: Trajectory, ax: Axes, plane: str) -> None:
    outline = shape(plan.transcribed.dae)
    path = np.array([outline(x, motion.p)[outline.tip][-1] for x in motion.x[:: max(1, len(motion) // 400)]])
    ax.plot(*project(path, plane), color=BLACK, linewidth=0.9, linestyle=(0, (4, 3)), label="as replayed", zorder=3.5)
    equal_scales(ax, plane)


def _explain(plan: Plan, ax: Axes, plane: str) -> None:
    """Draw regions and via points, and a legend below the axes."""
    from flexblocks.optim import KeepIn, KeepOut

    problem = plan.transcribed.problem
    path = dict.fromkeys(one for phase in problem.phases for one in problem.path_in(phase))
    regions = []
    for one in path:
        if isinstance(one, (KeepOut, KeepIn)) and plane != "xyz":
            region(one.region, ax, plane=plane, inside=isinstance(one, KeepIn), margin=one.margin)
            regions = [Patch(facecolor=GREY, edgecolor=GREY, alpha=0.35, label="kept out of")]
    points = [point for phase in problem.phases for via in phase.via for point in _places(via.values)]
    if points:
        ax.plot(*project(np.array(points), plane), "x", color=BLACK, ms=9, mew=2, zorder=6, label="via point")
    handles = [*ax.get_legend_handles_labels()[0], *regions]
    ax.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.09), ncols=4, frameon=False, fontsize="small"
    )


def _places(values: Mapping[str, float]) -> list[list[float]]:
    """Return the points (3,) among values by name: whatever has an x and a y."""
    names = dict.fromkeys(name.rpartition(".")[0] for name in values)
    known = [name for name in names if f"{name}.x" in values and f"{name}.y" in values]
    return [[values.get(f"{name}.{axis}", 0.0) for axis in "xyz"] for name in known]


def _name_phases(plan: Plan, ax: Axes) -> None:
    if len(plan.phases) > 1:
        for name, (begin, end) in plan.phases.items():
            place = ax.get_xaxis_transform()
            ax.text((begin + end) / 2, 1.02, name, transform=place, ha="center", va="bottom", fontsize="small")


def _title(plan: Plan, replay: Replay | None) -> str:
    text = f"{plan.trajectory.model}: {plan.duration:.4g} s, {plan.status}, objective {plan.objective:.5g}"
    if replay is not None:
        text += f"; replayed, it misses by {1e3 * replay.tip_miss:.2g} mm and leaves {replay.energy_left:.1g} J"
    return text
