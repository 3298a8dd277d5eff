"""Generalised alpha (Arnold and Bruels 2007), of first-order states as the rates of coordinates that do not matter."""

from __future__ import annotations

import math

import numpy as np

from flexblocks.simulation.implicit.integration import Integration
from flexblocks.simulation.implicit.newton_matrix import Factors, SingularMatrix
from flexblocks.simulation.implicit.settings import DONE, NEWTON, OF_TIME, SINGULAR

ITERATIONS = 15
# Steps that differ by such a share, as by rounding, have the same matrix.
SAME = 1e-9


def alpha_step(at: Integration, h: float) -> int:
    """Take a step of h [s]; return whether and how it failed, and then the state is the one before."""
    rho, n, N, m = at.problem.settings.spectral_radius, at.n, at.N, at.m
    mass, force = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + force - mass
    beta, gain = 0.25 * (gamma + 0.5) ** 2, (1 - force) / (1 - mass)
    k1, k2 = h * gamma * gain, h * h * beta * gain
    a, multipliers, g = at.rates.copy(), at.multipliers.copy(), at.filtered
    if at.previous_step == h:  # two equal steps: forces go on as they changed
        a, multipliers = 2 * a - at.before[2], 2 * multipliers - at.before[3]
    new_g = ((1 - force) * a + force * at.rates - mass * g) / (1 - mass)
    newton = at.problem.newton * min(1.0, h / OF_TIME)
    x, z = at.x.copy(), at.z.copy()
    x[:n] += h * at.x[n : 2 * n] + h * h * ((0.5 - beta) * g[:n] + beta * new_g[:n])
    x[n:] += h * ((1 - gamma) * g + gamma * new_g)
    at.set_inputs(at.t + h)
    at.feedback = at.feedback_rate
    accepted, before, iteration = False, 0.0, 0
    of_rows, counts_as = np.where(at.level, -1 / k1, -1.0), at.displacements(k1, k2) / newton
    for iteration in range(1, ITERATIONS + 1):
        if not at.derived or abs(at.derived[0] / k1 - 1) > SAME:
            at.differentiate_sum(k1, k2, x, a, multipliers, z)
        if at.factored is None:
            try:
                at.factors = Factors(at.matrix_of_sum(k1))
            except SingularMatrix:
                at.derived = None
                return SINGULAR
            at.counts["factorizations"] += 1
            at.factored = ()
        assert at.factors is not None
        right = at.evaluate(x, a, multipliers, z) * of_rows
        at.counts["iterations"] += 1
        if at.inactive.size:
            right[N + at.inactive] = -multipliers[at.inactive]
        change = at.factors.solve(right)
        d = change[:N]
        a += d
        new_g += gain * d
        x[n:] += k1 * d
        x[:n] += k2 * d[:n]
        multipliers += change[N : N + m]
        z += change[N + m :]
        off = float(np.abs(change * counts_as).max())
        if not math.isfinite(off):
            break
        rate = off / before if iteration > 1 and before else 0.5
        if iteration > 3 and rate > 2:
            break
        if (iteration == 1 and off < 0.01) or (iteration > 1 and rate / (1 - min(rate, 0.99)) * off < 0.1):
            accepted = True
            break
        if iteration >= 3 and rate > 0.8:
            at.derived = None
        before = off
    if not accepted:
        return NEWTON
    if iteration > 8 or at.is_at_change_point:
        at.derived = None
    at.remember()
    at.t += h
    at.x, at.rates, at.filtered, at.multipliers, at.z = x, a, new_g, multipliers, z
    at.keep_sizes()
    at.add_work(h)
    at.counts["steps"] += 1
    return DONE
