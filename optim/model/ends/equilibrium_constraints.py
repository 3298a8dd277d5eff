"""Equilibrium constraints: static equilibrium that depends on variables of the problem."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
import pyomo.environ as pyo

from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import rest_residuals

from ...casadi_solver import CasadiGreyBox, attach
from ...collocation.interval import with_design
from ...presolve.boundary import End
from ...presolve.equilibrium import loop_forces
from ...presolve.floating_base import floating_base
from ...presolve.phase_transcription import PhaseTranscription
from ...presolve.postures.values_at_rest import at_rest
from .equal_but_for_modes import equal_but_for


def add_balance(b: Any, t: PhaseTranscription, where: str, k: int, end: End) -> None:
    """Add the equilibrium constraints ``b.start_balance`` or ``b.goal_balance`` at mesh point `k`.

    The holding inputs, within their limits, are ``b.start_inputs[name]``; algebraic variables at rest are
    ``b.start_algebraics[name]``.
    """
    limits = dict(zip(t.dae.u.names, t.limits.u.tolist(), strict=True))
    start = dict(zip(t.dae.u.names, end.point.u.tolist(), strict=True))
    doc = "inputs that hold the arm"
    inputs: Any = pyo.Var(b.inputs, bounds=lambda _, name: limits[name], initialize=start, doc=doc)
    at_rest = dict(zip(t.dae.z.names, end.point.z.tolist(), strict=True))
    algebraics = pyo.Var(b.algebraics, initialize=at_rest, doc="algebraic variables at rest")
    b.add_component(f"{where}_inputs", inputs)
    for name in t.dae.u.with_role("disturbance"):
        inputs[name].fix(start[name])
    b.add_component(f"{where}_algebraics", algebraics)
    states = [*_resting(b, t, where, k), *(b.w[k, name] for name in b.first_order)]
    loops = t.dae.tree.loops.multipliers
    at_loops = dict(zip(loops, loop_forces(t.dae, end.point).tolist(), strict=True))
    forces = pyo.Var(b.closures, initialize=at_loops, doc="loop-closure forces at rest")
    b.add_component(f"{where}_forces", forces)
    held = [*algebraics.values(), *forces.values(), *inputs.values()]
    variables = [*states, *held, *(b.p[name] for name in t.design_names)]
    n = t.dae.tree.size
    equations = [f"balance of {name}" for name in t.dae.q_names]
    equations += [f"rate of {name}" for name in t.dae.x.names[2 * n :]]
    equations += [f"equation {i + 1}" for i in range(len(t.dae.z))]
    # At later points loops are closed already, up to the discretisation error; closing them again would be redundant
    closes = k == 0
    equations += [f"closure against {name}" for name in loops if closes]
    equations += list(end.prescribed_outputs)
    name = f"{where}_balance"
    index = [list(range(len(variables)))]
    floating = floating_base(t.dae, end.point)
    function, kept = balance_function(t.dae, t.designed, tuple(end.prescribed_outputs), closes, floating)
    equations = [equations[i] for i in kept]
    constants = np.append(end.point.p, list(end.prescribed_outputs.values()))
    attach(b, name, CasadiGreyBox(function, index, constants, name=name, residual_names=equations), variables)


def _resting(b: Any, t: PhaseTranscription, where: str, k: int) -> list:
    """Return the Vars of the coordinates at rest: those of mesh point `k`.

    At a goal with quasi-static modes they are separate variables, ``b.goal_rest[name]``.
    """
    if where == "goal" and t.static.names:
        return list(b.goal_rest.values())
    return [b.q[k, name] for name in b.coordinates]


@lru_cache(maxsize=8)
def balance_function(
    dae: DAE,
    designed: tuple[int, ...] = (),
    outputs: tuple[str, ...] = (),
    closes: bool = True,
    floating: tuple[int, ...] = (),
) -> tuple[ca.Function, tuple[int, ...]]:
    """Return the equilibrium residuals (w, p) -> unbalanced forces, and errors of the prescribed `outputs`.

    What nothing holds has no balance: such a row is left out, and so are those of the `floating` base, for which the
    forces within the arm add up to zero. Which are kept is returned, too. Empty equations, and those that follow from
    others, make the solver's systems singular.

    w = [q, first-order states, z, loop-closure forces, u, design parameters]; p are the parameters and the prescribed
    values of the outputs. Loop closures are included only if it `closes` loops.
    """
    balance, count = rest_residuals(dae), len(dae.x) - dae.tree.size + len(dae.z)
    s, p, design = ca.SX.sym("s", balance.numel_in(0)), ca.SX.sym("p", len(dae.p)), ca.SX.sym("design", len(designed))
    wanted, parameters = ca.SX.sym("wanted", len(outputs)), with_design(p, designed, design)
    residual = balance.call([s, parameters], True, False)[0]
    if not closes:
        residual = residual[:count]
    if outputs:
        residual = ca.vertcat(residual, at_rest(dae, outputs).call([s, parameters], True, False)[0] - wanted)
    kept = tuple(i for i in range(residual.numel()) if i not in floating and not residual[i].is_zero())
    symbols = [ca.vertcat(s, design), ca.vertcat(p, wanted)]
    return ca.Function("balance", symbols, [ca.cse(ca.densify(residual[list(kept)]))], ["w", "p"], ["residual"]), kept


ARRIVALS = {"q": "goal_posture", "v": "goal_rates"}


def add_arrival(
    b: Any, t: PhaseTranscription, k: int, goal: Sequence[Any], vector: str, leaving_out: Collection[int] = ()
) -> None:
    """Add the arrival constraints ``b.goal_posture`` or ``b.goal_rates``: those of `goal`, up to quasi-static modes.

    Prescribing those modes too would be redundant if the inputs end at holding values: their force balance then brings
    them to rest.

    Parameters
    ----------
    goal : sequence of n numbers or Vars
    vector : "q" or "v"
        Whether these are coordinates or their rates.
    leaving_out : collection of int
        Coordinates of a floating base, which end where momentum takes them.
    """
    names, reached = t.dae.q_names, getattr(b, vector)
    reached = [reached[k, name] for name in names]
    b.add_component(ARRIVALS[vector], equal_but_for(t.static, names, reached, goal, leaving_out))
