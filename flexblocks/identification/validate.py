"""How well a fit predicts records that it was not made of."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from flexblocks.errors import ComputationError, ParameterError
from flexblocks.identification.prediction.gauss_newton import Budget, minimized
from flexblocks.identification.prediction.problem import Problem
from flexblocks.identification.prediction.recorded import measured_names, recorded
from flexblocks.identification.prediction.resolved import resolved
from flexblocks.identification.results.fit import Fit
from flexblocks.identification.results.fit_of import fitted_records, signal_residuals
from flexblocks.identification.results.validation import Validation
from flexblocks.identification.unknowns.sought import Unknowns
from flexblocks.interrupt import Interrupt
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.record import Record


def validated(fit: Fit, records: Record | Sequence[Record]) -> Validation:
    """Return the validation of a fit by other records."""
    dae, given = fit.dae, [records] if isinstance(records, Record) else list(records)
    if dae is None:
        raise ParameterError("Fit.validate: the fit has no arm; give it one, fit.of(dae).")
    names = measured_names(given)
    if unknown := [name for name in names if name not in fit.noise]:
        raise ParameterError(f"Fit.validate: '{unknown[0]}' was not measured for the fit; leave it out of the records.")
    # Of several records the start states are numbered.
    named = (re.sub(r"\)\[\d+\]$", ")", e.name) for e in fit.estimates if e.kind == "start")
    starts = dict.fromkeys(named)
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
