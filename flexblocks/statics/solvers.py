"""Roots of the static problem of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np

from flexblocks.geometry import bending
from flexblocks.libraries import scipy
from flexblocks.statics.followed import followed, straight_way
from flexblocks.statics.problem import RANK, Statics
from flexblocks.statics.viscous_descent import sunk

# Evaluations in a search for a root; 50 to 80 are usual. An arm without equilibrium takes any number, and a slender one
# that creeps towards its own gets there by sinking first.
SEARCH = 500
# A search continues in the next chart of an attitude that turned all the way so often; two were enough in 60 chains.
TURNS = 4


def root(problem: Statics, rows: np.ndarray | None = None) -> tuple[np.ndarray, bool]:
    """Return an equilibrium (of the equations `rows`) and True; or the smallest residual and False.

    The search begins a short step along the initial acceleration from the start values: a horizontal arm then hangs
    down rather than stands up, and an arm at a stationary point of all forces leaves it. It is repeated from the start
    itself, and from the end of a viscous descent.
    """
    rows = np.ones(problem.rows, dtype=bool) if rows is None else rows
    attempts: list[tuple[float, np.ndarray]] = []
    for s in _candidates(problem, rows):
        s = polished(problem, _in_charts(problem, s, rows), rows)
        left = np.abs(problem.residual(s)[rows])
        if np.all(left <= problem.tolerance(s)[rows]) and not problem.singular(s):
            return s, True
        attempts.append((float(np.max(left, initial=0.0)), s))
    return min(attempts, key=lambda item: item[0])[1], False


def led(problem: Statics) -> np.ndarray | None:
    """Return the equilibrium to which the held coordinates lead from their start values, or None.

    Held far from the start values a rope may hang slack, and gives a search no direction; led there, it stays taut.
    """
    dae, n = problem.dae, problem.size
    held = ~problem.free
    if not held[:n].any():
        return None
    values = problem.start.copy()
    values[:n][held[:n]] = dae.x.start[:n][held[:n]]
    begin, balanced = root(replace(problem, start=values))
    if not balanced:
        return None
    way = straight_way(begin, np.where(held, problem.start, np.nan))
    path = followed(problem.function, problem.p, begin, way, held)
    if path is None:
        return None
    s = polished(problem, problem.in_reach(path[-1]))
    return s if problem.balanced(s) and not problem.singular(s) else None


def _candidates(problem: Statics, rows: np.ndarray) -> Iterator[np.ndarray]:
    """Yield candidate equilibria of the equations `rows`, the likeliest first."""
    yield from _held_where_it_starts(problem, rows)
    # Slides and the like, which have a range, where they start, if their drives can hold them.
    ranged = np.isfinite(problem.low) | np.isfinite(problem.high)
    if (ranged & problem.free).any():
        yield _least_squares(replace(problem, free=problem.free & ~ranged), problem.start, rows)
    yield from _near(problem, rows)
    yield _least_squares(problem, sunk(problem), rows)
    # What a free input drives where it starts: a slide that hangs from a free joint and carries one balances drawn in,
    # where the joints coincide and the mass matrix is singular, and also anywhere along its way.
    driven = _driven(problem)
    if driven.any():
        yield from _near(replace(problem, free=problem.free & ~driven), rows)


def _held_where_it_starts(problem: Statics, rows: np.ndarray) -> Iterator[np.ndarray]:
    """Yield what the search ends at from the pressures, ropes and inputs that hold the unbent arm where it starts.

    A cylinder whose oil starts a centimetre off its length pushes with tons: a search from there bends the beams that
    it presses on until they balance that, or gets nowhere.
    """
    others = problem.free.copy()
    others[problem.at.q] = False
    if not others[problem.at.w].any():
        return
    rigid = rows.copy()
    rigid[problem.at.q] &= ~bending(problem.dae)[: problem.size]
    held = replace(problem, free=others)
    size = held.scaled(problem.start)[2]
    s = _fitted(held, problem.start, rigid, 1 / size[rigid], "jac")
    s = polished(held, s, rigid)
    if np.all(np.abs(problem.residual(s)) <= problem.tolerance(s), where=rigid):
        yield s  # what is left bends beams alone
    yield from _near(replace(problem, start=s), rows)


def _near(problem: Statics, rows: np.ndarray) -> Iterator[np.ndarray]:
    """Yield what the search ends at from a short step along the initial acceleration, and from the start itself."""
    fall = _fall(problem)
    for step in [0.1, 0.0] if fall.any() else [0.0]:
        yield _least_squares(problem, problem.in_reach(problem.start + step * fall), rows)


def _driven(problem: Statics) -> np.ndarray:
    """Return the mask (ns,) of the free coordinates on which a free input acts."""
    inputs = problem.free.copy()
    inputs[: problem.at.u.start] = False
    driven = np.zeros_like(inputs)
    driven[problem.at.q] = problem.evaluated(problem.start)[1][problem.at.q][:, inputs].any(axis=1)
    return driven & problem.free


def _in_charts(problem: Statics, s: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return a candidate with all attitudes in their charts, sought on from there if they were not."""
    for _ in range(TURNS):
        charted = problem.in_charts(s)
        if charted is s:
            break
        left = np.abs(problem.residual(charted)[rows])
        balanced = np.all(left <= problem.tolerance(charted)[rows])
        s = charted if balanced else _least_squares(problem, charted, rows)
    return s


def _fall(problem: Statics) -> np.ndarray:
    """Return the initial acceleration (ns,) from the start values, scaled to a largest entry of 1."""
    n = problem.size
    free = problem.free[:n]
    fall = np.zeros_like(problem.start)
    if free.any():
        force = problem.residual(problem.start)[:n][free]
        fall[:n][free] = -np.linalg.solve(problem.mass[np.ix_(free, free)], force)
    size = np.max(np.abs(fall), initial=0.0)
    return fall / size if size else fall


def _least_squares(problem: Statics, start: np.ndarray, rows: np.ndarray) -> np.ndarray:
    if not problem.free.any():
        return start
    # Scaling by the mass makes torques and forces comparable: a force over the root of its mass is an acceleration.
    unit = np.concatenate([np.sqrt(np.diag(problem.mass)), np.ones(len(start) - problem.size)])
    return _fitted(problem, start, rows, 1 / unit[: problem.rows][rows], 1 / unit[problem.free])


def _fitted(
    problem: Statics, start: np.ndarray, rows: np.ndarray, weight: np.ndarray, scale: np.ndarray | str
) -> np.ndarray:
    """Return the free unknowns for which the residuals of `rows`, by their weights, are least in squares."""

    def full(free: np.ndarray) -> np.ndarray:
        s = start.copy()
        s[problem.free] = free
        return s

    def residual(free: np.ndarray) -> np.ndarray:
        return problem.residual(full(free))[rows] * weight

    def jacobian(free: np.ndarray) -> np.ndarray:
        return problem.evaluated(full(free))[1][np.ix_(rows, problem.free)] * weight[:, None]

    result = scipy.optimize.least_squares(
        residual,
        start[problem.free],
        jac=cast(Any, jacobian),
        x_scale=scale,
        bounds=(problem.low[problem.free], problem.high[problem.free]),
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
        max_nfev=SEARCH,
    )
    return full(result.x)


def polished(problem: Statics, s: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
    """Return `s` after Newton steps of the shortest way, as long as they bring every equation nearer to its last digit.

    Each residual is measured by the terms of its own equation: in a common measure the rounding of one equation ends
    the steps while another, of a stiff coordinate with little to carry, is still out of balance. Attitudes stay in
    their charts, at whose ends no moment is felt: an arm that a load drives round and round would be in balance there.
    """
    rows = np.ones(problem.rows, dtype=bool) if rows is None else rows
    s = problem.in_charts(s)
    for _ in range(20):  # quadratic convergence needs a handful
        r, J, _, column = problem.scaled(s)
        if not J.shape[1] or not r[rows].any():
            break
        trial = s.copy()
        trial[problem.free] += _shortest(problem, J[rows], -r[rows], column)
        trial = problem.in_charts(problem.in_reach(trial))
        terms = np.maximum(problem.tolerance(s)[rows], np.finfo(float).tiny)
        left, before = (np.max(np.abs(problem.residual(at)[rows]) / terms) for at in (trial, s))
        if not left < before:
            break
        s = trial
    return s


def _shortest(problem: Statics, J: np.ndarray, r: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Return the step (nf,) with J `column` step = r that moves the masses least.

    In unit columns all unknowns would yield alike, and a slide that is balanced anywhere would be drawn to where it
    is singular: a residual of s cos(angle) vanishes with either.
    """
    left, sizes, right = np.linalg.svd(J)
    known = int(np.sum(sizes > RANK * sizes[0])) if len(sizes) else 0
    step = right[:known].T @ ((left[:, :known].T @ r) / sizes[:known])
    idle = right[known:].T / column[:, None]
    moved = problem.free[: problem.size].sum()
    step /= column
    mobile = np.sqrt(np.diag(problem.mass))[problem.free[: problem.size], None]
    if idle.size and moved:
        step -= idle @ np.linalg.lstsq(mobile * idle[:moved], mobile[:, 0] * step[:moved], rcond=RANK)[0]
    return step
