"""Semi-implicit Euler method with a fixed step; its equations are in `flexblocks.simulation.stepping.semi_implicit`."""

from __future__ import annotations

import numpy as np

from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.integrators.integrator import Integrator

SEMI_IMPLICIT = Integrator(
    "semi-implicit",
    fixed=lambda: FixedStep(np.zeros((0, 0)), np.zeros(0), np.zeros(1)),
    advice="Take a smaller step: it is of order 1. Or method 'rk4' or 'auto'.",
)
