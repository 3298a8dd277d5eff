"""Search of the least squares from a start: in coarse records first, which lead past most local minima and cost little.

A step of the arm may be longer than a sample: what is slow is the same in every fourth sample. So the search begins in
as few samples as show a motion, there from the start and from where filters lead that trust the inputs ever more, and
goes on in ever more samples from the better one. In all samples few steps are left.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexblocks.identification.prediction.gauss_newton import (
    ROUGH,
    THOROUGH,
    Budget,
    Effort,
    Minimum,
    held,
    minimized,
)
from flexblocks.identification.prediction.multiple_shooting import MultipleShooting
from flexblocks.identification.prediction.problem import Problem
from flexblocks.identification.prediction.trusted_inputs import by_prediction_errors
from flexblocks.identification.results.fit_of import signal_residuals
from flexblocks.identification.results.summary import residual_remarks

# Samples of a level beside those of the next coarser one; samples of the shortest record that show a motion. By trial.
RATIO, LEAST = 4, 60
# In coarse records nothing is to be found exactly.
COARSE = Effort(ROUGH.rounds, THOROUGH.evaluations, ROUGH.ftol)


def searched(
    problem: Problem,
    segments: MultipleShooting | None,
    start: np.ndarray,
    budget: Budget,
    label: str,
    compiled: bool,
) -> Minimum:
    """Return the minimum from a start z (k,)."""
    if segments is not None:
        return segments.minimized(start, budget, label)
    begun, bounds = budget.evaluations, problem.unknowns.bounds()
    z = _from_coarse_records(problem, start, budget, label, compiled)
    moved = not np.array_equal(z, start)
    if moved and (over := budget.is_over):
        return replace(held(problem, z, over), evaluations=budget.evaluations - begun)
    best = minimized(problem, z, bounds, budget, label)
    # Coarse records may mislead.
    if moved and not (budget.is_over or _is_explained(problem, best)):
        best = _better(best, minimized(problem, start, bounds, budget, label))
    if not (budget.is_over or _is_explained(problem, best)):
        best = _better(best, _from_filters(problem, start, THOROUGH, budget, label, compiled))
    return replace(best, evaluations=budget.evaluations - begun)


def _from_coarse_records(problem: Problem, start: np.ndarray, budget: Budget, label: str, compiled: bool) -> np.ndarray:
    """Return where ever finer records lead from a start z (k,)."""
    z, bounds = start, problem.unknowns.bounds()
    for number, count in enumerate(_coarsenings(min(len(record) for record in problem.records))):
        coarse = problem.coarser(count)
        found = minimized(coarse, z, bounds, budget, label, COARSE)
        if number == 0 and not (budget.is_over or _is_explained(coarse, found)):
            found = _better(found, _from_filters(coarse, start, COARSE, budget, label, compiled))
        if budget.is_over:
            break
        if found.evaluation is not None:
            z = found.evaluation.z
    return z


def _from_filters(
    problem: Problem, start: np.ndarray, effort: Effort, budget: Budget, label: str, compiled: bool
) -> Minimum:
    """Return the minimum from where prediction errors lead from a start z (k,)."""
    first = by_prediction_errors(problem, start, compiled, budget, label)
    if first.evaluation is None or budget.is_over:
        return Minimum(None, None, np.inf, "failed", first.evaluations)
    return minimized(problem, first.evaluation.z, problem.unknowns.bounds(), budget, label, effort)


def _coarsenings(samples: int) -> list[int]:
    """Return the samples that one stands for, the coarsest first; all of them are not among these."""
    counts, count = [], RATIO
    while samples // count >= LEAST:
        counts.insert(0, count)
        count *= RATIO
    return counts


def _is_explained(problem: Problem, minimum: Minimum) -> bool:
    return minimum.evaluation is not None and not residual_remarks(signal_residuals(problem, minimum))


def _better(one: Minimum, other: Minimum) -> Minimum:
    return min(one, other, key=lambda minimum: minimum.cost)
