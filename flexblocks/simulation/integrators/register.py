"""Register of integrators: a new one is a file that defines it, and an entry here."""

from __future__ import annotations

from flexblocks.simulation.integrators.casadi_integrators.sundials import ADAMS, BDF, IDAS
from flexblocks.simulation.integrators.explicit_runge_kutta import RK8, RK43
from flexblocks.simulation.integrators.integrator import Integrator
from flexblocks.simulation.integrators.radau import RADAU
from flexblocks.simulation.integrators.runge_kutta import RK4
from flexblocks.simulation.integrators.scipy_methods import DOP853
from flexblocks.simulation.integrators.switching import RK8_RADAU, RK43_RADAU

INTEGRATORS: tuple[Integrator, ...] = (RK8, RK43, RADAU, RK8_RADAU, RK43_RADAU, ADAMS, BDF, IDAS, RK4, DOP853)
