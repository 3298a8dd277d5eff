"""Parameters from frequency responses: poles, zeros and their dampings of a model as they were measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.argument_types import short
from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.identification.spectral.configuration import Configuration
from flexblocks.identification.spectral.frequency_response import FrequencyResponse
from flexblocks.identification.spectral.linear_slopes import LinearSlopes, frequency_response
from flexblocks.identification.spectral.named import with_symbols
from flexblocks.identification.spectral.spectral_fit import SpectralFit, spectral_fit
from flexblocks.identification.spectral.tune import tuned
from flexblocks.identification.unknowns.unknown import Unknown
from flexblocks.libraries import pd

WHERE = "identify_response"


def identify_response(
    dae: DAE,
    responses: FrequencyResponse | Sequence[FrequencyResponse],
    parameters: Iterable[str | Unknown] | str | Unknown,
    *,
    at: Mapping[str, float] | Sequence[Mapping[str, float]] | None = None,
    locked: Mapping[str, float] | Sequence[Mapping[str, float]] | None = None,
    p: Mapping[str, float] | None = None,
    least_deviation: float = 1e-3,
    starts: int = 4,
    seed: int = 0,
) -> SpectralFit:
    """Find parameters with which an arm has the measured frequency responses.

    Parameters
    ----------
    dae : DAE
    responses : FrequencyResponse, or several
        From inputs to outputs, states or motions of frames of the arm; `FrequencyResponse.between` leaves out what is
        not to count, as frequencies of modes that the model does not have.
    parameters : sequence of str or Unknown
        As for `identify_modes`.
    at, locked : dict, or a sequence of one for each response, optional
        Where the arm stood, coordinates (and inputs) by name; and what a brake or a clamp held.
    p : dict, optional
        Values of symbolic parameters that are not sought.
    least_deviation : float
        Relative standard deviation below which no line counts more, however coherent it is: what sensors and leakage
        leave.
    starts, seed : int
        As for `identify_modes`.

    Returns
    -------
    SpectralFit

    Raises
    ------
    NameUnknownError, ParameterError
        An unknown parameter, input or output; a guess out of its bounds.

    Warns
    -----
    FlexblocksWarning
        The responses leave parameters undetermined, or the search did not converge.

    Notes
    -----
    Each start is first brought near by the logarithms of the responses, in which resonances and antiresonances count
    alike and far peaks draw the model towards them; then the errors themselves are minimised, in standard deviations,
    which come from the coherence: the maximum of the likelihood for noise on outputs (R. Pintelon, J. Schoukens, System
    Identification, Wiley 2012, chapter 9). Derivatives are exact, those of the equilibrium included.
    """
    measured = [responses] if isinstance(responses, FrequencyResponse) else list(responses)
    if not measured or not all(isinstance(each, FrequencyResponse) for each in measured):
        raise ParameterError(f"{WHERE}: responses = {short(responses)}; must be a FrequencyResponse, or several.")
    if isinstance(starts, bool) or not isinstance(starts, int) or starts < 1:
        raise ParameterError(f"{WHERE}: starts = {starts!r}; must be a whole number >= 1.")
    if not 0 < least_deviation < 1:
        raise ParameterError(f"{WHERE}: least_deviation = {least_deviation!r}; must be > 0 and < 1.")
    dae, wanted = with_symbols(dae, parameters, WHERE)
    columns = [dae.p.index(name) for name in wanted.names]
    whole = dae.p.values(p, f"{WHERE}: p: ").copy()
    whole[columns] = wanted.guess
    points, locks = _for_each("at", at, len(measured)), _for_each("locked", locked, len(measured))
    compared = [
        _Compared(each, _slopes(dae, each, point, lock, columns, whole), least_deviation)
        for each, point, lock in zip(measured, points, locks, strict=True)
    ]

    def stacked(values: np.ndarray, logarithmic: bool) -> tuple[np.ndarray, np.ndarray]:
        whole[columns] = values
        parts = [one.residuals(whole, logarithmic) for one in compared]
        return np.concatenate([r for r, _ in parts]), np.vstack([J for _, J in parts])

    alike = np.concatenate([np.full(2 * each.response.size, each.redundancy) for each in measured])
    found = tuned(lambda v: stacked(v, True), lambda v: stacked(v, False), alike, wanted, starts, seed, WHERE)
    whole[columns] = found.values
    table = pd.DataFrame([row for one in compared for row in one.rows(whole)])
    return spectral_fit(dae, wanted, found, table)


def _for_each(what: str, given: Any, count: int) -> list[Mapping[str, float]]:
    """Return a dict for each response."""
    several = [given or {}] * count if given is None or isinstance(given, Mapping) else list(given)
    if len(several) != count or not all(isinstance(each, Mapping) for each in several):
        raise ParameterError(f"{WHERE}: {what} = {short(given)}; must be a dict, or {count}, one for each response.")
    return several


def _slopes(
    dae: DAE,
    measured: FrequencyResponse,
    at: Mapping[str, float],
    locked: Mapping[str, float],
    columns: list[int],
    p: np.ndarray,
) -> LinearSlopes:
    """Return the linear equations of the arm as it was measured."""
    if locked:
        if dae.model is None:
            raise ParameterError(f"{WHERE}: '{dae.name}' has no model, so that nothing can be locked; lock it before.")
        dae = assemble(dae.model, dae.p.names, locked={**dae.locked, **locked}, prescribed=dae.prescribed)
    for name in measured.inputs:
        if name not in dae.u:
            raise NameUnknownError(f"{WHERE}: '{dae.name}' has no input '{name}'{suggestion(name, dae.u.names)}")
    try:
        dae = dae.with_outputs(measured.outputs)
    except NameUnknownError as error:
        raise NameUnknownError(f"{WHERE}: {error}") from None
    return LinearSlopes(Configuration(dae, at, p, WHERE), columns, measured.inputs, measured.outputs)


@dataclass(frozen=True, eq=False)
class _Compared:
    """A measured response beside that of the model."""

    measured: FrequencyResponse
    slopes: LinearSlopes
    least: float

    @property
    def _deviation(self) -> np.ndarray:
        """Standard deviations (f, l, m) of the measured response; infinite where it is none."""
        H = np.abs(self.measured.response)
        return np.where(H > 0, np.maximum(self.measured.deviation, self.least * H), np.inf)

    def _response(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, change = self.slopes.at(p)
        return frequency_response(value, change, 2 * np.pi * self.measured.frequency)

    def residuals(self, p: np.ndarray, logarithmic: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return real and imaginary parts of the residuals in standard deviations, and their derivatives."""
        H, by_p = self._response(p)
        measured, deviation = self.measured.response, self._deviation
        with np.errstate(divide="ignore", invalid="ignore"):
            if logarithmic:
                known = measured != 0
                r = np.where(known, np.log(H / measured), 0.0) * np.abs(measured) / deviation
                J = np.where(known, by_p / H, 0.0) * np.abs(measured) / deviation
            else:
                r, J = (H - measured) / deviation, by_p / deviation
        flat = J.reshape(len(J), -1)
        return np.concatenate([r.real.ravel(), r.imag.ravel()]), np.hstack([flat.real, flat.imag]).T

    def rows(self, p: np.ndarray) -> list[dict[str, Any]]:
        """Return a row of the table for each path."""
        H, _ = self._response(p)
        r = np.abs(H - self.measured.response) / self._deviation / np.sqrt(2)
        off = np.abs(H - self.measured.response) / np.maximum(np.abs(self.measured.response), np.finfo(float).tiny)
        return [
            {
                "response": self.measured.name,
                "output": output,
                "input": into,
                "rms [deviations]": float(np.sqrt(np.mean(r[:, i, j] ** 2))),
                "median off [%]": 100 * float(np.median(off[:, i, j])),
                "largest at [Hz]": float(self.measured.frequency[np.argmax(r[:, i, j])]),
                "largest [deviations]": float(r[:, i, j].max()),
            }
            for i, output in enumerate(self.measured.outputs)
            for j, into in enumerate(self.measured.inputs)
        ]
