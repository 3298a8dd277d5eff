"""Classical Runge-Kutta method of order 4, with a fixed step."""

from __future__ import annotations

from flexblocks.dae.explicit_steps import rk43
from flexblocks.simulation.integrators.fixed_step import of_pair
from flexblocks.simulation.integrators.integrator import Integrator

RK4 = Integrator(
    "rk4",
    fixed=lambda: of_pair(rk43()),
    # Its stability limit on the imaginary axis, where lightly damped modes lie, is 2.83.
    advice="Take a smaller step (step * highest frequency [rad/s] < 2.8), or method 'auto'.",
)
