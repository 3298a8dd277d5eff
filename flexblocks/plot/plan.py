"""Picture of a plan: the arm along its path, and its variables with their limits over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from flexblocks.geometry import shape
from flexblocks.plot.plan_panels import near, out_of_sight, panels
from flexblocks.plot.plane import equal_scales, project
from flexblocks.plot.region import region
from flexblocks.plot.snapshots import snapshots
from flexblocks.plot.style import BLACK, GRAY
from flexblocks.plot.time_series import time_series

if TYPE_CHECKING:
    from flexblocks.optim import Plan, Replay
    from flexblocks.simulation import Trajectory

ROW = 1.75  # inches
WORDS = "0.3"  # grey of what is said beside the curves
FLAT = 1e-3  # extent across its plane, relative to the largest, up to which a motion is one in a plane
# Planes by the axis across them.
PLANES: dict[str, Literal["xy", "xz", "yz"]] = {"x": "yz", "y": "xz", "z": "xy"}
LOOKS = 25  # instants at which that is judged


def plan(
    plan: Plan, replay: Replay | None = None, *, count: int = 10, plane: Literal["xy", "xz", "yz", "xyz"] | None = None
) -> tuple[Axes, ...]:
    """Draw a plan in one figure.

    On the left the arm at instants evenly spaced in time, with the path of its tip and sections of the regions that it
    must avoid or stay in (not in space); on the right, over time, the inputs, the driven coordinates, whatever else is
    limited, and the tip deflections of the beams, all with their limits. What has one unit and magnitude shares axes;
    limits too far away to be drawn are named there.

    Parameters
    ----------
    plan : Plan
    replay : Replay, optional
        ``plan.replay()``: the simulated motion of the arm, drawn as dashed lines over the plan.
    count : int
        Number of postures, at least 2.
    plane : "xy", "xz", "yz" or "xyz", optional
        Of the postures; by default the plane that the arm moves in, and in space (``"xyz"``) if there is none.

    Returns
    -------
    tuple of Axes
        The postures, then the time series from top to bottom.

    Raises
    ------
    ParameterError
        `count` is less than 2, or an invalid plane.
    """
    motion = plan.trajectory
    # The postures on the left.
    plane = plane or _plane(plan)
    groups = panels(plan)
    figure = plt.figure(figsize=(12.5, max(5.5, 0.5 + ROW * len(groups))), layout="constrained")
    halves: Any = figure.subfigures(1, 2)
    left, right = halves
    postures = left.subplots(subplot_kw={"projection": "3d"} if plane == "xyz" else {})
    snapshots(plan, postures, count, plane=plane)
    if replay is not None:
        _draw_path(plan, replay.trajectory, postures, plane)
    _explain(plan, postures, plane)
    # The time series on the right.
    series = right.subplots(len(groups), sharex=True, squeeze=False)[:, 0]
    limits = _limits(plan)
    for ax, names in zip(series, groups, strict=True):
        time_series(motion, names, ax, limits=near(limits, motion, names))
        _tell_of_far_limits(ax, out_of_sight(limits, motion, names))
        if replay is not None:
            for name in set(names) - set(motion.names["u"]):  # the inputs are the same
                ax.plot(replay.trajectory.t, replay.trajectory[name], color=BLACK, linewidth=0.9, linestyle=(0, (4, 3)))
        for begin, _ in list(plan.phases.values())[1:]:
            ax.axvline(begin, color=GRAY, linewidth=0.8, zorder=0.5)
        ax.label_outer()
    _name_phases(plan, series[0])
    right.align_ylabels()
    figure.suptitle(_title(plan, replay), fontsize="medium")
    return (postures, *series)


def _plane(plan: Plan) -> Literal["xy", "xz", "yz", "xyz"]:
    """Return the coordinate plane that an arm moves in; ``"xyz"`` if there is none."""
    dae, motion = plan.transcribed.arm, plan.trajectory
    outline = shape(dae)
    instants = motion.x[:: max(1, len(motion) // LOOKS)]
    points = np.vstack([np.vstack(list(outline(x, motion.p).values())) for x in instants])
    extents = np.ptp(points, axis=0)
    across = [axis for axis, extent in zip("zyx", extents[::-1], strict=True) if extent <= FLAT * extents.max()]
    return PLANES[across[0]] if across else "xyz"


def _tell_of_far_limits(ax: Axes, words: str) -> None:
    if words:
        ax.set_title(f"limits {words}", loc="right", fontsize="x-small", color=WORDS, pad=2.0)


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


def _draw_path(plan: Plan, motion: Trajectory, ax: Axes, plane: str) -> None:
    outline = shape(plan.transcribed.arm)
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
            regions = [Patch(facecolor=GRAY, edgecolor=GRAY, alpha=0.35, label="kept out of")]
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
    text = f"{plan.trajectory.name}: {plan.duration:.4g} s, {plan.status}, objective {plan.objective:.5g}"
    if replay is not None:
        text += f"; replayed, it misses by {1e3 * replay.tip_miss:.2g} mm and leaves {replay.energy_left:.1g} J"
    return text
