"""Objectives along the path of a motion: the jerk of the inputs, tracking, and expressions of a user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from flexblocks.errors import nearest

from ..errors import ProblemError
from .expression import Expression, checked_expression
from .objective import Objective, nonnegative

Reference = Callable[[np.ndarray], Any] | np.ndarray | float


@dataclass(frozen=True)
class Jerk(Objective):
    """The integral over the motion of the sum of squared derivatives of all inputs.

    Exact by Gauss quadrature. What a torque is to the acceleration of a rigid arm, its rate is to the jerk.

    Parameters
    ----------
    order : 1 or 2
        Of the derivative: 1 for the jerk of the arm as if it were rigid; 2 for the rate of that, which needs cubic
        inputs.
    """

    is_shared: ClassVar[bool] = True
    order: int = 1

    def __post_init__(self) -> None:
        if self.order not in (1, 2) or isinstance(self.order, bool):
            raise ProblemError(f"Jerk: order = {self.order!r}; must be 1 or 2.")

    @property
    def squared(self) -> Mapping[int, float]:
        """Weights of the squared inputs (0), their rates (1) and second derivatives (2)."""
        return {self.order: 1.0}

    def __str__(self) -> str:
        what = "der(u)" if self.order == 1 else "der(der(u))"
        return f"jerk, the integral of {what}^2 over all inputs"


@dataclass(frozen=True, eq=False)
class Tracking(Objective):
    """The integral over the motion of the sum of squared distances from given courses.

    Integrated by the collocation's own quadrature.

    Parameters
    ----------
    paths : dict
        By the name of anything that an arm has along a motion (``"payload.x"``, ``"joint1.angle"``; see `Signals`): a
        function of times [s] that takes an array, values at even steps from start to end (between them straight
        lines), or a number.
    over : "time" or "share"
        What functions are functions of: the time [s], or its share in the duration, from 0 to 1, which a free duration
        needs.
    """

    paths: Mapping[str, Reference]
    over: str = "time"

    def __post_init__(self) -> None:
        if not isinstance(self.paths, Mapping) or not self.paths:
            raise ProblemError(
                f'Tracking: {self.paths!r}; must be a dict by name, as {{"payload.x": lambda t: 0.5 + 0.1 * t}}.'
            )
        if self.over not in ("time", "share"):
            raise ProblemError(f'Tracking: over = {self.over!r}; must be "time" or "share".')
        for name, path in self.paths.items():
            if not callable(path):
                _checked(name, path)

    def references(self, times: np.ndarray, duration: float) -> np.ndarray:
        """Return what is to be tracked, (names, *times' shape), at `times` [s].

        Raises
        ------
        ProblemError
            A function that does not give one finite number for each time.
        """
        return np.array([self._at(name, path, times, duration) for name, path in self.paths.items()])

    def _at(self, name: str, path: Reference, times: np.ndarray, duration: float) -> np.ndarray:
        shares = times / duration
        if not callable(path):
            values = _checked(name, path)
            return np.interp(shares, np.linspace(0.0, 1.0, len(values)), values)
        given = times if self.over == "time" else shares
        try:
            found = np.array(path(given.ravel()), dtype=float)
            found = np.broadcast_to(found, given.size).reshape(times.shape)
        except (TypeError, ValueError) as error:
            raise ProblemError(
                f"Tracking: {name}: the function fails on an array of {given.size} {self.over}s: {error}; must return "
                "one number for each."
            ) from error
        if not np.isfinite(found).all():
            raise ProblemError(f"Tracking: {name}: the function returns NaN or infinity; must be finite.")
        return found

    @property
    def of_time(self) -> bool:
        """Whether something is a function of time in seconds."""
        return self.over == "time" and any(callable(path) for path in self.paths.values())

    def __str__(self) -> str:
        return f"tracking, the integral of the squared distance of {', '.join(self.paths)} from what was given"


@dataclass(frozen=True, eq=False)
class Integral(Objective):
    """The integral over the motion of an expression.

    Parameters
    ----------
    expression : callable or str
        ``lambda s: s["link1.tip_deflection_y"] ** 2``, of CasADi expressions by name (see `Signals`), or such a text.
    name : str, optional
        For people.

    Notes
    -----
    Integrated by the collocation's own quadrature: exact for polynomials of degree 2 d - 2 over an interval.
    """

    expression: Any
    name: str | None = None
    checked: Expression = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "checked", checked_expression(type(self).__name__, self.expression))

    def __str__(self) -> str:
        return f"the integral of {self.name or self.checked}"


@dataclass(frozen=True, eq=False)
class Final(Integral):
    """The value of an expression at the end of the motion; the parameters are those of `Integral`."""

    def __str__(self) -> str:
        return f"the final value of {self.name or self.checked}"


def _checked(name: str, path: Any) -> np.ndarray:
    try:
        values = np.atleast_1d(np.array(path, dtype=float))
    except (TypeError, ValueError):
        values = np.zeros((0, 0))
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise ProblemError(
            f"Tracking: {name}: {path!r}; must be a function of time, finite values at even steps from start to "
            "end, or a finite number."
        )
    return values


@dataclass(frozen=True)
class Effort(Objective):
    """The integral over the motion of sum(u^2 + rate_weight der(u)^2) over all inputs u.

    Exact: the inputs are polynomials, and Gauss quadrature integrates their squares without error.

    Parameters
    ----------
    rate_weight : float
        Weight of the inputs' rates [s2]. Without it the optimum lives off modes that the mesh does not resolve: under
        refinement it goes on falling, and its replay misses the goal.
    """

    is_shared: ClassVar[bool] = True
    rate_weight: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate_weight", nonnegative("Effort", "rate_weight", self.rate_weight, " [s2]"))

    @property
    def squared(self) -> Mapping[int, float]:
        """Weights of the squared inputs (0) and of their squared rates (1)."""
        return {0: 1.0, 1: self.rate_weight}

    def __str__(self) -> str:
        rate = f" + {self.rate_weight:g} der(u)^2" if self.rate_weight else ""
        return f"effort, the integral of u^2{rate} over all inputs"


@dataclass(frozen=True)
class Time(Objective):
    """The duration of the motion [s], which must be free."""

    is_shared: ClassVar[bool] = True

    def __str__(self) -> str:
        return "time, the duration"


@dataclass(frozen=True)
class Vibration(Objective):
    """The integral over the motion of the elastic energy [J s] stored in all springs and beams.

    Integrated by the collocation's own quadrature: exact as far as the energy over an interval is a polynomial of
    degree 2 d - 2 at most, at the order of the collocated states beyond.
    """

    def __str__(self) -> str:
        return "vibration, the integral of the elastic energy"


NAMED = {"effort": Effort, "time": Time, "vibration": Vibration}


def objective_named(given: Objective | str) -> Objective:
    """Return the objective itself, or the one of that name with its default weights.

    Raises
    ------
    ProblemError
        There is none of that name.
    """
    if isinstance(given, Objective):
        return given
    if isinstance(given, str) and given in NAMED:
        return NAMED[given]()
    names = ", ".join(f'"{name}"' for name in NAMED)
    raise ProblemError(
        f"objective = {given!r}; must be {names}, optim.Effort(rate_weight=...), or a weighted sum as "
        f"optim.Time() + 0.1 * optim.Effort().{nearest(str(given), NAMED)}"
    )
