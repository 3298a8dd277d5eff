"""Fit: estimates, their uncertainty, what the data do not determine, and what is left unexplained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.identification.results.estimates import Attempt, Estimate, FittedRecord
from flexblocks.identification.results.residual_tests import SignalResidual
from flexblocks.identification.results.summary import remarks, summary, warnings
from flexblocks.identification.results.undetermined import Undetermined
from flexblocks.identification.results.validation import Validation
from flexblocks.lazy_package import upper
from flexblocks.modeling.model import Model
from flexblocks.modeling.symbolic_parameters import with_parameters
from flexblocks.simulation.record import Record


@dataclass(frozen=True, eq=False)
class Fit:
    """Result of `identify`: estimates, their uncertainty and residuals.

    Attributes
    ----------
    dae : DAE or None
        The arm; None in a fit that was loaded, of an arm that no file can hold.
    estimates : tuple of Estimate
    covariance : ndarray (k, k)
        Of the estimates, in their units, with residuals as they are.
    undetermined : tuple of Undetermined
        What the data do not determine, in words.
    residuals : tuple of SignalResidual
        Of each measured variable in each record.
    records : tuple of FittedRecord
    measured : tuple of str
    noise : dict of float
        Standard deviations of measurements and inputs, as given or estimated.
    method : str
    status : str
        ``"converged"``, ``"not converged"``, ``"time limit"`` or ``"interrupted"``.
    cost : float
        Negative logarithm of the likelihood, without constants.
    attempts : tuple of Attempt
    widened : ndarray (k,)
        By which multiple intervals are wider than those of white residuals as large as the noise says.
    given : dict of float
        Parameters that were not sought, where they are not those of the model.
    """

    dae: DAE | None
    estimates: tuple[Estimate, ...]
    covariance: np.ndarray
    undetermined: tuple[Undetermined, ...]
    residuals: tuple[SignalResidual, ...]
    records: tuple[FittedRecord, ...]
    measured: tuple[str, ...]
    noise: Mapping[str, float]
    method: str
    status: str
    cost: float
    attempts: tuple[Attempt, ...]
    widened: np.ndarray
    given: Mapping[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the unknowns."""
        return tuple(each.name for each in self.estimates)

    @property
    def p(self) -> dict[str, float]:
        """Values of the parameters by name, as ``fb.simulate(dae, t, p=fit.p)`` takes them."""
        return {**self.given, **{each.name: each.value for each in self.estimates if each.kind == "parameter"}}

    @property
    def values(self) -> dict[str, float]:
        """Values of all unknowns by name, offsets and start states included."""
        return {each.name: each.value for each in self.estimates}

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviations of all unknowns by name."""
        return {each.name: each.deviation for each in self.estimates}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95 % intervals of all unknowns by name."""
        return {each.name: (each.low, each.high) for each in self.estimates}

    @cached_property
    def correlations(self) -> np.ndarray:
        """Correlations (k, k) of the estimates, in the order of `names`; nan with what the data do not determine."""
        sizes = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore"):
            correlations = self.covariance / np.outer(sizes, sizes)
        untold = ~np.isfinite(sizes)
        correlations[untold, :] = correlations[:, untold] = np.nan
        return correlations

    def __getitem__(self, name: str) -> float:
        """Return the value of an unknown.

        Raises
        ------
        NameUnknownError
            The fit has no such unknown.
        """
        if name not in self.values:
            raise NameUnknownError(f"Fit: there is no unknown '{name}'{suggestion(name, self.names)}")
        return self.values[name]

    @property
    def worst(self) -> SignalResidual:
        """The measured variable whose residuals are the largest, compared with the noise."""
        return max(self.residuals, key=lambda each: each.ratio if np.isfinite(each.ratio) else -np.inf)

    @property
    def model(self) -> Model:
        """The model with the values that were found in its blocks.

        Raises
        ------
        ParameterError
            The arm has no model, as closed loops of control have none; or a block refuses the values.
        """
        if self.dae is None or self.dae.model is None:
            raise ParameterError("Fit.model: the fit has no model of its arm; pass fit.p as p= instead.")
        return with_parameters(self.dae.model, self.p)

    def of(self, dae: DAE) -> Fit:
        """Return this fit with its arm, for one that was loaded without."""
        for name in self.p:
            dae.p.index(name)
        return replace(self, dae=dae)

    @upper
    def validate(self, records: Record | Sequence[Record]) -> Validation:
        """Return how well the fit predicts records that it was not made of.

        Parameters
        ----------
        records : Record or sequence of Record
            Start states that were sought are sought in these, too; all else is as it was found.

        Returns
        -------
        Validation
        """
        raise NotImplementedError

    @upper
    def save(self, path: str | Path) -> None:
        """Write the fit to a ``.nc`` file, with its arm; `flexblocks.load` opens it.

        Raises
        ------
        FileFormatError
            Another suffix, or the file cannot be written.
        """
        raise NotImplementedError

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons not to trust the fit, a sentence each: an early end, undetermined unknowns, an incomplete model."""
        return warnings(self.status, self.undetermined, self.residuals)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else a reader has to know, a sentence each: correlations, wide intervals, starts."""
        costs = [attempt.cost for attempt in self.attempts]
        return remarks(self.names, self.correlations, self.widened, self.cost, costs)

    def __str__(self) -> str:
        count, records = sum(each.count for each in self.residuals), len(self.records)
        name = "arm" if self.dae is None else self.dae.name
        head = (
            f"Fit of '{name}': {len(self.estimates)} unknowns from {count} measurements in {records} "
            f"record{'s' if records > 1 else ''}, by {self.method}: {self.status}"
        )
        return summary(head, self.estimates, (*self.warnings, *self.remarks), self.residuals)

    def __repr__(self) -> str:
        return f"Fit({len(self.estimates)} unknowns from {len(self.records)} records by {self.method}: {self.status})"
