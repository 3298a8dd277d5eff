"""Grid points along a motion: operating points at times of a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.linear.grid.axes import Axis, Over, axis_values
from flexblocks.linear.linearization_point import point_given
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.statics.operating_point import OperatingPoint


def time_axis(dae: DAE, over: Over, motion: Trajectory) -> tuple[Axis, ...]:
    """Return the time axis of a grid along a motion.

    Raises
    ------
    ParameterError
        Something else varies, times are beyond the motion, or the motion is that of another arm.
    """
    if not isinstance(over, Mapping) or list(over) != ["time"]:
        raise ParameterError(
            f"linear_grid: over = {over!r}; along a Trajectory it must be {{'time': [...]}}: everything else follows "
            "the motion."
        )
    if (motion.names["x"], motion.names["u"]) != (dae.x.names, dae.u.names) or set(motion.p) != set(dae.p.names):
        raise ParameterError(f"linear_grid: at: a Trajectory of '{motion.name}'; must be one of {dae!r}.")
    times = axis_values("time", over["time"])
    if times[0] < motion.t[0] or times[-1] > motion.t[-1]:
        raise ParameterError(
            f"linear_grid: over: time from {times[0]:g} to {times[-1]:g} s; the motion goes from {motion.t[0]:g} to "
            f"{motion.t[-1]:g} s."
        )
    return (Axis("time", "s", times),)


@dataclass(frozen=True, eq=False)
class PassedPoints:
    """Operating points that a motion passes: states by cubic splines, inputs by linear interpolation."""

    motion: Trajectory

    def prepare(self, dae: DAE) -> Callable[[Mapping[str, float]], OperatingPoint]:
        """Return the function from the time to the operating point."""
        motion = self.motion
        states = scipy.interpolate.CubicSpline(motion.t, motion.x)
        p = np.array([motion.p[name] for name in dae.p.names])

        def passed(place: Mapping[str, float]) -> OperatingPoint:
            t = place["time"]
            z, u = (
                np.array([np.interp(t, motion.t, column) for column in values.T]) for values in (motion.z, motion.u)
            )
            return point_given(dae, {"x": states(t), "z": z, "u": u, "p": p})

        return passed
