"""Cost functions of one interval: the kernels of the objective's terms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError

from ..casadi_solver.greyboxes.kernel import Kernel
from ..errors import ProblemError
from ..problem.objectives.functionals import Lagrangian, Mayer
from ..problem.signals.instant import instant
from .input_parametrization import InputShape, weights
from .interval import IntervalForm, combined, interval_length
from .path_functions import path_kernel


def squared_inputs(shape: InputShape, factors: Mapping[int, np.ndarray], free: bool = False) -> ca.Function:
    """Return the cost (w, p) of squared inputs and derivatives over an interval, exact by Gauss quadrature.

    Parameters
    ----------
    shape : InputShape
    factors : dict of ndarray (nu,)
        Of each input, by order of the derivative, 0 for the inputs themselves.
    free : bool
        Whether the duration is a variable, the last entry of w after the knots; p is then the interval's fraction of
        it, otherwise its length [s].
    """
    inputs = len(next(iter(factors.values())))
    knots, duration = ca.SX.sym("knots", len(shape.knots), inputs), ca.SX.sym("duration", int(free))
    step = ca.SX.sym("step")
    h = interval_length(step, duration)
    # With degree + 1 points the square of a polynomial of that degree is integrated exactly.
    points, shares = np.polynomial.legendre.leggauss(shape.degree + 1)
    s, shares = (points + 1) / 2, ca.DM(shares / 2).T
    squares = sum(combined(weights(shape, s, order), knots, h) ** 2 @ factor for order, factor in factors.items())
    cost = h * ca.mtimes(shares, squares)
    return ca.Function("squared_inputs", [ca.vertcat(ca.vec(knots.T), duration), step], [cost], ["w", "p"], ["cost"])


@lru_cache(maxsize=32)
def integral_kernel(dae: DAE, form: IntervalForm, term: Lagrangian) -> Kernel:
    """Return the kernel of a Lagrange term, see `path_kernel`, with its references as parameters.

    Raises
    ------
    ProblemError
        An unknown name.
    """
    reference = ca.SX.sym("ref", term.references)
    try:
        return path_kernel(instant(dae), form, cost=term.integrand(instant(dae), reference), reference=reference)
    except NameUnknownError as error:
        raise ProblemError(f"{type(term).__name__}: {error}") from None


@lru_cache(maxsize=32)
def final_kernel(dae: DAE, form: IntervalForm, term: Mayer) -> Kernel:
    """Return the kernel of a Mayer term at the last collocation point, the end of the interval.

    Raises
    ------
    ProblemError
        An unknown name.
    """
    try:
        value = term.value(instant(dae))
    except NameUnknownError as error:
        raise ProblemError(f"{type(term).__name__}: {error}") from None
    return path_kernel(instant(dae), form, cost=value, points=(form.scheme.degree,), integral=False)
