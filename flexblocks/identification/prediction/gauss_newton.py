"""Gauss-Newton with a trust region, within bounds and a budget, with weights that follow the unknowns."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import Literal, Protocol

import numpy as np

from flexblocks.identification.prediction.problem import Evaluation, Weights
from flexblocks.interrupt import Interrupt
from flexblocks.libraries import scipy
from flexblocks.progress import ProgressDisplay

Status = Literal["converged", "not converged", "time limit", "interrupted", "failed"]
SETTLED = 0.03  # standard deviations by which a round moves the unknowns at most, when weights have settled
NOISE_SETTLED = 1e-3  # share by which estimated noise moves
FTOL = 1e-9  # of the cost
GTOL = 1e-9  # of its gradient, in shares of what is large for the unknowns


@dataclass(frozen=True)
class Effort:
    """How far a minimisation goes.

    Attributes
    ----------
    rounds : int
        Of weights.
    evaluations : int
        In a round.
    ftol : float
        Share of the cost below which a step ends a round.
    """

    rounds: int
    evaluations: int
    ftol: float


THOROUGH, ROUGH = Effort(30, 200, FTOL), Effort(5, 20, 1e-4)


class Reweighted(Protocol):
    """What is minimised: residuals of unknowns z, with weights that are held meanwhile."""

    @property
    def is_reweighted(self) -> bool: ...

    def first_deviations(self) -> np.ndarray: ...

    def weights(self, z: np.ndarray, deviations: np.ndarray) -> Weights | None: ...

    def evaluate(self, z: np.ndarray, weights: Weights) -> Evaluation: ...

    def deviations(self, evaluation: Evaluation, weights: Weights) -> np.ndarray: ...


class Stopped(Exception):
    """The budget is used up."""


@dataclass(eq=False)
class Budget:
    """Time and evaluations of an identification; a search that is stopped keeps the best result so far.

    Attributes
    ----------
    time_limit : float or None
        [s]
    evaluations : int
        So far.
    """

    time_limit: float | None
    display: ProgressDisplay
    interrupt: Interrupt
    evaluations: int = 0
    begun: float = field(default_factory=monotonic)

    @property
    def is_over(self) -> Status | None:
        """Why it is, if it is."""
        if self.interrupt.asked:
            return "interrupted"
        return "time limit" if self.time_limit is not None and monotonic() - self.begun > self.time_limit else None

    def spend(self, note: str) -> None:
        """Count an evaluation.

        Raises
        ------
        Stopped
        """
        self.evaluations += 1
        self.display.update(note)
        if self.is_over:
            raise Stopped


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where a minimisation ended.

    Attributes
    ----------
    evaluation : Evaluation or None
        None where there was nothing finite.
    weights : Weights or None
    cost : float
        Negative logarithm of the likelihood, without constants.
    status : str
    evaluations : int
    """

    evaluation: Evaluation | None
    weights: Weights | None
    cost: float
    status: Status
    evaluations: int


def minimized(
    problem: Reweighted,
    start: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    budget: Budget,
    label: str = "",
    effort: Effort = THOROUGH,
) -> Minimum:
    """Return the minimum that is reached from a start."""
    begun, z, deviations = budget.evaluations, start, problem.first_deviations()
    best: tuple[Evaluation, Weights] | None = None
    status: Status = "failed"
    try:
        for _ in range(effort.rounds if problem.is_reweighted else 1):
            weights = problem.weights(z, deviations)
            if weights is None:
                break
            found, ended = _held_weights(problem, z, weights, bounds, budget, label, effort)
            if found is None:
                break
            best, status = (found, weights), "converged" if ended else "not converged"
            moved, z = found.z - z, found.z
            before, deviations = deviations, problem.deviations(found, weights)
            noise_moved = np.abs(deviations / before - 1).max()
            if moved @ found.information @ moved < SETTLED**2 * len(z) and noise_moved < NOISE_SETTLED:
                break
        else:
            status = "not converged" if problem.is_reweighted else status
    except Stopped as stop:
        held = stop.args[0] if stop.args else None
        best, status = held or best, budget.is_over or "time limit"
    if best is None:
        return Minimum(None, None, np.inf, status, budget.evaluations - begun)
    evaluation, weights = best
    cost = evaluation.cost + weights.log_determinant
    return Minimum(evaluation, weights, cost, status, budget.evaluations - begun)


def held(problem: Reweighted, z: np.ndarray, status: Status) -> Minimum:
    """Return what is at z (k,) itself, of a search that has ended for some reason."""
    weights = problem.weights(z, problem.first_deviations())
    evaluation = None if weights is None else problem.evaluate(z, weights)
    if weights is None or evaluation is None or not np.isfinite(evaluation.cost):
        return Minimum(None, None, np.inf, status, 0)
    return Minimum(evaluation, weights, evaluation.cost + weights.log_determinant, status, 1)


def _held_weights(
    problem: Reweighted,
    z: np.ndarray,
    weights: Weights,
    bounds: tuple[np.ndarray, np.ndarray],
    budget: Budget,
    label: str,
    effort: Effort,
) -> tuple[Evaluation | None, bool]:
    """Return the minimum with these weights, None where the start has no finite residuals; and whether it converged."""
    best: Evaluation | None = None
    last: Evaluation | None = None

    def at(z: np.ndarray) -> Evaluation:
        nonlocal best, last
        if last is None or not np.array_equal(last.z, z):
            try:
                budget.spend(f"{label}cost {best.cost:.6g}" if best else label)
            except Stopped:
                raise Stopped(None if best is None else (best, weights)) from None
            last = problem.evaluate(z.copy(), weights)
            if np.isfinite(last.cost) and (best is None or last.cost < best.cost):
                best = last
        return last

    first = at(z)
    if not (np.isfinite(first.cost) and np.all(np.isfinite(first.jacobian))):
        return None, False
    if not np.any(first.jacobian):
        return first, True
    result = scipy.optimize.least_squares(
        lambda z: at(z).compressed[:, -1],
        z,
        jac=lambda z: at(z).compressed[:, :-1],  # pyright: ignore[reportArgumentType]
        bounds=bounds,
        method="trf",
        x_scale="jac",
        ftol=effort.ftol,
        xtol=1e-10,
        gtol=GTOL,
        max_nfev=effort.evaluations,
    )
    assert best is not None
    return best, result.status > 0
