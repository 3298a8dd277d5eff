"""Boundary conditions of a phase: equilibrium, prescribed motion, or continuity with the previous phase."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import casadi as ca
import numpy as np
import pyomo.environ as pyo

from ...casadi_solver import CasadiGreyBox, attach
from ...collocation.interval_layout import state_names
from ...collocation.residual_energy import residual_energy
from ...presolve.boundary import End
from ...presolve.equilibrium import independent_states
from ...presolve.first_order_states import reference_states
from ...presolve.phase_transcription import PhaseTranscription
from ...tolerances import ROUNDING
from .equilibrium_constraints import add_arrival, add_balance
from .meeting import add_meeting


def add_boundary_conditions(b: Any, t: PhaseTranscription, lender: Any = None) -> None:
    """Add the boundary conditions at both ends: states, and inputs that begin or end at holding values.

    References begin as those of the `lender` of the inputs, the block of another scenario.
    """
    accelerations = [each.acceleration[0] for each in t.dae.tree.prescribed if each.name in t.problem.prescribed]
    known = [*accelerations, *t.dae.u.with_role("disturbance")]
    for where, k, end, holds in (
        ("start", 0, t.begin, t.holds_start),
        ("goal", t.mesh.intervals, t.end, t.holds_goal),
    ):
        if end.kind == "fixed":
            set_states(b, t, k, end)
        elif end.kind != "joined":
            if where == "goal" and end.kind in ("rest", "course") and t.static.names:
                _add_balanced_motion(b, t, k, end)
            _fix_prescribed(b, t, k, end)
        if end.kind == "rest":
            add_balance(b, t, where, k, end)
        if end.kind == "course":
            add_meeting(b, t, k, end)
        if end.kind == "near":
            _add_leeway(b, t, k, end)
        if holds and not t.borrows_inputs:
            hold_inputs(b, where, k, end, known)
    if lender is not None and t.begin.kind != "joined":
        _share_references(b, t, lender)


def _share_references(b: Any, t: PhaseTranscription, lender: Any) -> None:
    names = [t.dae.x.names[i] for i in reference_states(t.dae)]
    if names:
        b.shared_references = pyo.Constraint(names, rule=lambda b, name: b.w[0, name] == lender.w[0, name])


def _add_balanced_motion(b: Any, t: PhaseTranscription, k: int, end: End) -> None:
    """Add the goal's coordinates, and at an end in motion their rates, that the arm has up to quasi-static modes."""
    n = t.dae.tree.size
    for name, vector, values in (("rest", "q", end.point.x[:n]), ("rest_rates", "v", end.point.x[n : 2 * n])):
        if vector == "v" and not end.moving:
            continue
        start = dict(zip(b.coordinates, values.tolist(), strict=True))
        b.add_component(f"goal_{name}", pyo.Var(b.coordinates, initialize=start, doc="of the balance at the goal"))
        add_arrival(b, t, k, list(getattr(b, f"goal_{name}").values()), vector)


def state_variables(b: Any, t: PhaseTranscription, k: int) -> list:
    """Return the Vars of the states at a mesh point, in the order of the states."""
    return [getattr(b, part)[k, name] for part, names in state_names(t.dae).items() for name in names]


def set_states(b: Any, t: PhaseTranscription, k: int, end: End) -> None:
    """Fix the states at a mesh point to those of a known equilibrium."""
    states, n = state_variables(b, t, k), t.dae.tree.size
    settable = _fixable(t, k, end)
    if k and t.static.names:
        add_arrival(b, t, k, end.point.x[:n].tolist(), "q", leaving_out=end.open)
        settable = [i for i in settable if i >= n]
    for i in settable:
        states[i].fix(float(end.point.x[i]))


def _fixable(t: PhaseTranscription, k: int, end: End) -> list[int]:
    """Return the indices of the states that may be fixed at a mesh point.

    At the start all of them but references that another scenario decides, or that lead a motion. Later only the
    independent ones if there are closed loops, dependent states or quasi-static modes: the others follow up to the
    discretisation error, and fixing them would make the problem overdetermined.
    """
    if k == 0:
        return [i for i in range(len(t.dae.x)) if i not in end.loose]
    n = t.dae.tree.size
    states = [
        i for i in independent_states(t.dae, end.point) if (i not in end.loose if i >= 2 * n else i % n not in end.open)
    ]
    if not t.static.names:
        return states
    follow = set(range(n)) - set(t.static.independent(n))
    return [i for i in states if i >= 2 * n or i % n not in follow]


def _fix_prescribed(b: Any, t: PhaseTranscription, k: int, end: End) -> None:
    """Fix the prescribed states; at rest also all rates, near rest also all first-order states."""
    n = t.dae.tree.size
    held = dict(end.prescribed)
    if end.kind == "rest":
        held |= {t.dae.x.names[i]: 0.0 for i in _fixable(t, k, end) if n <= i < 2 * n}
    if end.kind == "near":
        held |= {name: end.point[name] for name in b.first_order if t.dae.x.index(name) not in end.loose}
    states = state_variables(b, t, k)
    for first, name in ((0, "goal_rest"), (n, "goal_rest_rates")):
        if b.component(name) is not None:
            states[first : first + n] = getattr(b, name).values()
    for name, value in held.items():
        states[t.dae.x.index(name)].fix(value)


def hold_inputs(b: Any, where: str, k: int, end: End, known: Collection[str] = ()) -> None:
    """Fix inputs at a mesh point to their holding values, or equate them if those are variables; but the `known`."""
    if end.kind in ("fixed", "near"):
        for name, value in zip(b.inputs, end.point.u.tolist(), strict=True):
            b.u[k, name].fix(value)
    else:
        holding = getattr(b, f"{where}_inputs")
        held = [name for name in b.inputs if name not in known]
        rule = pyo.Constraint(held, rule=lambda b, name: b.u[k, name] == holding[name])
        b.add_component(f"{where}_holding", rule)


def _add_leeway(b: Any, t: PhaseTranscription, k: int, end: End) -> None:
    """Add ``b.goal_energy``, the residual energy at the goal, a Var bounded by the leeway."""
    b.goal_energy = pyo.Var(bounds=(None, t.phase.leeway), initialize=0.0, doc="energy left at the goal [J]")
    nx = len(t.dae.x)
    w, point = ca.SX.sym("w", nx + 1), end.point
    at_rest = [ca.SX(ca.DM(value)) for value in (point.x, point.z, point.u, point.p)]
    (energy,) = residual_energy(t.dae).call([w[:nx], *at_rest], True, False)
    function = ca.Function("goal_energy", [w], [energy - w[nx]], ["w"], ["residual"])
    variables = [*state_variables(b, t, k), b.goal_energy]
    box = CasadiGreyBox(function, [list(range(nx + 1))], name="goal_energy_value", residual_names=["energy left"])
    attach(b, "goal_energy_value", box, variables)


def moved_boundaries(b: Any, t: PhaseTranscription) -> list[str]:
    """Describe the states that were fixed to other values than those of the known boundaries."""
    texts = []
    for where, k, end in (("start", 0, t.begin), ("goal", t.mesh.intervals, t.end)):
        if end.kind != "fixed" or (k and t.static.names):
            continue
        states = state_variables(b, t, k)
        for i in _fixable(t, k, end):
            name, meant = t.dae.x.names[i], float(end.point.x[i])
            if states[i].fixed and abs(states[i].value - meant) > ROUNDING * max(1.0, abs(meant)):
                texts.append(f"{name} is {states[i].value:.6g} and not {meant:.6g} at the {where}")
    return texts


def values_at(b: Any, t: PhaseTranscription, k: int) -> np.ndarray:
    """Return the values of the states (nx,) at a mesh point."""
    return np.array([variable.value for variable in state_variables(b, t, k)], dtype=float)
