"""Averaged spectra of records (Welch 1967): frequency responses by H1, with coherence and standard deviations.

P. D. Welch, IEEE Transactions on Audio and Electroacoustics 15 (1967) 70-73; J. S. Bendat, A. G. Piersol, Random Data,
Wiley 2010, chapters 7 and 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexblocks.errors import ParameterError, listing
from flexblocks.libraries import scipy
from flexblocks.simulation.record import Record

# Samples may be apart by this fraction more or less than the usual interval.
UNEVEN = 1e-3
# Lines at which an input, without what it has in common with others, has less than this part of its usual power say
# nothing about it.
UNEXCITED = 1e-8
# Highest frequency that is kept, as a fraction of the sample rate. Of a held input, what folds back from above half the
# rate is 2 (f / rate)^3 of an angle, whose response falls off as 1 / f^2, and 2 (f / rate)^2 of its rate; of measured
# signals, what a filter before the samples lets through.
HIGHEST_HELD, HIGHEST_MEASURED = 0.1, 1 / 2.56


@dataclass(frozen=True, eq=False)
class Spectra:
    """Estimates at frequencies (f,) [Hz] for l outputs, m inputs: response and deviation (f, l, m), coherence (f, l).

    `averages` is the number of equivalent independent segments, `redundancy` how many neighbouring lines count as
    one.
    """

    frequency: np.ndarray
    response: np.ndarray
    coherence: np.ndarray
    deviation: np.ndarray
    averages: float
    redundancy: float


@dataclass(frozen=True)
class Segments:
    """How records are cut: length and step in samples, the window (length,), the sample time [s]."""

    length: int
    step: int
    window: np.ndarray
    sample_time: float

    def of(self, size: int) -> int:
        """Return how many fit in so many samples."""
        return max(0, 1 + (size - self.length) // self.step)

    def independent(self, counts: Sequence[int]) -> float:
        """Return the number of independent segments with the same variance as these, which overlap (Welch, eq 4)."""
        w, total, worth = self.window, sum(counts), 0.0
        shifts = range(1, 1 + (self.length - 1) // self.step)
        shared = [float((w[: -j * self.step] @ w[j * self.step :]) / (w @ w)) ** 2 for j in shifts]
        for count in counts:
            worth += count + 2 * sum(max(count - j, 0) * share for j, share in enumerate(shared, 1))
        return total**2 / worth

    @property
    def redundancy(self) -> float:
        """How many neighbouring lines count as one: a window correlates the errors of neighbours."""
        spread = np.fft.fft(self.window**2) / (self.window @ self.window)
        return float(np.sum(np.abs(spread) ** 2))


def estimated(
    records: Sequence[Record],
    inputs: Sequence[str],
    outputs: Sequence[str],
    segment: float,
    overlap: float,
    window: str,
    held: bool,
    between: tuple[float, float] | None,
) -> Spectra:
    """Return the frequency responses of records; arguments as for `FrequencyResponse.from_record`."""
    sample_time = _sample_time(records)
    length = round(segment / sample_time)
    if length < 8:
        raise ParameterError(
            f"FrequencyResponse: segment = {segment:g} s has {length} samples; must have 8 or more, "
            f"{8 * sample_time:g} s."
        )
    try:
        weights = np.asarray(scipy.signal.get_window(window, length), dtype=float)
    except ValueError as error:
        raise ParameterError(
            f"FrequencyResponse: window = {window!r}; must be one of scipy.signal ({error})."
        ) from None
    cut = Segments(length, max(1, round(length * (1 - overlap))), weights, sample_time)
    pieces = [piece for record in records for piece in _pieces(record, (*inputs, *outputs), length)]
    counts = [cut.of(piece.shape[1]) for piece in pieces]
    averages = cut.independent(counts) if pieces else 0.0
    if averages < len(inputs) + 1:
        raise ParameterError(
            f"FrequencyResponse: {sum(counts)} segments of {segment:g} s fit in the records; there must be more than "
            f"{len(inputs)}, the number of inputs, and tens for a meaningful coherence. Take shorter ones."
        )
    frequency, S = _averaged(pieces, counts, cut)
    low, high = between or (0.0, (HIGHEST_HELD if held else HIGHEST_MEASURED) / sample_time)
    kept = (frequency > 0) & (frequency >= low) & (frequency <= high)
    return _responses(frequency[kept], S[kept], len(inputs), averages, cut.redundancy, sample_time if held else 0.0)


def _sample_time(records: Sequence[Record]) -> float:
    steps = [np.diff(record.t) for record in records]
    usual = float(np.median(np.concatenate(steps)))
    for record, own in zip(records, steps, strict=True):
        if np.any(np.abs(own - usual) > UNEVEN * usual):
            raise ParameterError(
                f"FrequencyResponse: the samples of '{record.name}' are {own.min():.4g} to {own.max():.4g} s apart; "
                f"must be even, {usual:.4g} s in all records. Resample it first, record.resampled({usual:.4g})."
            )
    return usual


def _pieces(record: Record, names: Sequence[str], length: int) -> list[np.ndarray]:
    """Return the parts (signals, samples) of a record between gaps that hold a segment at least."""
    series = np.array([record[name] for name in names])
    known = np.flatnonzero(~np.isnan(series).any(axis=0))
    runs = np.split(known, np.flatnonzero(np.diff(known) > 1) + 1)
    return [series[:, run] for run in runs if len(run) >= length]


def _averaged(pieces: Sequence[np.ndarray], counts: Sequence[int], cut: Segments) -> tuple[np.ndarray, np.ndarray]:
    """Return frequencies (f,) [Hz] and the averaged spectra (f, n, n) of n signals, of a column and a conjugate row."""
    options = {
        "fs": 1 / cut.sample_time,
        "window": cut.window,
        "nperseg": cut.length,
        "noverlap": cut.length - cut.step,
        "detrend": "constant",
    }
    total, frequency = 0.0, np.zeros(0)
    for piece, count in zip(pieces, counts, strict=True):
        # csd has the conjugate of its first argument.
        frequency, S = scipy.signal.csd(piece[None, :, :], piece[:, None, :], **options)
        total = total + count * np.moveaxis(S, -1, 0)
    return frequency, np.asarray(total) / sum(counts)


def _responses(
    frequency: np.ndarray, S: np.ndarray, m: int, averages: float, redundancy: float, hold: float
) -> Spectra:
    """Return the estimates from spectra (f, m + l, m + l) of inputs and outputs; `hold` [s] of the inputs."""
    of_inputs, crossed = S[:, :m, :m], S[:, m:, :m]
    power = np.einsum("fii->fi", of_inputs).real
    usual = np.exp(np.mean(np.log(np.maximum(power, np.finfo(float).tiny)), axis=0, where=power > 0))
    scale = np.sqrt(np.where(usual > 0, usual, 1.0))
    excited = np.linalg.eigvalsh(of_inputs / scale[:, None] / scale)[:, 0] > UNEXCITED
    if not excited.any():
        raise ParameterError(
            "FrequencyResponse: no line has power in each input by itself; excite all inputs, and differently, or name "
            "those alone that move."
        )
    frequency, of_inputs, crossed, S = (each[excited] for each in (frequency, of_inputs, crossed, S))
    inverse = np.linalg.inv(of_inputs)
    H = crossed @ inverse
    of_outputs = np.einsum("fii->fi", S[:, m:, m:]).real
    explained = np.einsum("fij,fij->fi", H, crossed.conj()).real
    coherence = np.clip(explained / np.where(of_outputs > 0, of_outputs, 1.0), 0.0, 1.0)
    noise = np.maximum(of_outputs - explained, 0.0) / (2 * (averages - m))
    deviation = np.sqrt(noise[:, :, None] * np.einsum("fii->fi", inverse).real[:, None, :])
    if hold:
        # Spectrum of what is held from sample to sample, over that of the samples.
        factor = ((1 - np.exp(-2j * np.pi * frequency * hold)) / (2j * np.pi * frequency * hold))[:, None, None]
        H, deviation = H / factor, deviation / np.abs(factor)
    return Spectra(frequency, H, coherence, deviation, averages, redundancy)


def checked_names(record: Record, names: Sequence[str] | str | None, default: Sequence[str], group: str) -> list[str]:
    """Return the names of signals of a record.

    Raises
    ------
    ParameterError
        None is named.
    NameUnknownError
        The record has no such signal.
    """
    chosen = list(default) if names is None else [names] if isinstance(names, str) else list(names)
    if not chosen:
        raise ParameterError(f"FrequencyResponse: {group} is empty; name signals of {listing((*record.u, *record.y))}.")
    for name in chosen:
        _ = record[name]
    return chosen
