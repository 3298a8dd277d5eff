"""Measured time series, and beside them those of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from flexblocks.errors import ParameterError, listing
from flexblocks.plot.style import BLACK, line_style, quiet
from flexblocks.plot.subjects import motion_of
from flexblocks.plot.time_series import common_word

if TYPE_CHECKING:
    from flexblocks.optim import Plan, Replay
    from flexblocks.simulation import Record, Trajectory


def record(
    measured: Record,
    groups: Sequence[str | Sequence[str]] | None = None,
    *,
    beside: Trajectory | Plan | Replay | None = None,
) -> tuple[Axes, ...]:
    """Draw measured time series over time, on axes stacked in a new figure, beside those of a model.

    Parameters
    ----------
    measured : Record
    groups : sequence, optional
        For each axes its names; by default variables of one unit and kind together, inputs first.
    beside : Trajectory, Plan or Replay, optional
        The motion of a model, drawn as lines in colours over what was measured, as points. Both have the same times;
        names that it lacks are drawn without it.

    Returns
    -------
    tuple of Axes
        In the order of `groups`; on each the measured series, then those of the model.

    Raises
    ------
    NameUnknownError
        A name that is not in the record.
    ParameterError
        No groups, a group of variables of different units, or a model with none of the names.
    """
    groups = _groups(measured) if groups is None else [[g] if isinstance(g, str) else list(g) for g in groups]
    if not len(groups) or not all(len(group) for group in groups):
        raise ParameterError("plot.record: groups is empty; give the names for at least one axes.")
    for group in groups:
        if len(units := {measured.unit(name) for name in group}) > 1:
            raise ParameterError(f"plot.record: {listing(group)} have the units {listing(sorted(units))}; must be one.")
    model = None if beside is None else motion_of(beside)
    if model is not None and not any(name in _names(model) for group in groups for name in group):
        raise ParameterError(f"plot.record: beside has none of {listing(n for g in groups for n in g)}.")
    _, grid = plt.subplots(
        len(groups), figsize=(7.5, 0.6 + 2.0 * len(groups)), sharex=True, squeeze=False, layout="constrained"
    )
    for ax, group in zip(grid[:, 0], groups, strict=True):
        _draw(ax, measured, model, group)
        ax.label_outer()
    grid[-1, 0].set_xlabel("time [s]")
    grid[0, 0].figure.align_ylabels()
    return tuple(grid[:, 0])


def _draw(ax: Axes, measured: Record, model: Trajectory | None, group: Sequence[str]) -> None:
    for number, name in enumerate(group):
        style = line_style(number)
        if name in measured.u:
            ax.step(measured.t, measured[name], where="post", label=name, linewidth=1.2, color=style["color"])
            continue
        # Points where the model has a line; lines alone would hide what is behind them, and gaps of one sample.
        known = ~np.isnan(measured[name])
        alone: dict[str, Any] = {"linewidth": 0.8} if model is None or name not in _names(model) else {"linestyle": ""}
        marks: dict[str, Any] = {"marker": ".", "markersize": 3.0, "color": style["color"]}
        ax.plot(measured.t, np.where(known, measured[name], np.nan), label=name, alpha=0.7, **marks, **alone)
    for number, name in enumerate(group):
        if model is not None and name in _names(model):
            color = BLACK if len(group) == 1 else line_style(number)["color"]
            ax.plot(model.t, model[name], label=f"{name}, {model.name}", linewidth=1.3, color=color)
    quiet(ax)
    ax.margins(x=0)
    known = [measured.unit(name) for name in group]
    known += [model.unit(name) for name in group if model is not None and name in _names(model)]
    unit = next(filter(None, known), "")
    word = group[0] if len(group) == 1 else common_word(group)
    ax.set_ylabel(f"{word} [{unit}]" if unit else word)
    if len(ax.lines) > 1:
        ax.legend(frameon=False, fontsize="small", ncols=2 if len(ax.lines) > 3 else 1)


def _names(model: Trajectory) -> set[str]:
    return {name for names in model.names.values() for name in names}


def _groups(measured: Record) -> list[list[str]]:
    """Return the variables of one unit and kind together, inputs first."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for role, names in measured.names.items():
        for name in names:
            kind = ("der" if name.startswith("der(") else "") + name.rstrip(")").rpartition(".")[2]
            groups.setdefault((role, measured.unit(name), kind), []).append(name)
    return list(groups.values())
