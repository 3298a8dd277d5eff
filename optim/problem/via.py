"""Via points: values that a motion passes through at prescribed times."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flexblocks.plausibility import computable

from ..errors import ProblemError


@dataclass(frozen=True)
class Via:
    """A via point: values that the motion passes through at one time.

    Parameters
    ----------
    values : dict of float
        By name of a signal (see `Signals`): ``"joint1.angle"``, ``"payload.x"``,
        ``"der(joint1.angle)"``.
    fraction : float
        Time as a fraction of the duration, between 0 and 1.
    time : float
        Time [s], instead of `fraction`, if the duration is fixed.
    """

    values: Mapping[str, float]
    fraction: float | None = None
    time: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.values, Mapping) or not self.values:
            raise ProblemError(f'Via: {self.values!r}; must be a dict by name, as {{"payload.x": 0.5}}.')
        for name, value in self.values.items():
            if not _is_number(value):
                raise ProblemError(f"Via: {name} = {value!r}; must be a finite number.")
        if (self.fraction is None) == (self.time is None):
            raise ProblemError(
                "Via: no time is given, or two are; give either fraction=, of the duration, or time= [s]."
            )
        if self.fraction is not None and not (_is_number(self.fraction) and 0 < self.fraction < 1):
            raise ProblemError(
                f"Via: fraction = {self.fraction!r}; must be a fraction of the duration, between 0 and 1."
            )
        if self.time is not None and not (_is_number(self.time) and self.time > 0):
            raise ProblemError(f"Via: time = {self.time!r}; must be a time > 0 s.")

    def share(self, duration: Any) -> float:
        """Return the time as a fraction of the duration; a free duration requires `fraction`.

        Raises
        ------
        ProblemError
            The time is not within the duration, or the duration is free.
        """
        if self.fraction is not None:
            return self.fraction
        assert self.time is not None
        if not isinstance(duration, float):
            raise ProblemError(
                f"Via: time = {self.time:g} s, but the duration is free; give fraction=, of the duration."
            )
        if self.time >= duration:
            raise ProblemError(f"Via: time = {self.time:g} s; must be less than the duration, {duration:g} s.")
        return self.time / duration


def checked_vias(where: str, value: Any, duration: Any) -> tuple[Via, ...]:
    """Return one or several via points in the order of their times.

    Raises
    ------
    ProblemError
        An element is not a via point, or two have the same time.
    """
    vias = (value,) if isinstance(value, Via) else value
    if not isinstance(vias, (tuple, list)) or not all(isinstance(one, Via) for one in vias):
        raise ProblemError(f"{where} = {value!r}; must be a sequence of optim.Via(...).")
    ordered = sorted(vias, key=lambda via: via.share(duration))
    shares = [via.share(duration) for via in ordered]
    for one, other in pairwise(shares):
        if other - one < 1e-9:
            raise ProblemError(f"{where}: two via points at {one:g} of the duration; put their values into one.")
    return tuple(ordered)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and computable(value)
