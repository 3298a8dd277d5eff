"""Input shaping: convolution of a command with a few impulses that cancel a mode's residual vibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from flexblocks.control.references.reference import Reference
from flexblocks.errors import ParameterError
from flexblocks.libraries import scipy
from flexblocks.simulation.signals.inputs import signal
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial
from flexblocks.simulation.signals.signal import Signal, TimeSignal


@dataclass(frozen=True)
class Shaper:
    """Input shaper: impulses of `amplitudes` (k,), which sum to 1, at `times` (k,) [s] from 0 on.

    ``shaper * other`` is the convolution of both, which cancels the modes of both.
    """

    times: tuple[float, ...]
    amplitudes: tuple[float, ...]

    def __post_init__(self) -> None:
        try:
            t, A = np.array(self.times, dtype=float), np.array(self.amplitudes, dtype=float)
        except (TypeError, ValueError, OverflowError):
            t, A = np.zeros(0), np.zeros(0)
        fits = t.ndim == 1 and t.shape == A.shape and len(t) and np.all(np.isfinite(t)) and np.all(np.isfinite(A))
        if not fits or t[0] != 0 or np.any(np.diff(t) <= 0) or abs(A.sum() - 1) > 1e-9:
            raise ParameterError(
                f"Shaper: times = {self.times!r}, amplitudes = {self.amplitudes!r}; must be equally many, the times "
                "increasing from 0, the amplitudes summing to 1."
            )

    @property
    def duration(self) -> float:
        """Time by which it prolongs a command [s]."""
        return self.times[-1]

    def __mul__(self, other: Shaper) -> Shaper:
        pairs = [
            (t + s, A * B)
            for t, A in zip(self.times, self.amplitudes, strict=True)
            for s, B in zip(other.times, other.amplitudes, strict=True)
        ]
        merged: dict[float, float] = {}
        for time, amplitude in sorted(pairs):
            # Impulses at the same time but for rounding are one.
            near = next((known for known in merged if abs(known - time) <= 1e-12 * max(time, 1e-300)), time)
            merged[near] = merged.get(near, 0.0) + amplitude
        return Shaper(tuple(merged), tuple(merged.values()))

    def residual(self, frequency: float | np.ndarray, damping_ratio: float = 0.0) -> np.ndarray:
        """Return the residual vibration of a mode, relative to that after a single unit impulse.

        Parameters
        ----------
        frequency : float or ndarray
            Natural frequency [rad/s].
        damping_ratio : float

        Notes
        -----
        Singer & Seering, J. Dynamic Systems, Measurement, and Control 112 (1990) 76-82, eq 2: the sum of the
        impulses' decaying phasors at the time of the last one.
        """
        omega = np.asarray(frequency, dtype=float)
        damped = omega * np.sqrt(1 - damping_ratio**2)
        phasors = [
            A * np.exp(-(damping_ratio * omega) * (self.duration - t) + 1j * damped * t)
            for t, A in zip(self.times, self.amplitudes, strict=True)
        ]
        return np.abs(np.sum(phasors, axis=0))

    def taps(self, sample_time: float) -> np.ndarray:
        """Return the taps of the shaper in discrete time: weights (k,) of the last k samples, which sum to 1.

        An impulse between two samples is distributed over them so that its mean time stays the same: the residual of a
        mode of frequency omega is of order (omega sample_time)^2 (Murphy & Watanabe, IEEE Trans. Robotics and
        Automation 8 (1992) 285-289, on digital shapers).

        Raises
        ------
        ParameterError
            `sample_time` is not a finite number > 0.
        """
        if not (isinstance(sample_time, (int, float)) and np.isfinite(sample_time) and sample_time > 0):
            raise ParameterError(f"Shaper.taps: sample_time = {sample_time!r}; must be a finite number > 0 [s].")
        # Impulse times in samples; those that rounding moved off a sample go back on it.
        samples = np.array(self.times) / sample_time
        samples = np.where(np.abs(samples - np.round(samples)) < 1e-9, np.round(samples), samples)
        before = np.floor(samples).astype(int)
        taps = np.zeros(before[-1] + 2)
        np.add.at(taps, before, np.array(self.amplitudes) * (before + 1 - samples))
        np.add.at(taps, before + 1, np.array(self.amplitudes) * (samples - before))
        return taps if taps[-1] else taps[:-1]

    @overload
    def apply(self, command: Reference) -> Reference: ...

    @overload
    def apply(self, command: Any) -> TimeSignal: ...

    def apply(self, command: Any) -> Reference | TimeSignal:
        """Return the shaped command, the sum of amplitude_i command(t - time_i).

        Parameters
        ----------
        command : Reference, or what `flexblocks.simulate` takes as an input
            Outside the times that it covers, it holds its first and last values.

        Raises
        ------
        ParameterError
            The command is of another type.
        """
        if isinstance(command, Reference):
            return Reference(*(self.apply(command.derivative(order)) for order in range(3)))
        try:
            time_signal = signal(command, None)
        except ParameterError as error:
            raise ParameterError(f"Shaper: the command {error}") from None
        if isinstance(time_signal, PiecewisePolynomial):
            return self._polynomial(time_signal)
        assert isinstance(time_signal, Signal)
        return self._function(time_signal)

    def _polynomial(self, command: PiecewisePolynomial) -> PiecewisePolynomial:
        """Return the shaped piecewise polynomial: exact, on the breakpoints of all shifted copies."""
        # Breakpoints of the sum: those of every shifted copy.
        pieces = _unbounded(command)
        shifts = np.array(self.times)
        inner = np.unique(np.add.outer(pieces.x[1:-1], shifts))
        ends = np.concatenate([[pieces.x[0]], inner, [pieces.x[-1] + shifts[-1]]])
        middles, size = (ends[:-1] + ends[1:]) / 2, len(pieces.c)
        c = np.zeros((size, len(middles)))
        # On each new piece, add the piece of every copy, re-expanded about its left end.
        for shift, amplitude in zip(shifts, self.amplitudes, strict=True):
            piece = np.searchsorted(pieces.x[1:-1], middles - shift, side="right")
            moved = _taylor(pieces.c[:, piece], ends[:-1] - shift - pieces.x[piece])
            c += amplitude * moved
        return PiecewisePolynomial(scipy.interpolate.PPoly(c, ends), (-np.inf, np.inf))

    def _function(self, command: Signal) -> Signal:
        def value(t: Any) -> Any:
            parts = zip(self.times, self.amplitudes, strict=True)
            return sum(amplitude * command.function(t - time) for time, amplitude in parts)

        breakpoints = command.breakpoints
        moved = None if breakpoints is None else np.add.outer(np.array(breakpoints), self.times).ravel().tolist()
        return Signal(value, moved).from_trace(command.source)


def _unbounded(command: PiecewisePolynomial) -> scipy.interpolate.PPoly:
    """Return the pieces, continued by constants where the command's domain ends."""
    pieces, (start, end) = command.pieces, command.domain
    c, x = pieces.c, pieces.x
    for bounded, before in ((np.isfinite(start), True), (np.isfinite(end), False)):
        if not bounded:
            continue
        constant = np.zeros((len(c), 1))
        constant[-1] = pieces(start if before else np.nextafter(end, start), extrapolate=True)
        c = np.hstack([constant, c] if before else [c, constant])
        x = np.concatenate([[x[0] - 1], x] if before else [x, [x[-1] + 1]])
    return scipy.interpolate.PPoly(c, x)


def _taylor(c: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return the coefficients, highest power first, of polynomials re-expanded about a point `shift` further on."""
    shifted = c.copy()
    size = len(shifted)
    for i in range(1, size):
        for k in range(1, size - i + 1):
            shifted[k] = shifted[k] + shifted[k - 1] * shift
    return shifted
