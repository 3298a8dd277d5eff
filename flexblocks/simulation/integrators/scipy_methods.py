"""SciPy integrators, slow and independent of SUNDIALS: the explicit Runge-Kutta method of order 8."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.explicit_steps import rk8
from flexblocks.libraries import scipy
from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.integrator import Integrator, ProblemKind
from flexblocks.simulation.integrators.stepper import StepFailure, Stepper, finite

STEP_TIME = 2e-4  # of a step in Python [s], as measured
GIVE_UP = 3000  # steps of one `advance`, that is meant to take half as many at most: 0.6 s


class ScipyStepper(Stepper):
    """Stepper by a method of `scipy.integrate.solve_ivp`.

    Parameters
    ----------
    equations : DrivenEquations
    method : str
        Name of the method in SciPy.
    evaluations : int
        Number of evaluations of the equations in a step.
    """

    step_time = STEP_TIME

    def __init__(self, equations: DrivenEquations, method: str, evaluations: int) -> None:
        self.equations, self.method, self.evaluations = equations, method, evaluations
        self.gap = rk8().gap  # DOP853 is this pair

    def advance(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        del z
        # Through buffers: SciPy evaluates one point at a time, and converting it costs more than evaluating it.
        buffer, evaluate = self.equations.rates.buffer()
        time, state, rate = np.zeros(1), np.zeros(len(X)), np.zeros(len(X))
        for i, argument in enumerate((time, state, np.ascontiguousarray(P))):
            buffer.set_arg(i, argument.data)  # pyright: ignore
        buffer.set_res(0, rate.data)  # pyright: ignore

        evaluated, most = 0, min(self.most_steps, GIVE_UP)

        def derivative(t: float, X: np.ndarray) -> np.ndarray:
            # SciPy takes any number of steps; the run could not be interrupted.
            nonlocal evaluated
            evaluated += 1
            if evaluated > most * self.evaluations:
                self.steps = most
                raise StepFailure("it takes more and more steps")
            time[0], state[:] = t, scale.origin + X
            evaluate()
            return rate.copy()

        scale, span = self.scale, (times[0], times[-1])
        settings = {"rtol": scale.rtol, "atol": scale.atol * scale.size, "max_step": self.longest}
        with np.errstate(all="ignore"):  # a solution that overflows is reported as a failure
            try:
                run = scipy.integrate.solve_ivp(
                    derivative, span, X - scale.origin, method=self.method, t_eval=times[1:], **settings
                )
            except RuntimeError as error:  # Newton's method for the algebraic variables
                raise StepFailure.of(error) from None
        self.steps = run.nfev // self.evaluations
        if not run.success:
            raise StepFailure(run.message.rstrip(".").lower())
        return finite(scale.origin + run.y.T), None


# Dormand and Prince's method of 12 stages, with the error estimates of Hairer, Norsett and Wanner.
DOP853 = Integrator("dop853", lambda equations, _: ScipyStepper(equations, "DOP853", 12), suits=ProblemKind.LARGE)
