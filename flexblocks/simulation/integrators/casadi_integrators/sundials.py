"""SUNDIALS: multistep methods of variable order and step, Adams and BDF (cvodes) and BDF for DAEs (idas).

The highest modes of arms are lightly damped; Adams' methods are more accurate there than BDF, which needs small steps
or damps them: on the two-link arm BDF takes about half as many steps again as Adams with Newton's iteration. Functional
iteration takes 1.7 times as many steps as Newton's.
"""

from __future__ import annotations

from typing import Any

from flexblocks.simulation.integrators.casadi_integrators.casadi_stepper import CasadiStepper
from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.integrator import Integrator, Options, ProblemKind


def _sundials(equations: DrivenEquations, plugin: str, options: Options, **more: Any) -> CasadiStepper:
    tolerances = {"reltol": options.rtol, "abstol": options.atol}
    quiet = {"disable_internal_warnings": True, "show_eval_warnings": False}
    return CasadiStepper(equations, plugin, {**tolerances, **quiet, **more})


def _cvodes(equations: DrivenEquations, family: str, options: Options) -> CasadiStepper:
    # A step as small as the rounding of the time is a failure at once, not after thousands of such steps.
    return _sundials(equations, "cvodes", options, linear_multistep_method=family, min_step_size=1e-13)


def bdf(equations: DrivenEquations, options: Options) -> CasadiStepper:
    """Return a stepper by CVODES's BDF methods."""
    return _cvodes(equations, "bdf", options)


ADAMS = Integrator(
    "adams",
    lambda equations, options: _cvodes(equations, "adams", options),
    suits=ProblemKind.NONSTIFF,
    differentiates=True,
)
BDF = Integrator("bdf", bdf, suits=ProblemKind.STIFF, differentiates=True)
IDAS = Integrator(
    "idas",
    lambda equations, options: _sundials(equations, "idas", options),
    suits=ProblemKind.ALGEBRAIC,
    differentiates=True,
)
