"""Input shapers: a few impulses, convolved with a command, after which a mode stands still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from scipy.interpolate import PPoly

from flexblocks.control.references.reference import Reference
from flexblocks.errors import ParameterError
from flexblocks.simulation.inputs import signal
from flexblocks.simulation.polynomial import PiecewisePolynomial
from flexblocks.simulation.signal import Signal, TimeSignal


@dataclass(frozen=True)
class Shaper:
    """Impulses of `amplitudes` (k,), which add up to 1, at `times` (k,) [s] from 0 on.

    ``shaper * other`` does what both do one after the other, for one mode each.
    """

    times: tuple[float, ...]
    amplitudes: tuple[float, ...]

    def __post_init__(self) -> None:
        t, A = np.array(self.times, dtype=float), np.array(self.amplitudes, dtype=float)
        fits = t.ndim == 1 and t.shape == A.shape and len(t) and np.all(np.isfinite(t)) and np.all(np.isfinite(A))
        if not fits or t[0] != 0 or np.any(np.diff(t) <= 0) or abs(A.sum() - 1) > 1e-9:
            raise ParameterError(
                f"Shaper: times = {self.times!r}, amplitudes = {self.amplitudes!r}; must be as many times, rising from "
                "0, as amplitudes, which add up to 1."
            )

    @property
    def duration(self) -> float:
        """By how much it prolongs a command [s]."""
        return self.times[-1]

    def __mul__(self, other: Shaper) -> Shaper:
        pairs = [
            (t + s, A * B)
            for t, A in zip(self.times, self.amplitudes, strict=True)
            for s, B in zip(other.times, other.amplitudes, strict=True)
        ]
        merged: dict[float, float] = {}
        for time, amplitude in sorted(pairs):
            near = next((known for known in merged if abs(known - time) <= 1e-12 * max(time, 1e-300)), time)
            merged[near] = merged.get(near, 0.0) + amplitude
        return Shaper(tuple(merged), tuple(merged.values()))

    def residual(self, frequency: float | np.ndarray, damping_ratio: float = 0.0) -> np.ndarray:
        """Return the vibration that is left of a mode, as a share of that after one impulse.

        Parameters
        ----------
        frequency : float or ndarray
            Natural frequency [rad/s].
        damping_ratio : float

        Notes
        -----
        Singer & Seering, J. Dynamic Systems, Measurement, and Control 112 (1990) 76-82, eq 2: the sum of decaying
        phasors at the time of the last impulse.
        """
        omega = np.asarray(frequency, dtype=float)
        damped = omega * np.sqrt(1 - damping_ratio**2)
        phasors = [
            A * np.exp(-(damping_ratio * omega) * (self.duration - t) + 1j * damped * t)
            for t, A in zip(self.times, self.amplitudes, strict=True)
        ]
        return np.abs(np.sum(phasors, axis=0))

    def taps(self, sample_time: float) -> np.ndarray:
        """Return the weights (k,) of the last k samples that make the shaper in discrete time; they add up to 1.

        An impulse between two samples is shared out between them, so that its mean time stays: what is left of a mode
        of frequency omega is of order (omega sample_time)^2 (Murphy & Watanabe, IEEE Trans. Robotics and Automation
        8 (1992) 285-289, on digital shapers).

        Raises
        ------
        ParameterError
            `sample_time` is no finite number > 0.
        """
        if not (isinstance(sample_time, (int, float)) and np.isfinite(sample_time) and sample_time > 0):
            raise ParameterError(f"Shaper.taps: sample_time = {sample_time!r}; must be a finite number > 0 [s].")
        turns = np.array(self.times) / sample_time
        turns = np.where(np.abs(turns - np.round(turns)) < 1e-9, np.round(turns), turns)
        before = np.floor(turns).astype(int)
        found = np.zeros(before[-1] + 2)
        np.add.at(found, before, np.array(self.amplitudes) * (before + 1 - turns))
        np.add.at(found, before + 1, np.array(self.amplitudes) * (turns - before))
        return found if found[-1] else found[:-1]

    @overload
    def apply(self, command: Reference) -> Reference: ...

    @overload
    def apply(self, command: Any) -> TimeSignal: ...

    def apply(self, command: Any) -> Reference | TimeSignal:
        """Return the shaped command, sum of amplitude_i command(t - time_i).

        Parameters
        ----------
        command : Reference, or what `flexblocks.simulate` takes as an input
            Before and after the times for which it is given it keeps its first and its last value.

        Raises
        ------
        ParameterError
            It is none of these.
        """
        if isinstance(command, Reference):
            return Reference(*(self.apply(command.derivative(order)) for order in range(3)))
        try:
            found = signal(command, None)
        except ParameterError as error:
            raise ParameterError(f"Shaper: the command {error}") from None
        if isinstance(found, PiecewisePolynomial):
            return self._polynomial(found)
        assert isinstance(found, Signal)
        return self._function(found)

    def _polynomial(self, command: PiecewisePolynomial) -> PiecewisePolynomial:
        pieces = _unbounded(command)
        shifts = np.array(self.times)
        inner = np.unique(np.add.outer(pieces.x[1:-1], shifts))
        ends = np.concatenate([[pieces.x[0]], inner, [pieces.x[-1] + shifts[-1]]])
        middles, size = (ends[:-1] + ends[1:]) / 2, len(pieces.c)
        c = np.zeros((size, len(middles)))
        for shift, amplitude in zip(shifts, self.amplitudes, strict=True):
            piece = np.searchsorted(pieces.x[1:-1], middles - shift, side="right")
            moved = _taylor(pieces.c[:, piece], ends[:-1] - shift - pieces.x[piece])
            c += amplitude * moved
        return PiecewisePolynomial(PPoly(c, ends), (-np.inf, np.inf))

    def _function(self, command: Signal) -> Signal:
        def value(t: Any) -> Any:
            parts = zip(self.times, self.amplitudes, strict=True)
            return sum(amplitude * command.function(t - time) for time, amplitude in parts)

        given = command.breakpoints
        return Signal(value, None if given is None else np.add.outer(np.array(given), self.times).ravel().tolist())


def _unbounded(command: PiecewisePolynomial) -> PPoly:
    """Return the pieces with a constant before and after them, where the command is not defined there."""
    pieces, (start, end) = command.pieces, command.domain
    c, x = pieces.c, pieces.x
    for bounded, before in ((np.isfinite(start), True), (np.isfinite(end), False)):
        if not bounded:
            continue
        constant = np.zeros((len(c), 1))
        constant[-1] = pieces(start if before else np.nextafter(end, start), extrapolate=True)
        c = np.hstack([constant, c] if before else [c, constant])
        x = np.concatenate([[x[0] - 1], x] if before else [x, [x[-1] + 1]])
    return PPoly(c, x)


def _taylor(c: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return the coefficients, highest power first, of polynomials about a point that lies `shift` further on."""
    found = c.copy()
    size = len(found)
    for i in range(1, size):
        for k in range(1, size - i + 1):
            found[k] = found[k] + found[k - 1] * shift
    return found


def mode_numbers(mode: Any, damping_ratio: Any, where: str) -> tuple[float, float]:
    """Return frequency [rad/s] and damping ratio of a mode, or as given.

    Raises
    ------
    ParameterError
        A frequency that is not > 0, or a damping ratio that is not >= 0 and < 1.
    """
    frequency = mode if damping_ratio is not None or not hasattr(mode, "frequency") else mode.frequency
    ratio = getattr(mode, "damping_ratio", 0.0) if damping_ratio is None else damping_ratio
    try:
        frequency, ratio = float(frequency), float(ratio)
    except (TypeError, ValueError):
        frequency = ratio = np.nan
    if not (np.isfinite(frequency) and frequency > 0 and 0 <= ratio < 1):
        raise ParameterError(
            f"{where}: frequency = {frequency!r} rad/s, damping_ratio = {ratio!r}; must be a mode that swings: a "
            "frequency > 0 and a damping ratio >= 0 and < 1."
        )
    return frequency, ratio


def binomial(mode: Any, damping_ratio: Any, count: int, where: str) -> Shaper:
    """Return the shaper of `count` impulses half a period apart, of binomial amplitudes decaying with the mode."""
    frequency, ratio = mode_numbers(mode, damping_ratio, where)
    half = np.pi / (frequency * np.sqrt(1 - ratio**2))
    decay = np.exp(-ratio * frequency * half)
    amplitudes = np.array([1.0])
    for _ in range(count - 1):
        amplitudes = np.convolve(amplitudes, [1.0, decay])
    amplitudes = amplitudes / amplitudes.sum()
    return Shaper(tuple((half * np.arange(count)).tolist()), tuple(amplitudes.tolist()))
