"""Modes that were measured on an arm, as by taps: frequencies and damping ratios in one configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexblocks.argument_types import short
from flexblocks.errors import ParameterError


@dataclass(frozen=True, eq=False)
class MeasuredModes:
    """Modes measured on an arm in one configuration, as a tap test gives them.

    Parameters
    ----------
    frequency : array (k,)
        Natural frequencies [Hz].
    damping_ratio : array (k,), optional
        Fractions of critical damping; nan where it was not measured.
    at : dict, optional
        Where the arm stood: coordinates (and inputs) by name; by default at the equilibrium nearest to its start
        values.
    locked : dict, optional
        Coordinates that a brake or a clamp held, by name [rad or m].
    numbers : sequence of int, optional
        Which oscillations of the model these are, counted from 1, the slowest; by default the slowest ones, in the
        order of `frequency`.
    frequency_deviation, damping_deviation : float or array (k,)
        Relative standard deviations of what was measured. Taps repeat within 0.1 % in frequency and 5 % in damping, the
        defaults, where the structure is linear.
    name : str

    Raises
    ------
    ParameterError
        Frequencies that are not > 0, arrays of other lengths, numbers that are not whole or come twice.
    """

    frequency: Any
    damping_ratio: Any = None
    at: Mapping[str, float] = field(default_factory=dict)
    locked: Mapping[str, float] = field(default_factory=dict)
    numbers: Sequence[int] | None = None
    frequency_deviation: Any = 1e-3
    damping_deviation: Any = 0.05
    name: str = "modes"

    def __post_init__(self) -> None:
        f = self._numbers("frequency", self.frequency)
        if f.ndim != 1 or not len(f) or not np.all(f > 0):
            raise ParameterError(f"MeasuredModes: frequency = {short(self.frequency)}; must be numbers > 0 [Hz].")
        damping = np.full(len(f), np.nan)
        if self.damping_ratio is not None:
            damping = np.atleast_1d(np.array(self.damping_ratio, dtype=float))
        if damping.shape != f.shape or np.any(damping <= 0) or np.any(damping >= 1):
            raise ParameterError(
                f"MeasuredModes: damping_ratio = {short(self.damping_ratio)}; must be {len(f)} numbers > 0 and < 1, "
                "nan where it was not measured."
            )
        numbers = tuple(range(1, len(f) + 1) if self.numbers is None else self.numbers)
        whole = all(isinstance(n, (int, np.integer)) and n > 0 for n in numbers)
        if len(numbers) != len(f) or not whole or len(set(numbers)) < len(numbers):
            raise ParameterError(
                f"MeasuredModes: numbers = {short(self.numbers)}; must be {len(f)} whole numbers > 0, each once."
            )
        values: dict[str, Any] = {"frequency": f, "damping_ratio": damping, "numbers": numbers}
        for what in ("frequency_deviation", "damping_deviation"):
            own = self._numbers(what, getattr(self, what))
            if own.shape not in ((1,), f.shape) or not np.all(own > 0):
                raise ParameterError(f"MeasuredModes: {what} = {short(getattr(self, what))}; must be numbers > 0.")
            values[what] = np.broadcast_to(own, f.shape)
        for attribute in ("at", "locked"):
            values[attribute] = dict(getattr(self, attribute) or {})
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    @staticmethod
    def _numbers(what: str, value: Any) -> np.ndarray:
        try:
            array = np.atleast_1d(np.array(value, dtype=float))
        except (TypeError, ValueError):
            raise ParameterError(f"MeasuredModes: {what} = {short(value)}; must be numbers.") from None
        if not np.all(np.isfinite(array)):
            raise ParameterError(f"MeasuredModes: {what} = {short(value)}; must be finite.")
        return array

    def __len__(self) -> int:
        return len(self.frequency)
