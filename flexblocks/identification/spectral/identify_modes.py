"""Parameters from modes: natural frequencies and damping ratios of an arm, in one configuration or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.argument_types import short
from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, ParameterError
from flexblocks.identification.spectral.configuration import Configuration
from flexblocks.identification.spectral.linear_slopes import LinearSlopes, pole_slopes
from flexblocks.identification.spectral.measured_modes import MeasuredModes
from flexblocks.identification.spectral.named import with_symbols
from flexblocks.identification.spectral.spectral_fit import SpectralFit, spectral_fit
from flexblocks.identification.spectral.tune import tuned
from flexblocks.identification.unknowns.unknown import Unknown
from flexblocks.libraries import pd

WHERE = "identify_modes"


def identify_modes(
    dae: DAE,
    modes: MeasuredModes | Sequence[MeasuredModes],
    parameters: Iterable[str | Unknown] | str | Unknown,
    *,
    p: Mapping[str, float] | None = None,
    starts: int = 8,
    seed: int = 0,
) -> SpectralFit:
    """Find parameters with which the modes of an arm have the measured frequencies and damping ratios.

    Parameters
    ----------
    dae : DAE
    modes : MeasuredModes, or several
        Of several configurations, or with joints locked.
    parameters : sequence of str or Unknown
        Names of what is to be found, ``"spring1.stiffness"``; the arm is assembled anew with those that are not
        symbolic yet. By default guesses are the values in the model, and bounds the ranges of the blocks.
    p : dict, optional
        Values of symbolic parameters that are not sought.
    starts : int
        From how many points the search begins: the guess, and the best of eight times as many that are drawn up to a
        factor of 3 from it. The least cost counts.
    seed : int
        Of those that are drawn.

    Returns
    -------
    SpectralFit

    Raises
    ------
    NameUnknownError, ParameterError
        An unknown parameter or coordinate; a guess out of its bounds.
    ComputationError
        The model has fewer oscillations than were measured, at all starts.

    Warns
    -----
    FlexblocksWarning
        The modes leave parameters undetermined, or the search did not converge.

    Notes
    -----
    Weighted least squares with the exact derivatives of the poles, ds = l* (dA - s dE) r / (l* E r) for the right and
    left eigenvectors r, l of (A, E), the linear equations at the equilibrium, which follows the parameters. The i-th
    oscillation of the model is the i-th in order of its frequency.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    >>> taps = fb.MeasuredModes([1.43, 3.87], locked={"rotor1.angle": 0.0, "rotor2.angle": 0.0})
    >>> fit = fb.identify_modes(dae, taps, ["link1.flexural_rigidity", "link2.flexural_rigidity"])
    >>> sorted(fit.p)
    ['link1.flexural_rigidity', 'link2.flexural_rigidity']
    """
    tests = [modes] if isinstance(modes, MeasuredModes) else list(modes)
    if not tests or not all(isinstance(test, MeasuredModes) for test in tests):
        raise ParameterError(f"{WHERE}: modes = {short(modes)}; must be MeasuredModes, or several.")
    if isinstance(starts, bool) or not isinstance(starts, int) or starts < 1:
        raise ParameterError(f"{WHERE}: starts = {starts!r}; must be a whole number >= 1.")
    dae, wanted = with_symbols(dae, parameters, WHERE)
    columns = [dae.p.index(name) for name in wanted.names]
    whole = dae.p.values(p, f"{WHERE}: p: ").copy()
    whole[columns] = wanted.guess
    compared = [_Compared(test, _slopes(dae, test, columns, whole)) for test in tests]

    def residuals(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        whole[columns] = values
        parts = [one.residuals(whole) for one in compared]
        return np.concatenate([r for r, _ in parts]), np.vstack([J for _, J in parts])

    alone = np.ones(sum(len(test) + np.count_nonzero(np.isfinite(test.damping_ratio)) for test in tests))
    found = tuned(None, residuals, alone, wanted, starts, seed, WHERE)
    whole[columns] = found.values
    table = pd.concat([one.table(whole) for one in compared], ignore_index=True)
    return spectral_fit(dae, wanted, found, table)


def _slopes(dae: DAE, test: MeasuredModes, columns: list[int], p: np.ndarray) -> LinearSlopes:
    """Return the linear equations of the arm as it was measured."""
    if test.locked:
        if dae.model is None:
            raise ParameterError(f"{WHERE}: '{dae.name}' has no model, so that nothing can be locked; lock it before.")
        dae = assemble(dae.model, dae.p.names, locked={**dae.locked, **test.locked}, prescribed=dae.prescribed)
    return LinearSlopes(Configuration(dae, test.at, p, WHERE), columns, (), ())


@dataclass(frozen=True, eq=False)
class _Compared:
    """Measured modes beside those of the model."""

    test: MeasuredModes
    slopes: LinearSlopes

    def poles(self, p: np.ndarray) -> np.ndarray:
        """Return the poles (k,) [1/s] of the modes that were measured."""
        values = self.slopes.linear(p).modes().eigenvalue
        oscillating = values[np.imag(values) > 0]
        numbers = np.array(self.test.numbers)
        if len(oscillating) < numbers.max():
            raise ComputationError(
                f"{WHERE}: '{self.slopes.dae.name}' has {len(oscillating)} oscillations, and mode "
                f"{numbers.max()} of '{self.test.name}' was measured; give its beams more modes, or less "
                "damping."
            )
        order = np.argsort(np.abs(oscillating), kind="stable")
        return oscillating[order[numbers - 1]]

    def residuals(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the residuals in standard deviations, and their derivatives."""
        poles = self.poles(p)
        value, change = self.slopes.at(p)
        by_p = np.array([pole_slopes(value, change, pole) for pole in poles])
        size = np.abs(poles)
        grown = np.real(poles.conj()[:, None] * by_p) / size[:, None]
        damped = -np.real(by_p) / size[:, None] + (np.real(poles) / size**2)[:, None] * grown
        ratio, measured = -np.real(poles) / size, self.test.damping_ratio
        known = np.isfinite(measured)
        r = np.log(size / (2 * np.pi * self.test.frequency)) / self.test.frequency_deviation
        J = grown / size[:, None] / self.test.frequency_deviation[:, None]
        weight = (measured * self.test.damping_deviation)[known]
        return (
            np.concatenate([r, (ratio - measured)[known] / weight]),
            np.vstack([J, damped[known] / weight[:, None]]),
        )

    def table(self, p: np.ndarray) -> Any:
        """Return the table of measured modes and those of the model."""
        poles = self.poles(p)
        f, ratio = np.abs(poles) / (2 * np.pi), -np.real(poles) / np.abs(poles)
        return pd.DataFrame(
            {
                "test": self.test.name,
                "mode": self.test.numbers,
                "measured [Hz]": self.test.frequency,
                "model [Hz]": f,
                "off [%]": 100 * (f / self.test.frequency - 1),
                "measured ratio": self.test.damping_ratio,
                "model ratio": ratio,
                "ratio off [%]": 100 * (ratio / self.test.damping_ratio - 1),
            }
        )
