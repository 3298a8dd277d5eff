"""Validation: how well a fit predicts records that it was not made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.errors import ComputationError, ParameterError
from flexblocks.identification.gauss_newton import Budget, minimized
from flexblocks.identification.problem import Problem
from flexblocks.identification.recorded import measured_names, recorded
from flexblocks.identification.residual_tests import SignalResidual
from flexblocks.identification.results import fitted_records, signal_residuals
from flexblocks.identification.summary import residual_lines, residual_remarks
from flexblocks.identification.unknowns import Unknowns, resolved
from flexblocks.interrupt import Interrupt
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.record import Record

if TYPE_CHECKING:
    from flexblocks.identification.fit import Fit, FittedRecord


@dataclass(frozen=True, eq=False)
class Validation:
    """How well a fit predicts records that it was not made of.

    Attributes
    ----------
    residuals : tuple of SignalResidual
        Of each measured variable in each record.
    records : tuple of FittedRecord
    """

    residuals: tuple[SignalResidual, ...]
    records: tuple[FittedRecord, ...]

    @property
    def is_consistent(self) -> bool:
        """Whether residuals are as large as the noise, and white."""
        return not residual_remarks(self.residuals)

    def __str__(self) -> str:
        told = residual_remarks(self.residuals) or ["residuals are as large as the noise, and white"]
        return "\n".join([f"Validation with {len(self.records)} records: {told[0]}", *residual_lines(self.residuals)])


def validated(fit: Fit, records: Record | Sequence[Record]) -> Validation:
    """Return the validation of a fit by other records."""
    dae, given = fit.dae, [records] if isinstance(records, Record) else list(records)
    if dae is None:
        raise ParameterError("Fit.validate: the fit has no arm; give it one, fit.of(dae).")
    names = measured_names(given)
    if unknown := [name for name in names if name not in fit.noise]:
        raise ParameterError(f"Fit.validate: '{unknown[0]}' was not measured for the fit; leave it out of the records.")
    starts = dict.fromkeys(e.name.partition(")")[0] + ")" for e in fit.estimates if e.kind == "start")
    sought = resolved(dae, list(starts), names, given) if starts else Unknowns(())
    offsets = ([fit.values.get(f"offset({name})", 0.0) for name in group] for group in (names, dae.u.names))
    by_group = [np.array(group) for group in offsets]
    arrays = [recorded(dae, record, names).shifted(*by_group) for record in given]
    noise = {name: value for name, value in fit.noise.items() if name in names or name in dae.u}
    filters = fit.method == "prediction error"
    problem = Problem(dae, arrays, names, sought, noise, {}, fit.p, filters, compiled=True)
    with ProgressDisplay("validation", None, None) as display, Interrupt() as interrupt:
        minimum = minimized(problem, sought.start(), sought.bounds(), Budget(None, display, interrupt))
    if minimum.evaluation is None:
        raise ComputationError("Fit.validate: predictions are not finite; check units and start of the records.")
    return Validation(signal_residuals(problem, minimum), fitted_records(problem, minimum))
