"""The usual input shapers: zero vibration, its robust form, and extra insensitivity."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize

from flexblocks.control.shaping.shaper import Shaper, binomial, mode_numbers
from flexblocks.errors import ComputationError, ParameterError


def ZV(mode: Any, damping_ratio: float | None = None) -> Shaper:
    """Return the shaper of two impulses after which the mode stands still.

    Parameters
    ----------
    mode : Mode or float
        A mode of ``linearize(dae).modes()``, or its natural frequency [rad/s].
    damping_ratio : float, optional
        That of the mode; 0 for a frequency.

    Raises
    ------
    ParameterError
        The mode does not swing.

    Notes
    -----
    Smith 1957; Singer & Seering 1990. Undamped, the residual at the frequency w is abs(cos(pi w / (2 w0))).
    """
    return binomial(mode, damping_ratio, 2, "ZV")


def ZVD(mode: Any, damping_ratio: float | None = None) -> Shaper:
    """Return the shaper of three impulses whose residual also has no slope in the frequency.

    Parameters and errors as for `ZV`.

    Notes
    -----
    Singer & Seering 1990. Undamped, the residual at the frequency w is cos(pi w / (2 w0))^2.
    """
    return binomial(mode, damping_ratio, 3, "ZVD")


def EI(mode: Any, damping_ratio: float | None = None, vibration: float = 0.05) -> Shaper:
    """Return the shaper of three impulses that leaves some vibration at the mode, and no more in a wide band about it.

    Parameters
    ----------
    mode, damping_ratio
        As for `ZV`.
    vibration : float
        What may be left, as a share of that after one impulse; > 0 and < 1.

    Raises
    ------
    ParameterError
        The mode does not swing, or `vibration` is out of its range.
    ComputationError
        There is no such shaper for this damping.

    Notes
    -----
    Singhose, Seering & Singer, J. Mechanical Design 116 (1994) 654-659. The residual is `vibration` at the mode, with
    no slope in the frequency, and 0 at one frequency on each side. With damping these conditions are solved by Newton's
    method from the undamped shaper, ((1 + V) / 4, (1 - V) / 2, (1 + V) / 4).
    """
    frequency, ratio = mode_numbers(mode, damping_ratio, "EI")
    if not 0 < vibration < 1:
        raise ParameterError(f"EI: vibration = {vibration!r}; must be > 0 and < 1.")
    outer = (1 + vibration) / 4
    around = np.arccos(-(1 - vibration) / (1 + vibration)) / np.pi
    # In half periods of the undamped mode: amplitudes 1 and 3, times 2 and 3, frequencies of no residual.
    unknowns = np.array([outer, outer, 1.0, 2.0, around, 2 - around])
    for damping in np.linspace(0, ratio, max(int(np.ceil(ratio / 0.05)), 1) + 1)[1:] if ratio else ():
        found = scipy.optimize.root(_conditions, unknowns, args=(damping, vibration), tol=1e-13)
        if not found.success:
            raise ComputationError(
                f"EI: no three impulses leave {vibration:g} at a damping ratio of {ratio:g}; take ZVD."
            )
        unknowns = found.x
    first, third, t2, t3 = unknowns[:4]
    half = np.pi / frequency
    return Shaper((0.0, float(half * t2), float(half * t3)), (float(first), float(1 - first - third), float(third)))


def _conditions(unknowns: np.ndarray, ratio: float, vibration: float) -> np.ndarray:
    """Return what must vanish: residual and slope at the mode, both phasors at the two frequencies beside it."""
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
