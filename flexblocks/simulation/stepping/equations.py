"""The functions that steps are made of: rates, updates at ticks, changes of chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.charts import chart_functions

# Newton's method for algebraic variables, in the one form that CasADi writes as C.
NEWTON = {"abstol": 1e-12, "abstolStep": 1e-9}


@dataclass(frozen=True, eq=False)
class StepFunctions:
    """Functions of (x, z, u, p), where z is the start of Newton's method for the algebraic variables.

    Attributes
    ----------
    slope : casadi.Function
        The rates der(X) of X = [x, work].
    changes : tuple of casadi.Function
        What each clock adds to x at its ticks.
    chart : casadi.Function or None
        What is added to x where coordinates of an attitude change; None if there are none.
    """

    slope: ca.Function
    changes: tuple[ca.Function, ...]
    chart: ca.Function | None

    @property
    def all(self) -> tuple[ca.Function, ...]:
        """All of them, with names that differ."""
        return self.slope, *self.changes, *(() if self.chart is None else (self.chart,))


def step_functions(dae: DAE) -> StepFunctions:
    """Return the functions of an arm's steps, interpreted."""
    dae = dae.interpreted
    slope = dae.motion if not len(dae.z) else _solved(dae, "slope", dae.motion)
    changes = [_solved(dae, f"tick{i}", clock.change) for i, clock in enumerate(dae.clocks)]
    return StepFunctions(slope, tuple(changes), _chart(dae))


def _solved(dae: DAE, name: str, function: ca.Function) -> ca.Function:
    """Return a function of (x, z, u, p) with the algebraic variables solved for, from z."""
    motion = dae.motion
    new: Any = ca.MX if len(dae.z) else ca.SX
    symbols = [new.sym(label, motion.size1_in(i)) for i, label in enumerate(motion.name_in())]
    x, z, u, p = symbols
    if len(dae.z):
        residual = ca.Function("residual", [z, x, u, p], [motion(*symbols)[1]])
        z = ca.rootfinder("consistent", "fast_newton", residual, NEWTON)(z, x, u, p)
    return ca.Function(name, symbols, [ca.densify(_first(function(x, z, u, p)))])


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
