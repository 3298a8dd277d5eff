"""Tracking: the squared distance from a reference trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.errors import failure
from flexblocks.plausibility import computable, needed
from flexblocks.simulation.trajectory import Trajectory

from ...errors import ProblemError
from ..signals.instant import Instant
from ..signals.signals import Signals
from .functionals import Lagrangian


@dataclass(frozen=True, eq=False)
class Tracking(Lagrangian):
    """The integral over the motion of the sum of squared distances from reference trajectories, over their tolerances.

    Of a plan it is integrated by the collocation's quadrature; a receding horizon (`MPC`) takes it over its own grid.

    Parameters
    ----------
    paths : dict
        By name of a signal (``"payload.x"``, ``"joint1.angle"``; see `Signals`): a function of an array of times [s],
        equidistant values from start to end (interpolated linearly), or a number. In `MPC`: a function of t that also
        takes a CasADi symbol, a pair (times, values), a Trajectory, a Plan or a number, known ahead; or None for a
        reference that is an input of the closed loop, known only now.
    over : "time" or "share"
        The argument of functions: the time [s], or its fraction of the duration, from 0 to 1, which a free duration
        requires.
    tolerance : float or dict, optional
        The distance of each signal that counts as one [its unit], 1 mm = 1e-3 of a place; by default its unit.
    """

    paths: Mapping[str, Any]
    over: Literal["time", "share"] = "time"
    tolerance: float | Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.paths, Mapping) or not self.paths:
            raise ProblemError(
                f'Tracking: {self.paths!r}; must be a dict by name, as {{"payload.x": lambda t: 0.5 + 0.1 * t}}.'
            )
        if self.over not in ("time", "share"):
            raise ProblemError(f'Tracking: over = {self.over!r}; must be "time" or "share".')
        for name, path in self.paths.items():
            is_known_in_time = callable(path) or path is None or isinstance(path, tuple)
            if not (is_known_in_time or hasattr(path, "trajectory") or isinstance(path, Trajectory)):
                _checked(name, path)
        given = self.tolerance if isinstance(self.tolerance, Mapping) else {"tolerance": self.tolerance}
        for name, size in given.items():
            if isinstance(self.tolerance, Mapping) and name not in self.paths:
                raise ProblemError(f"Tracking: tolerance of '{name}', which is not tracked ({[*self.paths]}).")
            is_number = isinstance(size, (int, float, np.number)) and not isinstance(size, bool)
            if size is not None and not (is_number and 0 < size < np.inf):
                raise ProblemError(f"Tracking: tolerance: {name} = {size!r}; must be a number > 0.")

    def tolerance_of(self, name: str) -> float:
        """Return the distance of a signal that counts as one [its unit]."""
        own = self.tolerance.get(name) if isinstance(self.tolerance, Mapping) else self.tolerance
        return 1.0 if own is None else float(own)

    @property
    def references(self) -> int:
        return len(self.paths)

    def integrand(self, at: Instant, reference: ca.SX) -> ca.SX:
        signals = Signals(at)
        tolerances = np.array([self.tolerance_of(name) for name in self.paths])
        return ca.sumsqr((ca.vertcat(*[signals[name] for name in self.paths]) - reference) / tolerances)

    def reference_values(self, times: np.ndarray, duration: float, is_free: bool) -> np.ndarray:
        if is_free and self.over == "time" and any(callable(path) for path in self.paths.values()):
            raise ProblemError(
                "Tracking: a function of time, but the duration is free; give one of its fraction, from "
                '0 to 1, with over="share".'
            )
        return np.array([self._at(name, path, times, duration) for name, path in self.paths.items()])

    def _at(self, name: str, path: Any, times: np.ndarray, duration: float) -> np.ndarray:
        """Return the reference of one signal at `times` [s]."""
        shares = times / duration
        if path is None:
            raise ProblemError(f"Tracking: {name}: None; a plan must know its reference. MPC takes it as it comes.")
        if not callable(path):
            values = _checked(name, path)
            return np.interp(shares, np.linspace(0.0, 1.0, len(values)), values)
        arguments = times if self.over == "time" else shares
        try:
            values = np.array(path(arguments.ravel()), dtype=float)
            values = np.broadcast_to(values, arguments.size).reshape(times.shape)
        except Exception as error:  # the user's own function may raise anything
            raise ProblemError(
                f"Tracking: {name}: the function fails on an array of {arguments.size} {self.over}s: "
                f"{failure(error)}; must return one number for each."
            ) from error
        if not computable(values):
            raise ProblemError(
                f"Tracking: {name}: the function returns NaN or too large numbers; must be {needed(values)}."
            )
        return values

    def __str__(self) -> str:
        return f"tracking, the integral of the squared distance of {', '.join(self.paths)} from its reference"


def _checked(name: str, path: Any) -> np.ndarray:
    try:
        values = np.atleast_1d(np.array(path, dtype=float))
    except (TypeError, ValueError):
        values = np.zeros((0, 0))
    if values.ndim != 1 or not len(values) or not computable(values):
        raise ProblemError(
            f"Tracking: {name}: {path!r}; must be a function of time, finite equidistant values from start to "
            "end, or a finite number."
        )
    return values
