"""Meeting constraints: the end of a motion on the course of a target, in motion through a static posture."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pyomo.environ as pyo

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import frame_motion, rodrigues
from flexblocks.statics.balance import rest_residuals

from ...casadi_solver import CasadiGreyBox, attach
from ...presolve.boundary import End
from ...presolve.equilibrium import loop_forces
from ...presolve.floating_base import floating_base
from ...presolve.phase_transcription import PhaseTranscription
from ...problem.course import Course
from ...problem.signals.instant import instant, statics_vector
from ...problem.signals.signals import Signals


def add_meeting(b: Any, t: PhaseTranscription, k: int, end: End) -> None:
    """Add ``b.goal_meeting`` at mesh point `k`: the posture is static and meets the courses at the end of the phase.

    If the arm moves there, the balance of forces moves with it, so that all that bends follows quasi-statically. What
    holds the arm, ``b.goal_inputs[name]`` and so on, and its rates are variables; with quasi-static modes so are the
    coordinates of that posture, ``b.goal_rest[name]``, and their rates.
    """
    dae = t.dae
    parts = {
        "algebraics": (b.algebraics, end.point.z),
        "forces": (b.closures, loop_forces(dae, end.point)),
        "inputs": (b.inputs, end.point.u),
    }
    limits = dict(zip(dae.u.names, t.limits.u.tolist(), strict=True))
    held, rates = [], []
    if end.moving:
        b.goal_first_order_rates = pyo.Var(b.first_order, initialize=0.0, doc="rates of first-order states there")
        rates += b.goal_first_order_rates.values()
    for part, (names, values) in parts.items():
        start = dict(zip(names, values.tolist(), strict=True))
        bounds = (lambda _, name: limits[name]) if part == "inputs" and not end.moving else None
        b.add_component(
            f"goal_{part}", pyo.Var(names, initialize=start, bounds=bounds, doc=f"{part} that hold the arm")
        )
        if part == "inputs":
            for name in dae.u.with_role("disturbance"):
                b.goal_inputs[name].fix(start[name])
        held += getattr(b, f"goal_{part}").values()
        if end.moving:
            b.add_component(f"goal_{part}_rates", pyo.Var(names, initialize=0.0, doc=f"their rates: {part}"))
            rates += getattr(b, f"goal_{part}_rates").values()
    q, v, w = ([getattr(b, part)[k, name] for name in names] for part, names in (
        ("q", b.coordinates), ("v", b.coordinates), ("w", b.first_order)))  # fmt: skip
    if t.static.names:
        q = list(b.goal_rest.values())
        v = list(b.goal_rest_rates.values()) if end.moving else [v[i] for i in t.static.independent(dae.tree.size)]
    if not end.moving:
        for variable in v:
            variable.fix(0.0)
    duration = [b.T] if t.is_free else []
    variables = [*q, *w, *held, *(v if end.moving else []), *rates, *duration]
    fixed_time = None if t.is_free else t.mesh.duration
    function, residuals = _meeting(dae, end, fixed_time)
    name = "goal_meeting"
    box = CasadiGreyBox(function, [list(range(len(variables)))], end.point.p, name=name, residual_names=residuals)
    attach(b, name, box, variables)


def _meeting(dae: DAE, end: End, duration: float | None) -> tuple[ca.Function, list[str]]:
    """Return the residuals (w, p) -> (m, 1) and their names; w = [q, w, what holds, v, rates of these, duration]."""
    n, count = dae.tree.size, len(dae.x) - dae.tree.size + len(dae.z)
    balance = rest_residuals(dae)
    s, ds = ca.SX.sym("s", balance.numel_in(0)), ca.SX.sym("ds", balance.numel_in(0) if end.moving else 0)
    p, time = ca.SX.sym("p", len(dae.p)), ca.SX.sym("time", int(duration is None))
    forces = balance.call([s, p], True, False)[0][:count]
    names = [f"balance of {name}" for name in dae.q_names]
    names += [f"rate of {name}" for name in dae.x.names[2 * n :]] + [f"equation {i + 1}" for i in range(len(dae.z))]
    rows = [forces]
    if end.moving:
        rows.append(ca.jtimes(forces, s, ds))
        names += [f"change of the {name}" for name in names]
    # The places, and velocities where these are matched
    when, still = time if duration is None else ca.SX(duration), ca.SX(s.numel(), 1)
    wanted = {name: ca.SX(value) for name, value in end.prescribed_outputs.items()}
    for frame, course in end.courses.items():
        wanted |= _on_course(frame, course, when)
    seen = [name for name in wanted if name in end.prescribed_outputs or name in end.met]
    rows.append(_signals(dae, s, ds if end.moving else still, seen, p))
    rows[-1] -= ca.vertcat(*[wanted[name] for name in seen], ca.SX(0, 1))
    names += seen
    for frame, axes in end.turned.items():
        turns = _turned(dae, frame, end.courses[frame], axes, (s, ds if end.moving else still, p, when))
        rows += turns.values()
        names += [f"{what} {i + 1}" for what in turns for i in range(axes.shape[1])]
    residual = ca.vertcat(*rows)
    # What nothing holds has no balance: such a row is empty; and forces within an arm do not act on a floating base.
    afloat = set(floating_base(dae, end.point))
    empty = afloat | {count + i for i in afloat if end.moving}
    kept = [i for i in range(residual.numel()) if i not in empty and not residual[i].is_zero()]
    w = ca.vertcat(s, ds, time)
    # The unknowns come in the order [q, w, z, forces, u], and their rates likewise.
    function = ca.Function("meeting", [w, p], [ca.cse(ca.densify(residual[kept]))], ["w", "p"], ["residual"])
    return function, [names[i] for i in kept]


def _on_course(frame: str, course: Course, time: ca.SX) -> dict[str, ca.SX]:
    place, speed, _, spin = course.function.call([time], True, False)
    stems = (("", place), ("velocity_", speed), ("angular_velocity_", spin))
    return {f"{frame}.{stem}{axis}": part[i] for stem, part in stems for i, axis in enumerate("xyz")}


def _turned(
    dae: DAE, frame: str, course: Course, axes: np.ndarray, at: tuple[ca.SX, ca.SX, ca.SX, ca.SX]
) -> dict[str, ca.SX]:
    """Return by how much a frame is turned away from a target about axes (3, r), and turns, by their names.

    In the world, in which a planar arm turns about one axis however its frames are mounted. `at` has the unknowns of
    statics, their rates, the parameters and the time.
    """
    s, ds, p, time = at
    n, motion = dae.tree.size, frame_motion(dae.tree, frame, dae.q, dae.v)
    attitude = ca.Function("attitude", [dae.q, dae.v, dae.p.symbol], [motion.R, motion.omega])
    R, omega = attitude.call([s[:n], ds[:n], p], True, False)
    _, _, target, spin = course.function.call([time], True, False)
    about = ca.DM(axes.T)
    turns = {f"{frame}.turn": about @ rodrigues(R @ target.T)}
    if course.turns_along:
        turns[f"{frame}.angular_velocity"] = about @ (R @ (omega - spin))
    return turns


def _signals(dae: DAE, s: ca.SX, ds: ca.SX, names: list[str], p: ca.SX) -> ca.SX:
    """Return signals by name, where the unknowns of statics are s and their rates ds."""
    at, y = instant(dae), statics_vector(dae, s, ds[: dae.tree.size])
    known = Signals(at)
    values = ca.Function(
        "values", [at.vector, dae.p.symbol], [ca.vertcat(*[known[name] for name in names], ca.SX(0, 1))]
    )
    return values.call([y, p], True, False)[0]
