"""A run whose parameters change: integrated from change to change, with the jumps of the rates between."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from flexblocks.interrupt import Interrupt
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.chunks import Budget
from flexblocks.simulation.implicit.slow_start import Given
from flexblocks.simulation.run import Record, joined
from flexblocks.simulation.signals.inputs import Inputs
from flexblocks.simulation.signals.parameter_change import ParameterChange, changed
from flexblocks.simulation.signals.parameters import Parameters
from flexblocks.simulation.solver import Solver


def integrate_parts(
    solver: Solver,
    inputs: Inputs,
    p: Parameters,
    x: np.ndarray,
    times: np.ndarray,
    interrupt: Interrupt,
    bar: ProgressDisplay | None = None,
    budget: Budget = Budget(),  # noqa: B008 (frozen)
    watched: np.ndarray | None = None,
    given: Given = Given(),  # noqa: B008 (frozen)
) -> Record:
    """Integrate a run from change to change; arguments as of `Solver.integrate`, the budget is that of each part."""
    parts: list[Record] = []
    changes: list[ParameterChange] = []
    spans = p.spans(times if watched is None else watched)
    for before, span in pairwise([None, *spans]):
        assert span is not None
        if parts and before is not None:
            last = parts[-1]
            if last.failure is not None or last.interrupted:
                break
            X, jump = changed(solver.dae, float(span.times[0]), *last.state, before.p, span.p, p.pick_up)
            changes.append(jump)
            x = X[:-1]
        own = inputs.within(span.times[0], span.times[-1])
        after = parts[-1] if parts else None
        parts.append(solver.integrate(own, span.p, x, times, interrupt, bar, budget, span.times, given, after))
    return joined(parts, [span.are_outputs for span in spans], changes)
