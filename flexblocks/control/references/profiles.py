"""Point-to-point motion profiles: quintic polynomial and cycloid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.references.reference import Reference, signal_reference
from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial
from flexblocks.simulation.signals.signal import Signal


def quintic(start: float, goal: float, duration: float, begin: float = 0.0) -> Reference:
    """Quintic profile: start + (goal - start) (10 s^3 - 15 s^4 + 6 s^5), s = (t - begin) / duration.

    At rest before and after; rate and acceleration are continuous.

    Parameters
    ----------
    start, goal : float
        [rad or m]
    duration, begin : float
        [s]

    Raises
    ------
    ParameterError
        A number is not finite, or the duration is not > 0.
    """
    _check("quintic", start, goal, duration, begin)
    # Three pieces, highest power first: rest at the start, the motion, rest at the goal.
    c = np.zeros((6, 3))
    c[5] = start, start, goal
    c[:3, 1] = (goal - start) * np.array([6 / duration**5, -15 / duration**4, 10 / duration**3])
    ends = [begin - duration, begin, begin + duration, begin + 2 * duration]
    return signal_reference(PiecewisePolynomial(scipy.interpolate.PPoly(c, ends), (-np.inf, np.inf)))


def cycloid(start: float, goal: float, duration: float, begin: float = 0.0) -> Reference:
    """Cycloidal profile: start + (goal - start) (s - sin(2 pi s) / (2 pi)), s = (t - begin) / duration.

    At rest before and after; rate and acceleration are continuous (Theodore & Ghosal 1995, section 5).

    Parameters
    ----------
    start, goal, duration, begin : float
        As for `quintic`.

    Raises
    ------
    ParameterError
        As for `quintic`.
    """
    _check("cycloid", start, goal, duration, begin)
    distance, turn = goal - start, 2 * np.pi

    def over(shape: Callable[[Any], Any]) -> Signal:
        def value(t: Any) -> Any:
            return shape(ca.fmin(ca.fmax((t - begin) / duration, 0), 1))

        return Signal(value, (begin, begin + duration))

    return Reference(
        over(lambda s: start + distance * (s - np.sin(turn * s) / turn)),
        over(lambda s: distance / duration * (1 - np.cos(turn * s))),
        over(lambda s: distance * turn / duration**2 * np.sin(turn * s)),
    )


def _check(where: str, start: float, goal: float, duration: float, begin: float) -> None:
    for name, value in (("start", start), ("goal", goal), ("duration", duration), ("begin", begin)):
        try:
            fits = bool(np.isfinite(float(value)))
        except (TypeError, ValueError):
            fits = False
        if not fits or (name == "duration" and value <= 0):
            raise ParameterError(
                f"{where}: {name} = {value!r}; must be a finite number{' > 0' if name == 'duration' else ''}."
            )
