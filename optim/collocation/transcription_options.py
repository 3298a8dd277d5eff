"""The options of a transcription: declared, documented and checked here, and passed on as a whole."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict, TypeVar

from flexblocks.errors import listing, nearest

from ..errors import ProblemError
from .input_parametrization import InputShape, input_shape
from .mesh import check_intervals
from .schemes import Collocation, collocation

AUTO = "auto"
F = TypeVar("F", bound=Callable)


@dataclass(frozen=True)
class TranscriptionOptions:
    """How an optimal control problem becomes one of finitely many variables.

    Parameters
    ----------
    intervals : int or sequence of int
        Number K of mesh intervals, of every phase or one for each.
    degree : int
        Number d of collocation points in each.
    scheme : "radau" or "lobatto"
        Radau damps oscillations that the mesh does not resolve, and a plan may live off that; Lobatto, whose first
        point is the mesh point, leaves them their energy.
    inputs : "cubic", "linear" or "constant"
        How inputs run over an interval: continuous with their rates, continuous, or held.
    quasi_static : "auto", float or sequence of str, optional
        Modes that give way at once instead of swinging: in the equations of motion their displacements follow from a
        balance of forces, and they have neither rates nor accelerations. ``"auto"``: the undamped modes at the start
        that have two periods or more in the shortest interval; or those above a frequency [rad/s]; or coordinates by
        name. By default none. A replay has the full arm in any case.

    Raises
    ------
    ProblemError
        A value that is none of these.
    """

    intervals: int | Sequence[int] = 100
    degree: int = 3
    scheme: str = "radau"
    inputs: str = "cubic"
    quasi_static: Any = None  # None, "auto", a float or a tuple of str once checked

    def __post_init__(self) -> None:
        for count in self.counts:
            check_intervals(count)
        collocation(self.scheme, self.degree)
        input_shape(self.inputs)
        static = tuple(self.quasi_static) if isinstance(self.quasi_static, list) else self.quasi_static
        _check_quasi_static(static)
        # Plain numbers and tuples: what files hold, and what compares.
        counts = tuple(map(int, self.counts))
        put = {
            "intervals": counts if isinstance(self.intervals, (tuple, list)) else counts[0],
            "degree": int(self.degree),
            "quasi_static": static,
        }
        for name, value in put.items():
            object.__setattr__(self, name, value)

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of intervals: of each phase, or the one number for all of them."""
        given: Any = self.intervals
        return tuple(given) if isinstance(given, (tuple, list)) else (given,)

    @property
    def collocation(self) -> Collocation:
        """The scheme with its degree."""
        return collocation(self.scheme, self.degree)

    @property
    def input_shape(self) -> InputShape:
        """The polynomials of the inputs."""
        return input_shape(self.inputs)

    def for_phases(self, phases: int) -> TranscriptionOptions:
        """Return these options with a number of intervals for each phase.

        Raises
        ------
        ProblemError
            There are numbers for another count of phases.
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


def transcription_options(given: Mapping[str, Any]) -> TranscriptionOptions:
    """Return keyword arguments as options.

    Raises
    ------
    ProblemError
        An option that does not exist, or a value that is refused.
    """
    names = [field.name for field in fields(TranscriptionOptions)]
    for name in given:
        if name not in names:
            raise ProblemError(f"plan: there is no option '{name}' ({listing(names)}).{nearest(name, names)}")
    return TranscriptionOptions(**given)


def takes_transcription_options(function: F) -> F:
    """Show the options in the signature and the docstring of a function, in place of its ``**transcription``."""
    signature = inspect.signature(function)
    own = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    positional = [parameter for parameter in own if parameter.kind is not parameter.KEYWORD_ONLY]
    options = [
        parameter.replace(kind=parameter.KEYWORD_ONLY)
        for parameter in inspect.signature(TranscriptionOptions).parameters.values()
    ]
    function.__signature__ = signature.replace(parameters=[*positional, *options, *own[len(positional) :]])
    if function.__doc__ and TranscriptionOptions.__doc__:
        _, _, described = TranscriptionOptions.__doc__.partition("----------\n")
        described, _, _ = described.partition("\n\n    Raises")
        function.__doc__ = function.__doc__.replace("    **transcription", described)
    return function


def _check_quasi_static(given: Any) -> None:
    if given is None or (isinstance(given, str) and given == AUTO):
        return
    if isinstance(given, (int, float)) and not isinstance(given, bool) and 0 < given < float("inf"):
        return
    if isinstance(given, tuple) and given and all(isinstance(name, str) for name in given):
        return
    raise ProblemError(
        f'plan: quasi_static = {given!r}; must be None, "auto", a frequency > 0 rad/s above which modes are carried '
        "so, or a sequence of coordinates by name."
    )
