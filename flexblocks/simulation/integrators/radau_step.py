"""One step of a Radau IIA method: Newton's iteration on the stages, and the estimate of the local error.

The Jacobian of the accelerations is exact, and kept as long as it serves. With it, each pair of eigenvalues of the
method takes one linear system of the size of the coordinates.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from flexblocks.simulation.integrators.buffered_call import BufferedCall
from flexblocks.simulation.integrators.driven_equations import BUILDING, DrivenEquations
from flexblocks.simulation.integrators.efforts import Effort
from flexblocks.simulation.integrators.input_values import InputValues
from flexblocks.simulation.integrators.integrator import Options
from flexblocks.simulation.integrators.radau_coefficients import radau
from flexblocks.simulation.integrators.stage_equations import stage_inverses
from flexblocks.simulation.integrators.stepper import ErrorScale

# Stages by the relative tolerance from which on fewer are enough.
STAGES = ((1e-4, 5), (1e-7, 7), (0.0, 11))
# The estimate is of order s, the step of order 2 s - 1. As in Hairer & Wanner's code RADAU (J. Comput. Appl. Math. 111,
# 1999) it is held to 0.1 rtol^((s + 1) / 2 s); a tenth of that makes errors at most those of rk8 there.
LOOSENED = 0.01
# Newton's iteration ends when what is left is this share of the tolerance; and is given up after so many iterations.
CONVERGED, ITERATIONS = 0.03, 10
# Share of the correction before that is left by a Jacobian worth keeping.
SLOW = 0.1
# Degree to which slopes are extrapolated: further ones are those of modes that Newton's iteration solves for at once.
DEGREE = 3


class RadauStep:
    """The step that is taken, and what the next one has from it: slopes, Jacobian and factors.

    Attributes
    ----------
    effort : Effort
        What all steps have taken.
    scale : ErrorScale
        What errors are measured by.
    length : float
        Of the last step [s]; 0 before the first.
    stages : int
    """

    scale: ErrorScale

    def __init__(self, equations: DrivenEquations, options: Options) -> None:
        self._equations = equations
        self.stages = next(stages for least, stages in STAGES if options.rtol >= least)
        self._method = radau(self.stages)
        self._inputs = InputValues(equations)
        self._loose = LOOSENED * options.rtol ** ((self.stages + 1) / (2 * self.stages))
        self.effort = Effort(equations, self.stages)
        self.forget()

    def forget(self) -> None:
        """Begin anew, with nothing from the last step but its length."""
        self._slopes: np.ndarray | None = None
        self._jacobian: np.ndarray | None = None
        self._factored, self._best, self.length = 0.0, ITERATIONS, 0.0

    @property
    def gap(self) -> float:
        """The largest distance between two stages, as a share of the step."""
        return float(np.max(np.diff(self._method.c, prepend=0.0)))

    @property
    def slope(self) -> np.ndarray:
        """der(X) (N,) at the end of the step."""
        assert self._slopes is not None
        return self._slopes[-1]

    @np.errstate(over="ignore", invalid="ignore")  # of a step that is refused
    def take(
        self, t: float, X: np.ndarray, P: np.ndarray, slope: np.ndarray, h: float
    ) -> tuple[np.ndarray | None, float]:
        """Return the state after a step of `h` [s], and the estimate of its error relative to what is allowed.

        None, and infinity or the error, where the step is refused: with infinity it helps to try it again with a new
        Jacobian, or a shorter one if `has_new_jacobian`.
        """
        method = self._method
        u = self._inputs.at(t + h * method.c, P[len(self._equations.dae.p) :])
        known = self._slopes
        predicted = slope[None] if known is None else method.extrapolated(h / self.length, DEGREE) @ known
        change = h * method.A @ np.broadcast_to(predicted, (method.stages, len(X)))
        self.has_new_jacobian = self._jacobian is None
        if self._jacobian is None:
            middle = method.stages // 2
            self._jacobian = self._jacobian_at(X + change[middle], u[middle], P)
            self._factored = 0.0
        if self._factored != h:
            try:
                self._inverses = stage_inverses(self._jacobian, self._equations.dae.tree.size, method.poles / h)
            except np.linalg.LinAlgError:  # far off, where nothing is finite, or by chance
                self._jacobian = None
                return None, np.inf
            self._factored = h
            self.effort.add_factors()
        iterations, rate = self._iterate(X, u, P, h, change)
        if not iterations:
            self._jacobian = None
            return None, np.inf
        slopes = method.inverse @ change / h
        new = X + change[-1]
        error = self._error(X, new, slope, slopes)
        if not np.isfinite(error):
            self._jacobian = None
            return None, np.inf
        if error > 1.0:
            return None, error
        self._slopes, self.length = slopes, h
        self._best = iterations if self.has_new_jacobian else min(self._best, iterations)
        if rate > SLOW or iterations > self._best + 1:
            self._jacobian = None
        return new, error

    def _iterate(self, X: np.ndarray, u: np.ndarray, P: np.ndarray, h: float, change: np.ndarray) -> tuple[int, float]:
        """Solve for the changes of the stages (s, N) in place; return how many iterations it took, 0 where in vain.

        And the rate at which they converged.
        """
        method, evaluate = self._method, self._stages
        x, _, inputs, p = evaluate.arguments
        inputs[:], p[:] = u, P[: len(self._equations.dae.p)]
        inverse = method.inverse / h
        before, rate = 0.0, 0.0
        for i in range(1, ITERATIONS + 1):
            np.add(X[:-1], change[:, :-1], out=x)
            evaluate()
            left = method.into @ (evaluate.results[0] - inverse @ change)
            correction = (method.out_of @ (self._inverses @ left[:, :, None])[:, :, 0]).real
            change += correction
            self.effort.add_iteration()
            size = norm(correction / self.scale.of(X, X + change[-1]))
            if not np.isfinite(size):
                return 0, 1.0
            if i == 1:
                done = size < 1e-3 * CONVERGED
            else:
                rate = max(size / before, 1e-10)
                if rate >= 1.0:
                    return 0, rate
                done = rate / (1 - rate) * size < CONVERGED
            if done:
                return i, rate
            before = size
        return 0, rate

    def _error(self, X: np.ndarray, new: np.ndarray, slope: np.ndarray, slopes: np.ndarray) -> float:
        """Return the estimate of the local error: how far off the slopes' polynomial is at the start, damped."""
        off = self._inverses[0].real @ (slope - self._method.start @ slopes)
        scale = self.scale.of(X, new) / self.scale.rtol
        return norm(off / scale) / self._loose

    def _jacobian_at(self, X: np.ndarray, u: np.ndarray, P: np.ndarray) -> np.ndarray:
        call = self._linearization
        x, _, inputs, p = call.arguments
        x[0], inputs[0], p[0] = X[:-1], u, P[: len(self._equations.dae.p)]
        call()
        self.effort.add_jacobian()
        return call.results[0].T

    @cached_property
    def _stages(self) -> BufferedCall:
        """The equations at all stages at once."""
        with BUILDING:
            return BufferedCall(self._equations.dae.motion.map("stages", "serial", self.stages, [3], []))

    @cached_property
    def _linearization(self) -> BufferedCall:
        with BUILDING:
            return BufferedCall(self._equations.dae.interpreted.motion_jacobian)


def norm(values: np.ndarray) -> float:
    """Return the root mean square."""
    values = values.ravel()
    return float(np.sqrt(values @ values / values.size))
