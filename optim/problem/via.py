"""Via points: what a motion passes through on its way."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..errors import ProblemError


@dataclass(frozen=True)
class Via:
    """What a motion passes through at one time.

    Parameters
    ----------
    values : dict of float
        By the name of anything that an arm has along a motion (see `Signals`): ``"joint1.angle"``, ``"payload.x"``,
        ``"der(joint1.angle)"``.
    at : float
        When, as a share of the duration, between 0 and 1.
    time : float
        When [s]; instead of `at`, where the duration is fixed.
    """

    values: Mapping[str, float]
    at: float | None = None
    time: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.values, Mapping) or not self.values:
            raise ProblemError(f'Via: {self.values!r}; must be a dict by name, as {{"payload.x": 0.5}}.')
        for name, value in self.values.items():
            if not _is_number(value):
                raise ProblemError(f"Via: {name} = {value!r}; must be a finite number.")
        if (self.at is None) == (self.time is None):
            raise ProblemError("Via: give when: either at=, as a share of the duration, or time= [s].")
        if self.at is not None and not (_is_number(self.at) and 0 < self.at < 1):
            raise ProblemError(f"Via: at = {self.at!r}; must be a share of the duration, between 0 and 1.")
        if self.time is not None and not (_is_number(self.time) and self.time > 0):
            raise ProblemError(f"Via: time = {self.time!r}; must be a time > 0 s.")

    def share(self, duration: Any) -> float:
        """Return when, as a share of the duration; a free one needs `at`.

        Raises
        ------
        ProblemError
            The time is not within the duration, or that is free.
        """
        if self.at is not None:
            return self.at
        assert self.time is not None
        if not isinstance(duration, float):
            raise ProblemError(
                f"Via: time = {self.time:g} s, where the duration is free; give at=, as a share of the duration."
            )
        if self.time >= duration:
            raise ProblemError(f"Via: time = {self.time:g} s; must be less than the duration, {duration:g} s.")
        return self.time / duration


def checked_vias(where: str, given: Any, duration: Any) -> tuple[Via, ...]:
    """Return via points in the order of their times, one alone as well.

    Raises
    ------
    ProblemError
        Something else is among them, or two at one time.
    """
    found = (given,) if isinstance(given, Via) else given
    if not isinstance(found, (tuple, list)) or not all(isinstance(one, Via) for one in found):
        raise ProblemError(f"{where} = {given!r}; must be a sequence of optim.Via(...).")
    ordered = sorted(found, key=lambda via: via.share(duration))
    shares = [via.share(duration) for via in ordered]
    for one, other in pairwise(shares):
        if other - one < 1e-9:
            raise ProblemError(f"{where}: two via points at {one:g} of the duration; put their values into one.")
    return tuple(ordered)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and math.isfinite(value)
