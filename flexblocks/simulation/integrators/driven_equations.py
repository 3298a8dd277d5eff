"""Equations of a DAE under given inputs, as an integrator takes them: functions of time and state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE

# CasADi marks the nodes of an expression while it sorts them: two threads must not build functions at the same time.
BUILDING = threading.RLock()


@dataclass(frozen=True, eq=False)
class DrivenEquations:
    """Equations under inputs of one form, for all values of the inputs' parameters.

    CasADi functions own their working memory: use an object in one thread only.

    Attributes
    ----------
    residual : casadi.Function
        (t, X, z, P) -> der(X), g. X is [x, work]: the work [J] of the applied forces is integrated as a state, with
        the same accuracy as the others. P is [p, parameters of the inputs' segment].
    rates : casadi.Function
        (t, X, P) -> der(X), with the algebraic variables eliminated by Newton's method from their start values.
    newton : casadi.Function or None
        (guess of z, t, X, P) -> z with 0 = g; None without algebraic variables.
    input : casadi.Function
        (t, parameters of the inputs' segment) -> u.
    dae : DAE
    differentiable : callable, optional
        () -> the same equations with derivatives, which implicit methods need; None if these have them.
    """

    residual: ca.Function
    rates: ca.Function
    newton: ca.Function | None
    input: ca.Function
    dae: DAE
    differentiable: Callable[[], DrivenEquations] | None = None

    def slope(self, t: float, X: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Return der(X) (nx + 1,)."""
        return np.array(self.rates(t, X, P)).ravel()
