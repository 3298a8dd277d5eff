"""Explicit Runge-Kutta methods with error control, for arms whose fastest modes are hardly damped.

See `flexblocks.dae.explicit_steps`; the method of order 4 is for loose tolerances, where both are limited by stability.
"""

from __future__ import annotations

from flexblocks.dae.explicit_steps import Pair, rk8, rk43
from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.explicit_stepper import ExplicitStepper
from flexblocks.simulation.integrators.integrator import Integrator, Options, ProblemKind
from flexblocks.simulation.integrators.sundials import BDF


def _stepper(equations: DrivenEquations, options: Options, pair: Pair) -> ExplicitStepper:
    return ExplicitStepper(equations, pair, options, lambda: BDF.stepper(equations, options))


RK43 = Integrator(
    "rk43", lambda equations, options: _stepper(equations, options, rk43()), suits=ProblemKind.ROUGHLY_OSCILLATING
)
RK8 = Integrator("rk8", lambda equations, options: _stepper(equations, options, rk8()), suits=ProblemKind.OSCILLATING)
