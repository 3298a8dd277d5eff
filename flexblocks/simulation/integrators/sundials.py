"""SUNDIALS: multistep methods of variable order and step, Adams and BDF (cvodes) and BDF for DAEs (idas).

Arms hardly damp their highest modes, and Adams' methods are more accurate there than BDF, which needs small steps or
damps them: for a second of the two-link arm (modes up to 2500 rad/s) at tolerance 1e-8, Adams with Newton's iteration
took 3400 steps at an error of 1e-9, BDF 4700 for the same; at 1e-10 it is 6400 against 10600. Functional iteration
takes 1.7 times the steps of Newton's.
"""

from __future__ import annotations

from typing import Any

from flexblocks.simulation.integrators.casadi_stepper import CasadiStepper
from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.integrator import Integrator, Options, ProblemKind


def _sundials(equations: DrivenEquations, plugin: str, options: Options, **more: Any) -> CasadiStepper:
    tolerances = {"reltol": options.rtol, "abstol": options.atol}
    quiet = {"disable_internal_warnings": True, "show_eval_warnings": False}
    return CasadiStepper(equations, plugin, {**tolerances, **quiet, **more})


def _cvodes(equations: DrivenEquations, family: str, options: Options) -> CasadiStepper:
    # A step that falls to rounding of the time is a failure at once; not after thousands of them.
    return _sundials(equations, "cvodes", options, linear_multistep_method=family, min_step_size=1e-13)


ADAMS = Integrator("adams", lambda equations, options: _cvodes(equations, "adams", options), suits=ProblemKind.NONSTIFF)
BDF = Integrator("bdf", lambda equations, options: _cvodes(equations, "bdf", options), suits=ProblemKind.STIFF)
IDAS = Integrator("idas", lambda equations, options: _sundials(equations, "idas", options), suits=ProblemKind.ALGEBRAIC)
