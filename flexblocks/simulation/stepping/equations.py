"""The functions that steps are made of: rates, updates at ticks, changes of chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.charts import chart_functions
from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.stepping.semi_implicit import semi_implicit_slope

# Newton's method for algebraic variables, in the one form that CasADi writes as C.
NEWTON = {"abstol": 1e-12, "abstolStep": 1e-9}


@dataclass(frozen=True, eq=False)
class StepFunctions:
    """Functions of (x, z, u, p), where z is the start of Newton's method for the algebraic variables.

    Attributes
    ----------
    slope : casadi.Function or None
        The rates der(X) of X = [x, work]; of the semi-implicit method, of (x, z, u, p, h), those of the whole step.
        Implicit methods have none.
    changes : tuple of casadi.Function
        What each clock adds to x at its ticks.
    chart : casadi.Function or None
        What is added to x where coordinates of an attitude change; None if there are none.
    """

    slope: ca.Function | None
    changes: tuple[ca.Function, ...]
    chart: ca.Function | None

    @property
    def all(self) -> tuple[ca.Function, ...]:
        """All of them, with names that differ."""
        return tuple(each for each in (self.slope, *self.changes, self.chart) if each is not None)


def step_functions(dae: DAE, method: FixedStep) -> StepFunctions:
    """Return the functions of an arm's steps, interpreted.

    Raises
    ------
    ParameterError
        The method cannot take steps of this arm.
    """
    dae = dae.interpreted
    slope = None
    if method.spectral_radius is None:
        slope = dae.motion if method.stages else semi_implicit_slope(dae)
        slope = _solved(dae, "slope", slope) if len(dae.z) else slope
    changes = [_solved(dae, f"tick{i}", clock.change) for i, clock in enumerate(dae.clocks)]
    return StepFunctions(slope, tuple(changes), _chart(dae))


def _solved(dae: DAE, name: str, function: ca.Function) -> ca.Function:
    """Return a function of (x, z, u, p) with the algebraic variables solved for, from z."""
    new: Any = ca.MX if len(dae.z) else ca.SX
    symbols = [new.sym(label, function.size1_in(i)) for i, label in enumerate(function.name_in())]
    x, z, u, p, *more = symbols
    if len(dae.z):
        residual = ca.Function("residual", [z, x, u, p], [dae.motion(x, z, u, p)[1]])
        z = ca.rootfinder("consistent", "fast_newton", residual, NEWTON)(z, x, u, p)
    return ca.Function(name, symbols, [ca.densify(_first(function(x, z, u, p, *more)))])


def _first(results: Any) -> Any:
    return results[0] if isinstance(results, Sequence) else results


def _chart(dae: DAE) -> ca.Function | None:
    """Return what is added to the state where charts change: each block's, one after the other."""
    if not dae.tree.charted or not (functions := chart_functions(dae.tree)):
        return None
    n = dae.tree.size
    motion = dae.motion
    symbols = [ca.SX.sym(label, motion.size1_in(i)) for i, label in enumerate(motion.name_in())]
    now = symbols[0]
    for function in functions:
        distance, _, q, v = function(now[:n], now[n : 2 * n], symbols[3])
        now = ca.if_else(distance < 0, ca.vertcat(q, v, now[2 * n :]), now)
    return ca.Function("chart", symbols, [ca.densify(now - symbols[0])])
