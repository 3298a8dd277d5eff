"""Standard input shapers: zero vibration (ZV), zero vibration and derivative (ZVD), extra-insensitive (EI)."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from flexblocks.control.shaping.shaper import Shaper
from flexblocks.errors import ComputationError, ParameterError
from flexblocks.libraries import scipy


def ZV(mode: Any, damping_ratio: float | None = None) -> Shaper:
    """Zero-vibration shaper: two impulses that leave no residual vibration of the mode.

    Parameters
    ----------
    mode : Mode or float
        A mode of ``linearize(dae).modes()``, or its natural frequency [rad/s].
    damping_ratio : float, optional
        By default that of the mode, and 0 for a frequency.

    Raises
    ------
    ParameterError
        The mode does not oscillate.

    Notes
    -----
    Smith 1957; Singer & Seering 1990. Undamped, the residual at the frequency w is abs(cos(pi w / (2 w0))).
    """
    return _binomial(mode, damping_ratio, 2, "ZV")


def ZVD(mode: Any, damping_ratio: float | None = None) -> Shaper:
    """Zero-vibration-and-derivative shaper: three impulses whose residual is also insensitive to first order.

    The derivative of the residual with respect to the frequency is 0. Parameters and errors as for `ZV`.

    Notes
    -----
    Singer & Seering 1990. Undamped, the residual at the frequency w is cos(pi w / (2 w0))^2.
    """
    return _binomial(mode, damping_ratio, 3, "ZVD")


def EI(mode: Any, damping_ratio: float | None = None, vibration: float = 0.05) -> Shaper:
    """Extra-insensitive shaper: three impulses that allow some vibration at the mode, and no more in a wide band.

    Parameters
    ----------
    mode, damping_ratio
        As for `ZV`.
    vibration : float
        Tolerated residual vibration, relative to that after a single impulse; > 0 and < 1.

    Raises
    ------
    ParameterError
        The mode does not oscillate, or `vibration` is out of range.
    ComputationError
        No such shaper exists for this damping.

    Notes
    -----
    Singhose, Seering & Singer, J. Mechanical Design 116 (1994) 654-659. The residual is `vibration` at the mode, where
    its derivative with respect to the frequency is 0, and 0 at one frequency on each side. With damping these
    conditions are solved by Newton's method from the undamped shaper, ((1 + V) / 4, (1 - V) / 2, (1 + V) / 4).
    """
    frequency, ratio = _mode_numbers(mode, damping_ratio, "EI")
    if not isinstance(vibration, numbers.Real) or not 0 < vibration < 1:
        raise ParameterError(f"EI: vibration = {vibration!r}; must be > 0 and < 1.")
    outer = (1 + vibration) / 4
    zero = np.arccos(-(1 - vibration) / (1 + vibration)) / np.pi
    # In half periods of the undamped mode: amplitudes 1 and 3, times 2 and 3, frequencies of zero residual.
    unknowns = np.array([outer, outer, 1.0, 2.0, zero, 2 - zero])
    # Continuation in the damping ratio, by steps of 0.05 (by trial), so that Newton starts near its solution.
    for damping in np.linspace(0, ratio, max(int(np.ceil(ratio / 0.05)), 1) + 1)[1:] if ratio else ():
        newton = scipy.optimize.root(_conditions, unknowns, args=(damping, vibration), tol=1e-13)
        if not newton.success:
            raise ComputationError(
                f"EI: no three impulses leave a residual of {vibration:g} at a damping ratio of {ratio:g}; "
                "must be a lightly damped mode. Use ZVD."
            )
        unknowns = newton.x
    first, third, t2, t3 = unknowns[:4]
    half = np.pi / frequency
    return Shaper((0.0, float(half * t2), float(half * t3)), (float(first), float(1 - first - third), float(third)))


def _conditions(unknowns: np.ndarray, ratio: float, vibration: float) -> np.ndarray:
    """Return the residuals of the EI conditions (6,): size and slope at the mode, both zeros beside it."""
    first, third, t2, t3, low, high = unknowns
    amplitudes, times = np.array([first, 1 - first - third, third]), np.pi * np.array([0, t2, t3])

    def phasor(frequency: float) -> tuple[complex, complex]:
        rate = frequency * (ratio + 1j * np.sqrt(1 - ratio**2))
        grown = amplitudes * np.exp(rate * times)
        last = np.exp(-ratio * frequency * times[2])
        value = grown.sum() * last
        slope = (grown * times * rate / frequency).sum() * last - ratio * times[2] * value
        return value, slope

    value, slope = phasor(1.0)
    beside = [phasor(low)[0], phasor(high)[0]]
    return np.array(
        [
            (abs(value) ** 2 - vibration**2) / vibration**2,
            (value.conjugate() * slope).real / vibration,
            *(part for phase in beside for part in (phase.real, phase.imag)),
        ]
    )


def _mode_numbers(mode: Any, damping_ratio: Any, where: str) -> tuple[float, float]:
    """Return natural frequency [rad/s] and damping ratio, from a Mode or from numbers.

    Raises
    ------
    ParameterError
        The frequency is not > 0, or the damping ratio not in [0, 1).
    """
    frequency = mode if damping_ratio is not None or not hasattr(mode, "frequency") else mode.frequency
    ratio = getattr(mode, "damping_ratio", 0.0) if damping_ratio is None else damping_ratio
    try:
        frequency, ratio = float(frequency), float(ratio)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # RuntimeError: a symbol of CasADi
        frequency = ratio = np.nan
    if not (np.isfinite(frequency) and frequency > 0 and 0 <= ratio < 1):
        raise ParameterError(
            f"{where}: frequency = {frequency!r} rad/s, damping_ratio = {ratio!r}; must be an "
            "oscillatory mode: a frequency > 0 and a damping ratio >= 0 and < 1."
        )
    return frequency, ratio


def _binomial(mode: Any, damping_ratio: Any, count: int, where: str) -> Shaper:
    """Return the shaper of `count` impulses half a damped period apart, with binomial amplitudes times the decay."""
    frequency, ratio = _mode_numbers(mode, damping_ratio, where)
    half = np.pi / (frequency * np.sqrt(1 - ratio**2))
    decay = np.exp(-ratio * frequency * half)
    amplitudes = np.array([1.0])
    for _ in range(count - 1):
        amplitudes = np.convolve(amplitudes, [1.0, decay])
    amplitudes = amplitudes / amplitudes.sum()
    return Shaper(tuple((half * np.arange(count)).tolist()), tuple(amplitudes.tolist()))
