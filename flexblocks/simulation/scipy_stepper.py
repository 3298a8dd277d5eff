"""SciPy's explicit Runge-Kutta method of order 8: slow, and independent of SUNDIALS."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from flexblocks.simulation.driven_equations import Equations
from flexblocks.simulation.stepper import StepFailure, Stepper, finite

EVALUATIONS = 12  # a step


class Dop853Stepper(Stepper):
    """The method of Dormand and Prince with the error estimates of Hairer, Norsett and Wanner.

    Parameters
    ----------
    equations : Equations
    rtol, atol : float
        Tolerances on the states.
    """

    def __init__(self, equations: Equations, rtol: float, atol: float) -> None:
        self.equations, self.rtol, self.atol = equations, rtol, atol

    def advance(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        del z
        # Through buffers: scipy asks for one point at a time, and converting it costs more than evaluating it.
        buffer, evaluate = self.equations.rates.buffer()
        time, state, rate = np.zeros(1), np.zeros(len(X)), np.zeros(len(X))
        for i, argument in enumerate((time, state, np.ascontiguousarray(P))):
            buffer.set_arg(i, argument.data)  # pyright: ignore
        buffer.set_res(0, rate.data)  # pyright: ignore

        def derivative(t: float, X: np.ndarray) -> np.ndarray:
            time[0], state[:] = t, X
            evaluate()
            return rate.copy()

        span = (times[0], times[-1])
        with np.errstate(all="ignore"):  # a solution that overflows is reported as a failure
            try:
                run = solve_ivp(derivative, span, X, method="DOP853", t_eval=times[1:], rtol=self.rtol, atol=self.atol)
            except RuntimeError as error:  # Newton's method for the algebraic variables
                raise StepFailure(str(error).strip().splitlines()[-1]) from None
        self.steps = run.nfev // EVALUATIONS
        if not run.success:
            raise StepFailure(run.message.rstrip(".").lower())
        return finite(run.y.T), None
