"""A new plot: the phase portrait of a coordinate."""

from __future__ import annotations

from benchmarks.changes.change import Change, after

REGISTER = "flexblocks/plot/__init__.py"

PLOT = '''\
"""Phase portrait: the rate of a coordinate against the coordinate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from flexblocks.plot.style import BLUE, axes, quiet

if TYPE_CHECKING:
    from flexblocks.simulation.trajectory import Trajectory


def phase_portrait(run: Trajectory, coordinate: str, ax: Axes | None = None) -> Axes:
    """Draw the phase portrait of one coordinate of a motion, with a dot where it starts.

    Parameters
    ----------
    run : Trajectory
    coordinate : str
    ax : Axes, optional
        By default those of a new figure.

    Raises
    ------
    NameUnknownError
        The motion has no coordinate of that name.
    """
    value, rate = run[coordinate], run[f"der({coordinate})"]
    ax = axes(ax, size=(5.5, 5.0))
    ax.plot(value, rate, color=BLUE)
    ax.plot(value[:1], rate[:1], "o", color=BLUE)
    quiet(ax)
    ax.set_xlabel(coordinate)
    ax.set_ylabel(f"der({coordinate})")
    return ax
'''

CHECK = """
import numpy as np
import flexblocks as fb
from flexblocks import models, plot

dae = fb.assemble(models.subudhi_morris_2002())
run = fb.simulate(dae, np.linspace(0.0, 0.4, 41), u={"motor1.torque": 0.1})
ax = plot.phase_portrait(run, "joint1.angle")
line, dot = ax.lines
assert np.array_equal(line.get_xdata(), run["joint1.angle"])
assert np.array_equal(line.get_ydata(), run["der(joint1.angle)"])
assert dot.get_xdata()[0] == run["joint1.angle"][0]
plot.save(ax, "portrait.png")
"""

CHANGE = Change(
    name="new plot",
    at_most=2,
    files={"flexblocks/plot/phase_portrait.py": PLOT},
    edits=(
        after(
            REGISTER,
            "    from flexblocks.plot.modes import modes\n",
            "    from flexblocks.plot.phase_portrait import phase_portrait\n",
        ),
        after(REGISTER, '        "modes",\n', '        "phase_portrait",\n'),
        after(
            REGISTER,
            '                "flexblocks.plot.modes": ["modes"],\n',
            '                "flexblocks.plot.phase_portrait": ["phase_portrait"],\n',
        ),
    ),
    check=CHECK,
)
