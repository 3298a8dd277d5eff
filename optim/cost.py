"""The effort over one interval."""

from __future__ import annotations

import casadi as ca
import numpy as np

from .input_shape import InputShape, weights
from .interval import combined
from .objective import Effort


def effort_function(shape: InputShape, objective: Effort, inputs: int) -> ca.Function:
    """Return (w, p) -> cost: the effort over an interval of length p, whose knots are w, exact by Gauss quadrature."""
    knots, h = ca.SX.sym("knots", len(shape.knots), inputs), ca.SX.sym("h")
    # With degree + 1 points the square of a polynomial of that degree is integrated exactly.
    points, shares = np.polynomial.legendre.leggauss(shape.degree + 1)
    s, shares = (points + 1) / 2, ca.DM(shares / 2).T
    u, du = (combined(weights(shape, s, order), knots, h) for order in (0, 1))
    cost = h * ca.sum2(ca.mtimes(shares, u**2 + objective.rate_weight * du**2))
    return ca.Function("effort", [ca.vec(knots.T), h], [cost], ["w", "p"], ["cost"])
