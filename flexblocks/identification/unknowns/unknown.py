"""Unknown: what is identified, with its guess, bounds and prior knowledge."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.argument_types import short
from flexblocks.errors import ParameterError
from flexblocks.plausibility import computable


@dataclass(frozen=True)
class Unknown:
    """An unknown of `identify`: a parameter, an offset or a start state, with guess, bounds and prior.

    Parameters
    ----------
    name : str
        ``"spring1.stiffness"``, a symbolic parameter of the DAE; ``"offset(joint1.angle)"``, what a sensor shows beyond
        the true value, or ``"offset(motor1.torque)"``, what acts beyond the recorded input; ``"start(joint1.angle)"``,
        the state at the first time of each record.
    guess : float, optional
        By default the value in the model; of a start state that of the record, of an offset 0.
    low, high : float, optional
        Bounds; by default those of the parameter. Where `low` is >= 0 and the guess > 0, the logarithm is sought.
    mean, deviation : float, optional
        Prior knowledge, normally distributed: `mean` (by default the guess) and standard deviation. It counts as a
        measurement does.

    Raises
    ------
    ParameterError
        A number that is not finite, bounds that leave no room, a guess out of them, a deviation that is not > 0, or a
        mean without one.

    Examples
    --------
    >>> import flexblocks as fb
    >>> fb.Unknown("spring1.stiffness", guess=80.0, mean=100.0, deviation=20.0).deviation
    20.0
    """

    name: str
    guess: float | None = None
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    deviation: float | None = None

    def __post_init__(self) -> None:
        where = f"Unknown '{self.name}'"
        if not isinstance(self.name, str):
            raise ParameterError(f"Unknown: name = {short(self.name)}; must be a str.")
        for field in ("guess", "low", "high", "mean", "deviation"):
            value = getattr(self, field)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if value is not None and not (is_number and computable(float(value))):
                raise ParameterError(f"{where}: {field} = {short(value)}; must be a finite number, or None.")
        if self.deviation is not None and self.deviation <= 0:
            raise ParameterError(f"{where}: deviation = {self.deviation:g}; must be > 0.")
        if self.mean is not None and self.deviation is None:
            raise ParameterError(f"{where}: mean = {self.mean:g} without a deviation; give both, or a guess alone.")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ParameterError(f"{where}: low = {self.low:g}, high = {self.high:g}; low must be < high.")
