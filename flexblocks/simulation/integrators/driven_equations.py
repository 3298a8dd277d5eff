"""The equations under their inputs, as an integrator takes them: der(x) and residuals as functions of time."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import casadi as ca

# CasADi marks the nodes of an expression while it sorts them; two threads must not build functions at the same time.
BUILDING = threading.RLock()


@dataclass(frozen=True, eq=False)
class DrivenEquations:
    """The equations under inputs of one form, good for all values of them.

    CasADi's functions keep their working memory; use one object in one thread.

    Attributes
    ----------
    residual : casadi.Function
        (t, X, z, P) -> der(X), g. X is [x, work]: the work [J] that the applied forces do on the arm is carried
        along as a state, so that it is as accurate as the rest. P is [p, parameters of the inputs' segment].
    rates : casadi.Function
        (t, X, P) -> der(X), the algebraic variables eliminated by Newton's method from their start values.
    newton : casadi.Function or None
        (guess of z, t, X, P) -> z with 0 = g; None without algebraic variables.
    input : casadi.Function
        (t, parameters of the inputs' segment) -> u.
    """

    residual: ca.Function
    rates: ca.Function
    newton: ca.Function | None
    input: ca.Function
