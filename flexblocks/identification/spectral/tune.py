"""Weighted least squares over parameters, from several starts, and how well the result determines each parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.errors import ComputationError, FlexblocksError, listing
from flexblocks.identification.unknowns.sought import Unknowns
from flexblocks.libraries import scipy
from flexblocks.progress import ProgressDisplay
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import POOR_FIT

# Residuals (n,) and their derivatives (n, k) at values (k,) of the parameters; both in standard deviations.
Residuals = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
FACTOR = 3.0  # from the guess to other starts, at most
DRAWN = 8  # points for each start, of which the best ones are taken: an evaluation costs a tenth of a search and less
EVALUATIONS = 200
# A direction along which residuals change by less than this part of what they change by along the best known one is
# not determined: it is no more than rounding in the derivatives.
UNSEEN = 1e-7
# Starts are so far inside the bounds, of the width between them; a result as near to one is at it if the cost, as a
# share and of each residual, is the same.
INSIDE, COST = 1e-6, 1e-9
# Of a direction, parameters with a part below this fraction of the largest belong to it by rounding.
BELONGS = 0.05
NORMAL = 1.959964  # standard deviations to either side of which 95 % of a normal distribution lie


@dataclass(frozen=True, eq=False)
class Tuned:
    """Parameters of least weighted squares.

    Attributes
    ----------
    values, deviations : ndarray (k,)
    correlation : ndarray (k, k)
    residuals : ndarray (n,)
    freedom : int
        Residuals less parameters.
    undetermined : tuple of str
        What the data do not determine, in words.
    converged : bool
    costs : tuple of float
        Sum of squares from each start; infinite where there was no result.
    """

    values: np.ndarray
    deviations: np.ndarray
    correlation: np.ndarray
    residuals: np.ndarray
    freedom: int
    undetermined: tuple[str, ...]
    converged: bool
    costs: tuple[float, ...]


def tuned(
    rough: Residuals | None,
    exact: Residuals,
    redundancy: np.ndarray,
    wanted: Unknowns,
    starts: int,
    seed: int,
    where: str,
) -> Tuned:
    """Return the parameters of least squares of the residuals `exact`.

    Parameters
    ----------
    rough : callable or None
        Residuals by which each start is brought near first.
    exact : callable
    redundancy : ndarray (n,)
        How many residuals count as one, of each.
    wanted : Unknowns
    starts : int
    seed : int
        Of the starts that are drawn.
    where : str
        The calling function, for messages.

    Raises
    ------
    ComputationError
        The residuals cannot be computed at any start; the message says why not at the guess.

    Warns
    -----
    FlexblocksWarning
        The data leave parameters undetermined; or the search did not converge.
    """
    results, costs, refusal = [], [], None
    begins = [wanted.start(), *_best_of_many(rough or exact, wanted, starts - 1, seed)]
    with ProgressDisplay(where, len(begins), None) as display:
        for count, z in enumerate(begins):
            try:
                if rough is not None:
                    z = _least(rough, wanted, z).x
                found = _least(exact, wanted, z)
                results.append(found)
                costs.append(2 * float(found.cost))
            except FlexblocksError as error:
                refusal = refusal or error
                costs.append(np.inf)
            display.update(f"{count + 1} of {len(begins)} starts", count + 1)
    if not results:
        raise ComputationError(f"{where}: no start gives a model to compare: {refusal}") from None
    best = min(results, key=lambda found: found.cost)
    return _told(best, redundancy, wanted, tuple(costs), where)


def _best_of_many(residuals: Residuals, wanted: Unknowns, count: int, seed: int) -> list[np.ndarray]:
    """Return the points of the search with the least cost among many that are drawn about the guess."""
    if not count:
        return []
    drawn = wanted.drawn(DRAWN * (count + 1), FACTOR, np.random.default_rng(seed))
    costs = []
    for z in drawn:
        try:
            r, _ = residuals(wanted.values(z))
            costs.append(float(r @ r))
        except FlexblocksError:
            costs.append(np.inf)
    order = np.argsort(np.where(np.isfinite(costs), costs, np.inf), kind="stable")
    return [drawn[i] for i in order[:count]]


def _least(residuals: Residuals, wanted: Unknowns, z: np.ndarray) -> scipy.optimize.OptimizeResult:
    """Return the least squares from a start of the search."""
    latest: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    def evaluated(z: np.ndarray, first: bool = False) -> tuple[np.ndarray, np.ndarray]:
        key = z.tobytes()
        if key not in latest:
            values = wanted.values(z)
            try:
                r, J = residuals(values)
                if not np.all(np.isfinite(r)) or not np.all(np.isfinite(J)):
                    raise ComputationError("the model has values that are not finite")
            except FlexblocksError:
                # A trial of the search beyond what the arm can be: it takes a shorter step.
                if first or not latest:
                    raise
                r, J = (np.full_like(each, np.nan) for each in next(iter(latest.values())))
                return r, J
            prior, by_prior = wanted.prior(z)
            latest.clear()
            latest[key] = np.concatenate([r, prior]), np.vstack([J * wanted.slopes(z), by_prior])
        return latest[key]

    low, high = wanted.bounds()
    # A start has to be inside the bounds.
    width = np.where(np.isfinite(high - low), high - low, 2.0)
    inside = low + INSIDE * width, high - INSIDE * width
    z = np.clip(z, *inside)
    evaluated(z, first=True)
    derivatives: Any = lambda z: evaluated(z)[1]  # noqa: E731 - scipy's own annotation is that of its default
    found = scipy.optimize.least_squares(
        lambda z: evaluated(z)[0],
        z,
        derivatives,
        bounds=(low, high),
        x_scale="jac",
        ftol=1e-12,
        xtol=1e-10,
        gtol=1e-10,
        max_nfev=EVALUATIONS,
    )
    # What ends as near to a bound as it may begin is at the bound: derivatives that vanish there say so.
    at_bounds = np.where(found.x < inside[0], low, np.where(found.x > inside[1], high, found.x))
    if not np.array_equal(at_bounds, found.x):
        r, J = evaluated(at_bounds)
        if np.all(np.isfinite(J)) and r @ r / 2 <= found.cost + found.cost * COST + len(r) * COST:
            found.x, found.fun, found.jac, found.cost = at_bounds, r, J, r @ r / 2
    return found


def _told(
    best: scipy.optimize.OptimizeResult,
    redundancy: np.ndarray,
    wanted: Unknowns,
    costs: tuple[float, ...],
    where: str,
) -> Tuned:
    """Return the fit of the best result, with warnings."""
    values = wanted.values(best.x)
    slopes = wanted.slopes(best.x)
    U, sizes, V = np.linalg.svd(best.jac, full_matrices=False)
    seen = sizes > UNSEEN * sizes.max(initial=0.0)
    directions = _directions(V[seen])
    freedom = len(best.fun) - len(values)
    # Residuals larger than the deviations that were given widen the intervals; smaller ones narrow nothing.
    size = max(1.0, 2 * best.cost / freedom) if freedom > 0 else 1.0
    of_data = np.concatenate([redundancy, np.ones(len(best.fun) - len(redundancy))])
    # Estimates are U' r / sizes along V; errors of residuals that are alike add up.
    spread = (U[:, seen].T * of_data) @ U[:, seen] / np.outer(sizes[seen], sizes[seen])
    covariance = size * V[seen].T @ spread @ V[seen]
    deviations = slopes * np.sqrt(np.diag(covariance))
    root = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    words = []
    for direction in directions:
        part = np.abs(direction) > BELONGS * np.abs(direction).max()
        deviations[part] = np.inf
        named = [name for name, its in zip(wanted.names, part, strict=True) if its]
        words.append(f"{listing(named)} only together" if len(named) > 1 else named[0])
    if words:
        warn(
            f"{where}: the data do not determine {'; '.join(words)}. Measure what depends on it, name fewer "
            "parameters, or give what is known beforehand.",
            POOR_FIT,
        )
    if best.status == 0:
        warn(
            f"{where}: the search did not converge in {EVALUATIONS} evaluations; try other guesses or bounds.", POOR_FIT
        )
    return Tuned(
        values,
        deviations,
        covariance / root[:, None] / root,
        best.fun,
        freedom,
        tuple(words),
        best.status > 0,
        costs,
    )


def _directions(seen: np.ndarray) -> np.ndarray:
    """Return the directions (m, k) across those that are seen (n, k), each with a parameter that no other one has."""
    idle = scipy.linalg.null_space(seen)
    if not idle.size:
        return idle.T
    *_, order = scipy.linalg.qr(idle.T, pivoting=True, mode="economic")
    return np.linalg.solve(idle[order[: idle.shape[1]]].T, idle.T)
