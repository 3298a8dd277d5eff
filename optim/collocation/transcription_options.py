"""Transcription options: declared, documented and validated here, and passed on as a whole."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypedDict, TypeVar, get_type_hints

from flexblocks.argument_types import short
from flexblocks.errors import suggestion

from ..errors import ProblemError
from .input_parametrization import InputShape, input_shape
from .mesh import check_intervals, checked_spacing
from .schemes import Collocation, collocation

AUTO = "auto"
F = TypeVar("F", bound=Callable)


@dataclass(frozen=True)
class TranscriptionOptions:
    """The options of the transcription of an optimal control problem to a nonlinear program.

    Parameters
    ----------
    intervals : int or sequence of int
        Number K of mesh intervals, for all phases or for each.
    degree : int
        Number d of collocation points per interval.
    scheme : "radau" or "lobatto"
        Radau damps oscillations that the mesh does not resolve, which a plan may exploit; Lobatto, whose first point is
        the mesh point, conserves their energy.
    inputs : "cubic", "linear" or "constant"
        Input parametrisation: continuous with continuous rates, continuous, or piecewise constant.
    quasi_static : "auto", float or sequence of str, optional
        Quasi-static (residualised) modes: their displacements follow from a balance of forces, without rates or
        accelerations. ``"auto"``: the undamped modes at the start with two periods or more in the shortest interval; or
        those above a frequency [rad/s]; or coordinates by name. An overdamped mode counts by its slower eigenvalue. By
        default none, but goals leave open modes with two periods or more in the last interval, and `plan` makes these
        quasi-static where that does not end; with False goals prescribe all modes. A replay always simulates the full
        arm.
    spacing : sequence of sequence of float, optional
        Lengths of the intervals of each phase relative to each other, as refinement chooses them; by default equal.
    margins : dict of float, optional
        By how much the plan stays within limits of states and outputs and within path constraints, by their names and
        in their units, as refinement chooses it where a replay exceeds them: replays and checks judge by the limits.

    Raises
    ------
    ProblemError
        An invalid value.
    """

    intervals: int | Sequence[int] = 100
    degree: int = 3
    scheme: Literal["radau", "lobatto"] = "radau"
    inputs: Literal["cubic", "linear", "constant"] = "cubic"
    quasi_static: Any = None  # None, False, "auto", a float or a tuple of str once checked
    spacing: Sequence[Sequence[float]] | None = None
    margins: Mapping[str, float] | None = None  # a dict once checked

    def __post_init__(self) -> None:
        for count in self.counts:
            check_intervals(count)
        collocation(self.scheme, self.degree)
        input_shape(self.inputs)
        static = tuple(self.quasi_static) if isinstance(self.quasi_static, list) else self.quasi_static
        _check_quasi_static(static)
        # Plain numbers and tuples, which can be compared and written to files
        counts = tuple(map(int, self.counts))
        put = {
            "intervals": counts if isinstance(self.intervals, (tuple, list)) else counts[0],
            "degree": int(self.degree),
            "quasi_static": static,
            "spacing": checked_spacing(self.spacing, counts),
            "margins": _checked_margins(self.margins),
        }
        for name, value in put.items():
            object.__setattr__(self, name, value)

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of intervals of each phase, or one number for all phases."""
        intervals: Any = self.intervals
        return tuple(intervals) if isinstance(intervals, (tuple, list)) else (intervals,)

    @property
    def collocation(self) -> Collocation:
        """The scheme with its degree."""
        return collocation(self.scheme, self.degree)

    @property
    def input_shape(self) -> InputShape:
        """The input parametrization."""
        return input_shape(self.inputs)

    def for_phases(self, phases: int) -> TranscriptionOptions:
        """Return these options with a number of intervals for each phase.

        Raises
        ------
        ProblemError
            The number of phases is different.
        """
        if not isinstance(self.intervals, tuple):
            return replace(self, intervals=self.counts * phases)
        if len(self.intervals) != phases:
            raise ProblemError(
                f"plan: intervals = {self.intervals!r}; must be one number, or {phases}, one for each phase."
            )
        return self


class TranscriptionArguments(TypedDict, total=False):
    """The fields of `TranscriptionOptions` as keyword arguments, for type checkers."""

    intervals: int | Sequence[int]
    degree: int
    scheme: str
    inputs: str
    quasi_static: Any
    spacing: Sequence[Sequence[float]] | None
    margins: Mapping[str, float] | None


def transcription_options(arguments: Mapping[str, Any]) -> TranscriptionOptions:
    """Return keyword arguments as options.

    Raises
    ------
    ProblemError
        An unknown option, or an invalid value.
    """
    names = [field.name for field in fields(TranscriptionOptions)]
    for name in arguments:
        if name not in names:
            raise ProblemError(f"plan: there is no option '{name}'{suggestion(name, names)}")
    return TranscriptionOptions(**arguments)


def takes_transcription_options(function: F) -> F:
    """Show the options in the signature and the docstring of a function, in place of its ``**transcription``."""
    signature = inspect.signature(function)
    parameters = [
        parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD
    ]
    positional = [parameter for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    hints = get_type_hints(TranscriptionOptions)
    options = [
        parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        for parameter in inspect.signature(TranscriptionOptions).parameters.values()
    ]
    function.__signature__ = signature.replace(parameters=[*positional, *options, *parameters[len(positional) :]])
    if function.__doc__ and TranscriptionOptions.__doc__:
        _, _, described = TranscriptionOptions.__doc__.partition("----------\n")
        described, _, _ = described.partition("\n\n    Raises")
        function.__doc__ = function.__doc__.replace("    **transcription", described)
    return function


def _checked_margins(margins: Any) -> dict[str, float]:
    if margins is None:
        return {}
    if isinstance(margins, Mapping) and all(isinstance(name, str) for name in margins):
        numbers = [
            value for value in margins.values() if isinstance(value, (int, float)) and not isinstance(value, bool)
        ]
        if len(numbers) == len(margins) and all(0 <= value <= sys.float_info.max for value in numbers):
            return {name: float(value) for name, value in margins.items()}
    raise ProblemError(f"plan: margins = {short(margins)}; must be numbers >= 0 by the names of limits.")


def _check_quasi_static(value: Any) -> None:
    if value is None or value is False or (isinstance(value, str) and value == AUTO):
        return
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf"):
        return
    if isinstance(value, tuple) and value and all(isinstance(name, str) for name in value):
        return
    raise ProblemError(
        f'plan: quasi_static = {value!r}; must be None, "auto", a frequency > 0 rad/s above which modes are '
        "so, or a sequence of coordinates by name."
    )
