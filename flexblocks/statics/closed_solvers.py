"""Solvers of the static problem on closed loops: a root, the root nearest to the start."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from flexblocks.statics.closed_problem import ClosedProblem
from flexblocks.statics.solvers import polished
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import MANY_EQUILIBRIA

LEAP = 0.2  # longest step [rad, lengths of the loops]; by trial
SHORTEST = 1e-4  # share of a Newton step below which the search has failed
ROUNDING = 1e-13  # a step below which nothing more is gained [rad, lengths of the loops]
POLISH = 1e-6  # change by the equations without poses that is rounding [rad, lengths of the loops]
# Newton steps back to equilibria from beside them: a few are usual, and a shorter step along them takes less time than
# the 13 s that a search of 200 crept.
CORRECTIONS = 20
STEPS = 200  # of one search: 40 rad of each coordinate
FALL = 0.1  # first step down, by which an arm midway between two equilibria hangs rather than stands
NEAREST = 1e-9  # share of the way from the start that counts as the nearest equilibrium


def closed_root(closed: ClosedProblem, best: bool = False) -> np.ndarray | None:
    """Return an equilibrium, or None; with `best` the smallest residual instead of None.

    The search begins with a short step down; it is repeated from the start itself, and from the end of a descent.
    """
    attempts = []
    for start in _starts(closed):
        s = newton(closed, start)
        # Where stiffness leaves rounding out of balance, all equations together have the last digit.
        whole = s if closed.balanced(s) else polished(closed.problem, s, closed.rows)
        if closed.balanced(whole) and closed.is_closed(whole) and closed.turn(whole - s) < POLISH:
            return whole
        left = np.abs(closed.problem.residual(s)) / np.maximum(closed.problem.tolerance(s), 1e-300)
        attempts.append((np.max(left[closed.forces], initial=0.0), s))
    return min(attempts, key=lambda item: item[0])[1] if best else None


def _starts(closed: ClosedProblem) -> Iterator[np.ndarray]:
    start = closed.with_forces(closed.problem.start)
    yield start if closed.balanced(start) else descended(closed, start, FALL, 1)
    yield start
    yield descended(closed, start, FALL, STEPS)


def newton(closed: ClosedProblem, s: np.ndarray, steps: int = STEPS) -> np.ndarray:
    """Return the end of Newton's method along closed postures, damped by the natural monotonicity test.

    A step is taken if the correction that follows, with the same Jacobian, is smaller: a test that does not depend on
    the units of forces and coordinates (Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 3.3).
    """
    for _ in range(steps):
        if closed.balanced(s):
            return s
        step = closed.newton_step(s)
        share = min(1.0, LEAP / max(closed.turn(step), LEAP))
        while share > SHORTEST:
            trial = closed.moved(s, share * step)
            if trial is not None:
                ahead = closed.turn(closed.newton_step(s, trial))
                if ahead <= (1 - share / 4) * closed.turn(step) or closed.balanced(trial):
                    break
            share /= 2
        else:
            return s
        s = trial
        if closed.turn(step) < ROUNDING:
            break
    return s


def descended(closed: ClosedProblem, s: np.ndarray, leap: float, steps: int) -> np.ndarray:
    """Return where an arm comes to rest from `s` on its way down, with the inputs that are free held like brakes.

    Each step goes to the least energy within a trust region, which grows and shrinks between `leap` and nothing.
    """
    longest = leap
    for _ in range(steps):
        motions, force, stiffness = closed.idle_motions(s)
        if not len(force):
            return s
        step = np.zeros(len(s))
        along = _downhill(closed, motions, force, stiffness, longest)
        step[np.flatnonzero(closed.free)] = motions @ along
        trial = closed.moved(s, step)
        if trial is not None:
            trial = closed.with_forces(trial)
            later = motions.T @ _free_forces(closed, trial)
            # Work of the forces on the way, by the trapezium rule: the energy falls.
            if (force + later) @ along <= 0:
                s, longest = trial, min(2 * longest, leap)
                if closed.turn(step) < 1e-8 or closed.balanced(s):
                    return s
                continue
        longest /= 4
        if longest < 1e-8:
            return s
    return s


def _downhill(
    closed: ClosedProblem, motions: np.ndarray, force: np.ndarray, stiffness: np.ndarray, longest: float
) -> np.ndarray:
    """Return the step (k,) to the least energy, by forces and stiffness, in a region of size `longest`."""
    values, vectors = np.linalg.eigh(stiffness)
    along = vectors.T @ force
    unit = closed.loops.unit[closed.free]

    def step(damping: float) -> np.ndarray:
        return -vectors @ (along / (values + damping))

    # Damping that makes the stiffness positive, and then as much as keeps the step in the region.
    scale = np.max(np.abs(values), initial=0.0) or 1.0
    damping = max(0.0, -1.5 * values[0]) + 1e-12 * scale
    for _ in range(200):
        if np.max(np.abs(motions @ step(damping)) / unit) <= longest:
            break
        damping *= 2
    return step(damping)


def _free_forces(closed: ClosedProblem, s: np.ndarray) -> np.ndarray:
    return closed.problem.residual(s)[: closed.problem.size][closed.free]


def nearest_closed_balance(closed: ClosedProblem, s: np.ndarray) -> np.ndarray:
    """Return the equilibrium nearest to the start, by descent of the distance along equilibria from `s`.

    Gradients in the metric of the mass matrix, steps by Barzilai and Borwein (IMA J. Numer. Anal. 8, 1988).
    """
    start, free = closed.problem.start, np.flatnonzero(closed.free)
    M = closed.problem.mass[np.ix_(closed.free, closed.free)]

    def away(s: np.ndarray) -> float:
        return float(np.sqrt((s - start)[free] @ M @ (s - start)[free]))

    tiny = 1e-12 * np.sqrt(np.sum(np.diag(M) * closed.loops.unit[closed.free] ** 2))
    before: tuple[np.ndarray, np.ndarray] | None = None
    rate, gradient = 1.0, np.zeros(len(free))
    for _ in range(STEPS):
        motions = closed.balancing_motions(s)
        gradient = motions @ (motions.T @ (M @ (s - start)[free]))
        if np.sqrt(gradient @ M @ gradient) <= NEAREST * away(s) + tiny:
            return s
        if before is not None:
            moved, change = s[free] - before[0], gradient - before[1]
            along = moved @ M @ change
            rate = float(np.clip(moved @ M @ moved / along, 0.1, 10.0)) if along > 0 else 1.0
        before = s[free], gradient
        nearer = _nearer(closed, s, -rate * gradient, away)
        if nearer is None:
            break
        s = nearer
    if np.sqrt(gradient @ M @ gradient) > 1e-6 * away(s) + tiny:
        warn(
            "equilibrium: there are many equilibria, and the search for the one nearest to the start values stopped; "
            "another one is returned. Hold more coordinates or inputs.",
            MANY_EQUILIBRIA,
        )
    return s


def _nearer(
    closed: ClosedProblem, s: np.ndarray, step: np.ndarray, away: Callable[[np.ndarray], float]
) -> np.ndarray | None:
    """Return an equilibrium in the direction of a step (nf,) that is nearer to the start, or None."""
    whole = np.zeros(len(s))
    whole[np.flatnonzero(closed.free)] = step
    whole *= min(1.0, LEAP / max(closed.turn(whole), LEAP))
    for halving in range(20):
        trial = closed.moved(s, whole / 2**halving)
        if trial is None:
            continue
        trial = newton(closed, closed.with_forces(trial), CORRECTIONS)
        if closed.balanced(trial) and away(trial) < away(s):
            return trial
    return None
