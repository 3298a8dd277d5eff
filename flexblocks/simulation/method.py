"""Which integration method a run uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.dynamics.algorithms.constrained_accelerations import STABILISATION
from flexblocks.errors import ParameterError, nearest
from flexblocks.simulation.casadi_stepper import CasadiStepper, sundials
from flexblocks.simulation.driven_equations import Equations, System
from flexblocks.simulation.scipy_stepper import Dop853Stepper
from flexblocks.simulation.stepper import Stepper

METHODS = ("auto", "adams", "bdf", "idas", "rk4", "dop853")


@dataclass(frozen=True)
class Method:
    """An integration method with its options.

    Attributes
    ----------
    name : str
        One of METHODS.
    rtol, atol : float
        Tolerances on the states.
    step : float or None
        Fixed step of ``"rk4"`` [s].
    """

    name: str
    rtol: float
    atol: float
    step: float | None


def checked_method(name: Any, rtol: Any, atol: Any, step: Any, where: str) -> Method:
    """Return the method; refuse one that does not exist and options that do not fit.

    Raises
    ------
    ParameterError
    """
    if name not in METHODS:
        raise ParameterError(
            f"{where}: method = {name!r}; must be one of {', '.join(METHODS)}.{nearest(str(name), METHODS)}"
        )
    for option, value in (("rtol", rtol), ("atol", atol)):
        if not (isinstance(value, (int, float)) and 0 < value < 1):
            raise ParameterError(f"{where}: {option} = {value!r}; must be a number > 0 and < 1.")
    if name == "rk4" and not (isinstance(step, (int, float)) and np.isfinite(step) and step > 0):
        raise ParameterError(
            f"{where}: step = {step!r}; method 'rk4' needs its fixed step [s], > 0, such as step=1e-3."
        )
    if name != "rk4" and step is not None:
        raise ParameterError(
            f"{where}: step = {step!r}; only method 'rk4' has a fixed step, the others take rtol and atol."
        )
    return Method(name, rtol, atol, step)


def automatic(system: System, X: np.ndarray) -> str:
    """Return the name of the method for a run from `X` (nx + 1,).

    It is idas where there are algebraic variables. Otherwise it is the Adams method, unless something decays faster
    at the start than anything oscillates or grows; then it is BDF. Arms hardly damp their highest modes, and Adams'
    methods are more accurate there than BDF, which needs small steps or damps them: for a second of the two-link arm
    (modes up to 2500 rad/s) at tolerance 1e-8, Adams with Newton's iteration took 3400 steps at an error of 1e-9, BDF
    4700 for the same; at 1e-10 it is 6400 against 10600. Functional iteration takes 1.7 times the steps of Newton's.
    """
    if len(system.dae.z):
        return "idas"
    return "bdf" if _decays_fast(system, X) else "adams"


def new_stepper(equations: Equations, name: str, method: Method) -> Stepper:
    """Return the integration method of that name, with the options of `method`."""
    rtol, atol = method.rtol, method.atol
    if name == "rk4":
        return CasadiStepper(equations, "rk", {}, step=method.step)
    if name == "dop853":
        return Dop853Stepper(equations, rtol, atol)
    if name == "idas":
        return sundials(equations, "idas", rtol, atol)
    # A step that falls to rounding of the time is a failure at once; not after thousands of them.
    return sundials(equations, "cvodes", rtol, atol, linear_multistep_method=name, min_step_size=1e-13)


def _decays_fast(system: System, X: np.ndarray) -> bool:
    """Tell whether something decays faster than anything oscillates or grows, linearised at the start.

    What does not is resolved anyway: an inverted pendulum falls as fast as it would stand up.
    """
    t, P = system.inputs.ends[0], system.parameters(0)
    h = 1e-7 * np.maximum(np.abs(X), 1e-3)
    points = X[:, None] + np.hstack([np.zeros((len(X), 1)), np.diag(h)])
    rates = np.array(system.equations.rates(t, points, P))
    eigenvalues = np.linalg.eigvals((rates[:, 1:] - rates[:, :1]) / h)
    decay = np.max(-eigenvalues.real)
    if system.dae.tree.loops.closures and decay < 1.1 * STABILISATION:
        return False  # that is what keeps loops closed, and not stiff
    return bool(decay > 1.1 * np.max(np.maximum(np.abs(eigenvalues.imag), eigenvalues.real)))
