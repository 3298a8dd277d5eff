"""Time series of a motion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from flexblocks.errors import ParameterError
from flexblocks.plot.style import axes, line_style, quiet
from flexblocks.plot.subjects import motion_of

if TYPE_CHECKING:
    from flexblocks.optim import Plan, Replay
    from flexblocks.simulation import Trajectory

Limit = float | tuple[float | None, float | None]


def time_series(
    motion: Trajectory | Plan | Replay,
    names: str | Sequence[str],
    ax: Axes | None = None,
    *,
    limits: Mapping[str, Limit] | None = None,
) -> Axes:
    """Draw variables of one unit over time.

    Parameters
    ----------
    motion : Trajectory, Plan or Replay
    names : str or sequence of str
        States, inputs or outputs.
    ax : Axes, optional
        By default those of a new figure.
    limits : dict, optional
        Largest magnitude, or (low, high) with None for no limit, of some of `names`; drawn as thin lines.

    Returns
    -------
    Axes
        One line for each name, in their order, before any limits.

    Raises
    ------
    NameUnknownError
        A name that is not in the trajectory.
    ParameterError
        No names, or names of different units, which need axes of their own; see `stacked`.
    """
    traj, names = motion_of(motion), [names] if isinstance(names, str) else list(names)
    unit = _common_unit(traj, names)
    ax = axes(ax, size=(7.0, 3.4))
    for number, name in enumerate(names):
        ax.plot(traj.t, traj[name], label=name, linewidth=1.5, **line_style(number))
    for number, name in enumerate(names):
        for bound in _bounds(limits, name):
            ax.axhline(bound, linewidth=0.8, color=line_style(number)["color"], linestyle=":")
    quiet(ax)
    ax.margins(x=0)
    ax.set_xlabel("time [s]")
    if len(names) == 1:
        ax.set_ylabel(f"{names[0]} [{unit}]")
    else:
        ax.set_ylabel(f"{common_word(names)} [{unit}]")
        ax.legend(frameon=False, fontsize="small", ncols=2 if len(names) > 3 else 1)
    return ax


def stacked(
    motion: Trajectory | Plan | Replay,
    groups: Sequence[str | Sequence[str]] | None = None,
    *,
    limits: Mapping[str, Limit] | None = None,
) -> tuple[Axes, ...]:
    """Draw groups of variables over time, on axes stacked in a new figure.

    Parameters
    ----------
    motion : Trajectory, Plan or Replay
    groups : sequence, optional
        For each axes its names, as in `time_series`; by default inputs, coordinates and outputs that move, those of
        one unit and kind together.
    limits : dict, optional
        As in `time_series`.

    Returns
    -------
    tuple of Axes
        In the order of `groups`.

    Raises
    ------
    NameUnknownError
        A name that is not in the trajectory.
    ParameterError
        No groups, or a group of variables of different units.
    """
    traj = motion_of(motion)
    groups = quantities(traj) if groups is None else groups
    if not len(groups):
        raise ParameterError("plot.stacked: groups is empty; give the names for at least one axes.")
    for group in groups:
        _common_unit(traj, group)
    _, grid = plt.subplots(
        len(groups), figsize=(7.5, 0.6 + 2.0 * len(groups)), sharex=True, squeeze=False, layout="constrained"
    )
    for ax, group in zip(grid[:, 0], groups, strict=True):
        time_series(traj, group, ax, limits=limits)
        ax.label_outer()
    grid[0, 0].figure.align_ylabels()
    return tuple(grid[:, 0])


def quantities(motion: Trajectory) -> list[list[str]]:
    """Return groups of variables for a picture: inputs, coordinates and outputs of one unit and kind each.

    Constant variables are left out, unless nothing moves. So are bending coordinates: tip deflections show the bending.
    """
    shown = [name for group in ("u", "x", "y") for name in motion.names[group]]
    at_rest = all(np.ptp(motion[name]) == 0 for name in shown)
    bends = ("bending", "curvature")
    coordinates = [n for n in motion.names["x"] if not n.startswith("der(") and not any(word in n for word in bends)]
    groups: dict[tuple[str, str], list[str]] = {}
    for name in (*motion.names["u"], *coordinates, *motion.names["y"]):
        word = name.rpartition(".")[2]
        if at_rest or np.ptp(motion[name]) > 0:
            groups.setdefault((motion.unit(name), "position" if word in ("x", "y", "z") else word), []).append(name)
    return list(groups.values())


def _common_unit(traj: Trajectory, names: str | Sequence[str]) -> str:
    units = {name: traj.unit(name) for name in ([names] if isinstance(names, str) else names)}
    if len(set(units.values())) != 1:
        written = ", ".join(f"{name} [{unit}]" for name, unit in units.items()) or "none"
        raise ParameterError(
            f"plot: names = {written}; what shares axes must have one unit. plot.stacked(traj, [[...], [...]]) draws "
            "several."
        )
    return next(iter(units.values()))


def _bounds(limits: Mapping[str, Limit] | None, name: str) -> tuple[float, ...]:
    if not limits or name not in limits:
        return ()
    limit = limits[name]
    both = (-limit, limit) if isinstance(limit, (int, float)) else limit
    return tuple(bound for bound in both if bound is not None and math.isfinite(bound))


def common_word(names: Sequence[str]) -> str:
    """Return what the quantities of all variables share, such as ``angle`` for joint1.angle and joint2.angle.

    Of ``tip deflection y`` and ``tip deflection z`` that is how they begin.
    """
    words = [_word(name).split() for name in names]
    shared = takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))
    return " ".join(column[0] for column in shared)


def _word(name: str) -> str:
    if name.startswith("der("):
        return f"rate of {_word(name[4:-1])}"
    word = name.rpartition(".")[2].partition("[")[0].replace("_", " ")
    return "position" if word in ("x", "y", "z") else word
