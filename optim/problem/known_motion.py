"""Known motion: the course of a prescribed coordinate or input over the time of the whole motion, as of a shaker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.libraries import scipy
from flexblocks.plausibility import LARGEST, computable, needed

from ..errors import ProblemError
from .time_functions import value_in_time
from .validation import Duration, mapping

EXPECTED = 'a number, a text in time as "0.02*sin(30*time)", a function of the time, or a SciPy spline'
# Position, rate, acceleration, and the rate of the acceleration.
DERIVATIVES = 4


def checked_motions(where: str, motions: Any, durations: Sequence[Duration]) -> dict[str, Any]:
    """Return known motions by the name of their coordinate or input: numbers, texts, functions of the time or splines.

    Raises
    ------
    ProblemError
        One is none of these, has no derivatives or is not finite; a duration is free, so that times are unknown.
    """
    motions = mapping(where, motions)
    moving = moving_names(motions)
    if moving and not all(isinstance(duration, float) for duration in durations):
        raise ProblemError(f"{where}: {', '.join(moving)}: a known motion, and a free duration; give a duration in s.")
    end = sum(duration for duration in durations if isinstance(duration, float))
    for name, motion in motions.items():
        known_motion(f"{where}: {name}", motion, np.linspace(0.0, end, 11))
    return motions


def moving_names(motions: Mapping[str, Any]) -> list[str]:
    """Return what changes with the time, which is unknown where durations are free."""
    return [name for name, motion in motions.items() if not _is_number(motion)]


def known_motion(where: str, motion: Any, times: np.ndarray, order: int = 0) -> np.ndarray:
    """Return position, rate, acceleration and the rate of the acceleration at times (k,) [s]: an array (4, k).

    The same of the derivative of this `order`, where that is the motion.

    Raises
    ------
    ProblemError
        The motion has no derivatives, or is not finite.
    """
    if isinstance(motion, (scipy.interpolate.PPoly, scipy.interpolate.BSpline)):
        values = np.array([motion(times, order + k) for k in range(DERIVATIVES)])
    elif isinstance(motion, str) or callable(motion) or _is_number(motion):
        time = ca.SX.sym("time")
        orders = [value_in_time(motion, time, where)]
        for _ in range(1, order + DERIVATIVES):
            orders.append(ca.jacobian(orders[-1], time))
        values = ca.Function("motion", [time], [ca.densify(ca.vertcat(*orders[order:]))])(times[None, :]).full()
    else:
        raise ProblemError(f"{where} = {motion!r}; must be {EXPECTED}.")
    if not computable(values):
        bad = times[~(np.abs(values) <= LARGEST).all(axis=0)][0]
        raise ProblemError(
            f"{where}: is not {needed(values)} at {bad:g} s, with three derivatives; must be until the end."
        )
    return values


def _is_number(motion: Any) -> bool:
    return isinstance(motion, (int, float, np.number)) and not isinstance(motion, bool)


def start_and_end(where: str, motions: Mapping[str, Any], time: float) -> dict[str, float]:
    """Return the states by name that known motions have at a time [s]; rates only where they are not zero."""
    states = {}
    for name, motion in motions.items():
        position, rate, *_ = known_motion(f"{where}: {name}", motion, np.array([time]))[:, 0].tolist()
        states |= {name: position} | ({f"der({name})": rate} if rate else {})
    return states
