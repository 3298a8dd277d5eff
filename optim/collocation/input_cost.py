"""What an objective costs over one interval."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import stored_energies, total

from ..problem.objective_terms import Effort, Jerk
from .input_parametrization import InputShape, weights
from .interval import IntervalForm, collocated_states, combined, interval_length, interval_symbols


def effort_function(shape: InputShape, objective: Effort | Jerk, inputs: int, free: bool = False) -> ca.Function:
    """Return (w, p) -> cost: squared inputs and their derivatives over an interval, exact by Gauss quadrature.

    The local variables w are the knots; p is the interval's length [s] or, where the duration is `free`, its share in
    that, the last of w.
    """
    knots, duration = ca.SX.sym("knots", len(shape.knots), inputs), ca.SX.sym("duration", int(free))
    step = ca.SX.sym("step")
    h = interval_length(step, duration)
    # With degree + 1 points the square of a polynomial of that degree is integrated exactly.
    points, shares = np.polynomial.legendre.leggauss(shape.degree + 1)
    s, shares = (points + 1) / 2, ca.DM(shares / 2).T
    squares = sum(
        weight * combined(weights(shape, s, order), knots, h) ** 2
        for order, weight in objective.squared.items()
        if weight
    )
    cost = h * ca.sum2(ca.mtimes(shares, squares))
    return ca.Function("effort", [ca.vertcat(ca.vec(knots.T), duration), step], [cost], ["w", "p"], ["cost"])


def vibration_function(dae: DAE, form: IntervalForm) -> ca.Function:
    """Return (w, p) -> cost: the elastic energy over an interval, integrated by the collocation's own quadrature.

    The local variables w are those of the interval, p is (step, parameters) as of the equations of motion.
    """
    interval = interval_symbols(dae, form)
    step, n = ca.SX.sym("step"), dae.tree.size
    symbols = [dae.x.symbol, dae.z.symbol, dae.p.symbol]
    energy = ca.Function("energy", symbols, [total(stored_energies(dae.tree, dae.q))])
    p = ca.SX.sym("p", len(dae.p))
    h = interval.length(step)
    states = collocated_states(n, interval, form, h)
    cost = h * sum(
        share * energy.call([x, stage.z, interval.parameters(p)], True, False)[0]
        for share, x, stage in zip(form.scheme.integral[-1].tolist(), states, interval.stages, strict=True)
    )
    return ca.Function("vibration", [interval.variables, ca.vertcat(step, p)], [cost], ["w", "p"], ["cost"])
