"""Plots of motions over time: one for each kind and unit of signals, with bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from flexblocks.export.report.content import Curve, Plot
from flexblocks.plot.animation.signals import signals
from flexblocks.simulation.trajectory import Trajectory

MOST = 12  # curves of one plot
NEAR = 1.6  # a bound is drawn within this multiple of its curves' magnitude: one far away would flatten them
SAMPLES = 2000


def time_plots(
    motions: Sequence[tuple[str, Trajectory]], limits: Mapping[str, tuple[float, float]] | None = None
) -> tuple[Plot, ...]:
    """Return plots of all signals of the first motion; further ones of the same arm are dashed."""
    rows = [_rows(motion) for _, motion in motions]
    _, first = motions[0]
    known = signals(first, rows[0], limits)
    plots = []
    for group in dict.fromkeys(known.groups):
        names = [name for name, of in zip(known.names, known.groups, strict=True) if of == group]
        moving = [name for name in names if np.ptp(first[name]) > 0] or names[:1]
        curves, bounds = [], []
        for color, name in enumerate(moving[:MOST]):
            for number, (label, motion) in enumerate(motions):
                if name in motion and (number == 0 or name not in motion.names["u"]):
                    told = name if len(motions) == 1 or number == 0 else f"{name}, {label}"
                    curves.append(Curve(told, motion.t[rows[number]], motion[name][rows[number]], color, number > 0))
            size = float(np.abs(first[name]).max())
            near = (bound for bound in known.limits.get(name, ()) if abs(bound) <= NEAR * size)
            bounds += [(float(bound), color) for bound in near]
        title, _, unit = group.rpartition(" [")
        plots.append(Plot(title, "time [s]", unit.rstrip("]"), tuple(curves), tuple(bounds)))
    return tuple(plots)


def _rows(motion: Trajectory) -> np.ndarray:
    """Return at most `SAMPLES` rows that are finite."""
    rows = np.flatnonzero(np.isfinite(motion.x).all(axis=1))
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), SAMPLES)).astype(int))]
