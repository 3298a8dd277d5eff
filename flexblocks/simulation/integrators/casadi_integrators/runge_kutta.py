"""Classical Runge-Kutta method of order 4, with a fixed step."""

from __future__ import annotations

from flexblocks.simulation.integrators.casadi_integrators.casadi_stepper import CasadiStepper
from flexblocks.simulation.integrators.integrator import Integrator

RK4 = Integrator(
    "rk4",
    lambda equations, options: CasadiStepper(equations, "rk", {}, step=options.fixed_step),
    fixed_step=True,
    # Its stability limit on the imaginary axis, where lightly damped modes lie, is 2.83.
    advice="Take a smaller step (step * highest frequency [rad/s] < 2.8), or method 'auto'.",
)
