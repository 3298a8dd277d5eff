"""Boundary conditions of a phase: at rest, passing, or joined to the phase before."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pyomo.environ as pyo

from ..casadi_solver import CasadiGreyBox, attach
from ..collocation.interval_layout import state_names
from ..collocation.residual_energy import residual_energy
from ..presolve.boundary import End
from ..presolve.equilibrium import independent_states
from ..presolve.phase_transcription import Transcription
from .equilibrium_constraints import add_arrival, add_balance

SAME = 1e-9  # how near a state has to be to where it is meant, as a share of that or of one


def add_boundary_conditions(b: Any, t: Transcription) -> None:
    """Fix or constrain the states at both ends, and the inputs there if they begin or end at holding values."""
    for where, k, end, holds in (
        ("start", 0, t.begin, t.holds_start),
        ("goal", t.mesh.intervals, t.end, t.holds_goal),
    ):
        if end.kind == "fixed":
            set_states(b, t, k, end)
        elif end.kind != "joined":
            if where == "goal" and end.kind == "rest" and t.static.names:
                start = dict(zip(b.coordinates, end.point.x.tolist(), strict=False))
                b.goal_rest = pyo.Var(b.coordinates, initialize=start, doc="coordinates at rest")
                add_arrival(b, t, k, list(b.goal_rest.values()))
            _hold_given(b, t, k, end)
        if end.kind == "rest":
            add_balance(b, t, where, k, end)
        if end.kind == "near":
            _add_leeway(b, t, k, end)
        if holds and not t.borrows_inputs:
            hold_inputs(b, where, k, end)


def state_variables(b: Any, t: Transcription, k: int) -> list:
    """Return the Vars of the states at a mesh point, in the order of the states."""
    return [getattr(b, part)[k, name] for part, names in state_names(t.dae).items() for name in names]


def set_states(b: Any, t: Transcription, k: int, end: End, free: bool = False) -> None:
    """Fix the states at a mesh point to those of a known end, or set free what was fixed so."""
    states, n = state_variables(b, t, k), t.dae.tree.size
    settable = _settable(t, k, end)
    if k and t.static.names:
        add_arrival(b, t, k, end.point.x[:n].tolist())
        settable = [i for i in settable if i >= n]
    for i in settable:
        if free:
            states[i].unfix()
        else:
            states[i].fix(float(end.point.x[i]))


def _settable(t: Transcription, k: int, end: End) -> list[int]:
    """Return the states that can be given at a mesh point.

    At the start all can. Later only the independent ones, where loops are closed, states follow from coordinates or
    modes are carried quasi-statically: the others come out right but for the error of the mesh, and nothing could bring
    them where they are not.
    """
    if k == 0:
        return list(range(len(t.dae.x)))
    n = t.dae.tree.size
    states = independent_states(t.dae, end.point)
    if not t.static.names:
        return states
    follow = set(range(n)) - set(t.static.independent(n))
    return [i for i in states if i >= 2 * n or i % n not in follow]


def _hold_given(b: Any, t: Transcription, k: int, end: End) -> None:
    """Fix the states that are given; all rates at rest, and all first-order states near it."""
    n = t.dae.tree.size
    held = dict(end.given)
    if end.kind == "rest":
        held |= {t.dae.x.names[i]: 0.0 for i in _settable(t, k, end) if n <= i < 2 * n}
    if end.kind == "near":
        held |= {name: end.point[name] for name in b.first_order}
    states = state_variables(b, t, k)
    if b.component("goal_rest") is not None:
        states[:n] = b.goal_rest.values()
    for name, value in held.items():
        states[t.dae.x.index(name)].fix(value)


def hold_inputs(b: Any, where: str, k: int, end: End) -> None:
    """Fix the inputs at a mesh point to what holds the arm at an end, or equate them where that is found."""
    if end.kind in ("fixed", "near"):
        for name, value in zip(b.inputs, end.point.u.tolist(), strict=True):
            b.u[k, name].fix(value)
    else:
        holding = getattr(b, f"{where}_inputs")
        rule = pyo.Constraint(b.inputs, rule=lambda b, name: b.u[k, name] == holding[name])
        b.add_component(f"{where}_holding", rule)


def _add_leeway(b: Any, t: Transcription, k: int, end: End) -> None:
    """Add ``b.goal_energy``, the energy left at the goal, as a Var with the leeway as its bound."""
    b.goal_energy = pyo.Var(bounds=(None, t.phase.leeway), initialize=0.0, doc="energy left at the goal [J]")
    nx = len(t.dae.x)
    w, point = ca.SX.sym("w", nx + 1), end.point
    given = [ca.SX(ca.DM(value)) for value in (point.x, point.z, point.u, point.p)]
    (energy,) = residual_energy(t.dae).call([w[:nx], *given], True, False)
    function = ca.Function("goal_energy", [w], [energy - w[nx]], ["w"], ["residual"])
    variables = [*state_variables(b, t, k), b.goal_energy]
    box = CasadiGreyBox(function, [list(range(nx + 1))], name="goal_energy_value", residual_names=["energy left"])
    attach(b, "goal_energy_value", box, variables)


def moved_ends(b: Any, t: Transcription) -> list[str]:
    """Return the states that are fixed elsewhere than the known ends of a trajectory have them, in words."""
    found = []
    for where, k, end in (("start", 0, t.begin), ("goal", t.mesh.intervals, t.end)):
        if end.kind != "fixed" or (k and t.static.names):
            continue
        states = state_variables(b, t, k)
        for i in _settable(t, k, end):
            name, meant = t.dae.x.names[i], float(end.point.x[i])
            if states[i].fixed and abs(states[i].value - meant) > SAME * max(1.0, abs(meant)):
                found.append(f"{name} is {states[i].value:.6g} and not {meant:.6g} at the {where}")
    return found


def values_at(b: Any, t: Transcription, k: int) -> np.ndarray:
    """Return the values of the states (nx,) at a mesh point."""
    return np.array([variable.value for variable in state_variables(b, t, k)], dtype=float)
