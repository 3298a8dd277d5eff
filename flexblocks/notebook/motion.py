"""Content of motions: the range of each variable of a trajectory, the table of a convergence study."""

from __future__ import annotations

from flexblocks.compare import Comparison
from flexblocks.notebook.content import Content, table
from flexblocks.simulation.trajectory import GROUPS, Trajectory


def trajectory(shown: Trajectory) -> Content:
    """Return the least, largest and last value of each variable of a motion."""
    rows = [
        (name, values.min(), values.max(), values[-1], shown.unit(name))
        for group in GROUPS
        for name in shown.names[group]
        for values in [shown[name]]
    ]
    parameters = table("Parameters", ("name", "value"), list(shown.p.items()))
    return Content(repr(shown), (*table("", ("variable", "least", "largest", "last", "unit"), rows), *parameters))


def comparison(shown: Comparison) -> Content:
    """Return the table of a convergence study: a row for each discretization."""
    frame = shown.table.map(lambda value: f"{value:.6g}" if isinstance(value, float) else value)
    rows = [(str(name), *row) for name, row in zip(frame.index, frame.itertuples(index=False), strict=True)]
    return Content(shown.output, table("", ("discretization", *map(str, frame.columns)), rows))
