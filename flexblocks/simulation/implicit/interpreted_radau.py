"""Radau IIA of three stages in the accelerations at the stages (Hairer and Wanner, Solving ODEs II, IV.8)."""

from __future__ import annotations

import numpy as np

from flexblocks.simulation.implicit.integration import Integration
from flexblocks.simulation.implicit.newton_matrix import Factors, SingularMatrix
from flexblocks.simulation.implicit.radau_three import STAGES, radau_three
from flexblocks.simulation.implicit.settings import DONE, NEWTON, SINGULAR

ITERATIONS = 12


def radau_step(at: Integration, h: float) -> tuple[int, float]:
    """Take a step of h [s]; return whether and how it failed, and the estimate of its error [m].

    With steps that keep a tolerance, one whose error exceeds it leaves the state as it was. The error is that of the
    acceleration at the start, which the collocation polynomial does not know.
    """
    r, n, N, m = radau_three(), at.n, at.N, at.m
    k1, c1 = h * r.real, h * r.pair
    guess = at.rates, at.multipliers, at.z
    if at.polynomial is None:
        a, multipliers, z = (np.tile(value, (STAGES, 1)) for value in guess)
    else:
        ahead = _lagrange(1 + r.c * h / at.previous_step, r.c)
        a, multipliers, z = (ahead @ values for values in at.polynomial)
    at.feedback = at.feedback_rate
    if at.derived != ():
        at.set_inputs(at.t)
        at.differentiate(at.x, *guess)
        at.best = 99
    if at.factored != (h,):
        try:
            at.factors, at.pair_factors = Factors(at.matrix(k1, k1 * k1)), Factors(at.matrix(c1, c1 * c1))
        except SingularMatrix:
            at.derived = None
            return SINGULAR, 0.0
        at.counts["factorizations"] += 1
        at.factored = (h,)
    assert at.factors is not None
    assert at.pair_factors is not None
    accepted, before, rate, iteration = False, 0.0, 0.0, 0
    dropped, counts_as = N + at.inactive, at.displacements(h, h * h)
    for iteration in range(1, ITERATIONS + 1):
        at.counts["iterations"] += 1
        X = _stages(at, h, a)
        R = np.empty((STAGES, len(at.level)))
        for s in range(STAGES):
            at.set_inputs(at.t + h if s == STAGES - 1 else at.t + r.c[s] * h)
            R[s] = at.evaluate(X[s], a[s], multipliers[s], z[s])
        R[:, dropped] = multipliers[:, at.inactive]
        real, pair = -r.into_real @ R, -r.into_pair @ R
        active_level = at.level.copy()
        active_level[dropped] = False
        real[active_level] /= k1
        pair[active_level] /= c1
        real, pair = at.factors.solve(real), at.pair_factors.solve(pair)
        change = np.outer(r.out_of_real, real) + 2 * np.real(np.outer(r.out_of_pair, pair))
        a, multipliers, z = a + change[:, :N], multipliers + change[:, N : N + m], z + change[:, N + m :]
        of_states = np.concatenate([(r.twice[2] @ change[:, :n]), (r.A[2] @ change[:, n:N])])
        change_at_end = np.concatenate([of_states, change[2, N:]])
        off = float(np.max(np.abs(change_at_end * counts_as))) / at.problem.newton
        if not np.isfinite(off):
            break
        if iteration > 1:
            rate = off / before if before else 0.0
            if rate >= 0.95 and iteration > 2:
                break
            if rate / (1 - min(rate, 0.99)) * off < 0.1:
                accepted = True
                break
        elif off < 1e-2:
            accepted = True
            break
        before = off
    if not accepted:
        return NEWTON, 0.0
    error = 0.0
    if at.problem.settings.step is None:
        right = np.zeros(len(at.level))
        missing = at.masses[:N] @ (at.rates - r.start @ a)
        right[:N] = np.where(at.held > 0, 0.0, missing)
        error = float(np.max(np.abs(at.factors.solve(right) * at.displacements(k1, k1 * k1))[:N]))
        if error > at.problem.settings.tolerance:
            return DONE, error
    X, gained, power = _stages(at, h, a), np.zeros(2), np.zeros(2)
    for s in range(STAGES):
        at.set_inputs(at.t + h if s == STAGES - 1 else at.t + r.c[s] * h)
        power = at.powers(X[s], a[s], multipliers[s], z[s])
        gained += h * r.A[2, s] * power
    at.remember()
    at.t += h
    at.x, at.rates, at.filtered, at.multipliers, at.z = X[2], a[2].copy(), a[2].copy(), multipliers[2], z[2]
    at.polynomial = a, multipliers, z
    at.keep_sizes()
    at.work, at.earlier, at.power, at.previous_step = at.work + gained, at.power, power, h
    if at.is_fresh:
        at.best = min(at.best, iteration)
    if rate > 0.4 or iteration > at.best + 8 or at.is_at_change_point:
        at.derived = None
    at.is_fresh = False
    at.counts["steps"] += 1
    return DONE, error


def _stages(at: Integration, h: float, a: np.ndarray) -> np.ndarray:
    """Return the states (3, nx) at the stages, for rates (3, n + nw) there."""
    r, n = radau_three(), at.n
    q = at.x[:n] + h * np.outer(r.c, at.x[n : 2 * n]) + h * h * (r.twice @ a[:, :n])
    return np.hstack([q, at.x[n:] + h * (r.A @ a)])


def _lagrange(places: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Return the matrix from values at nodes to those of their polynomial at some places."""
    factors = [[(places - c) / (node - c) for c in nodes if c != node] for node in nodes]
    return np.array([np.prod(each, axis=0) for each in factors]).T
