"""Sections of reports: what is reported of a plan, a simulation, a linear model, an audit."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.export.report.content import Cards, Report, Section, Text, table, written
from flexblocks.export.report.fit_sections import fit_report
from flexblocks.export.report.linear_plots import bode_plots, pole_map
from flexblocks.export.report.time_plots import time_plots
from flexblocks.identification.results.fit import Fit
from flexblocks.linear.linear_model import LinearModel
from flexblocks.plot.animation.animate import animate
from flexblocks.plot.animation.motions import plan_limits
from flexblocks.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from flexblocks.optim import Audit, Plan, Replay


def plan_report(plan: Plan, replay: Replay | None, audit: Audit | None) -> Report:
    """Return the report of a plan: task, figures, motion, limits, attempts, replay, audit."""
    replay = plan.replay() if replay is None else replay
    limits = plan_limits(plan)
    cards = [
        ("status", plan.status),
        ("duration", f"{plan.duration:.5g} s"),
        ("objective", f"{plan.objective:.5g}"),
        ("tip misses by", f"{1e3 * replay.tip_miss:.3g} mm"),
        ("energy left", f"{replay.energy_left:.3g} J"),
    ]
    if audit is not None:
        cards.append(("audit", "passed" if audit.passed else "not passed"))
    motions = [("plan", plan.trajectory), ("replay", replay.trajectory)]
    attempts = [asdict(attempt) for attempt in plan.attempts]
    heads = list(attempts[0]) if attempts else []
    bounded = [(n, *_bounds(limit), _unit(plan, n)) for n, limit in limits.items() if np.any(np.isfinite(limit))]
    beyond = [(v.name, v.time, v.amount) for v in replay.excesses]
    replayed = [Text(str(replay)), *([table(("violated", "time [s]", "by"), beyond)] if beyond else [])]
    sections = [
        Section("Figures of merit", (Cards(tuple(cards)),)),
        Section("Motion", (animate(plan, replay),)),
        Section("Task", (Text(plan.summary()),)),
        Section("Limits", (table(("variable", "least", "largest", "unit"), bounded),) if bounded else ()),
        Section("Inputs, joints, deflections", time_plots(motions, limits)),
        Section("Attempts", (table(heads, [list(a.values()) for a in attempts]),) if attempts else ()),
        Section("Replay", tuple(replayed)),
        Section("Audit", () if audit is None else (Text(str(audit)),)),
    ]
    return Report(plan.trajectory.name, "Planned motion", tuple(sections))


def simulation_report(motion: Trajectory) -> Report:
    """Return the report of a simulation: motion, plots, range of each variable, balance of energy."""
    rows = [
        (name, motion[name].min(), motion[name].max(), motion[name][-1], motion.unit(name))
        for group in ("u", "x", "z", "y", "energy")
        for name in motion.names[group]
    ]
    moving = motion["kinetic_energy"] + motion["potential_energy"] - motion["work"]
    cards = (
        ("duration", f"{motion.t[-1] - motion.t[0]:.5g} s"),
        ("samples", f"{len(motion)}"),
        ("ended", "as requested" if motion.complete else "early"),
        ("energy less work changes by", f"{np.ptp(moving):.3g} J"),
    )
    sections = [
        Section("In short", (Cards(cards),)),
        Section("Motion", (animate(motion),) if motion.dae is not None else ()),
        Section("Inputs, joints, deflections", time_plots([("simulation", motion)])),
        Section("Variables", (table(("variable", "least", "largest", "last", "unit"), rows),)),
        Section("Parameters", (table(("parameter", "value"), list(motion.p.items())),) if motion.p else ()),
    ]
    return Report(motion.name, "Simulation", tuple(sections))


def linear_report(lin: LinearModel) -> Report:
    """Return the report of a linear model: modes, poles, Bode plots, controllability, operating point."""
    modes = lin.modes()
    rows = [
        (i, m.frequency, m.frequency / (2 * np.pi), m.damping_ratio, m.eigenvalue.real, m.eigenvalue.imag, m.shares)
        for i, m in enumerate(modes, 1)
    ]
    heads = ("mode", "rad/s", "Hz", "damping ratio", "real part", "imaginary part", "energy")
    stable = all(mode.eigenvalue.real <= 0 for mode in modes)
    cards = (
        ("states", f"{len(lin.minimal().states)}"),
        ("inputs, outputs", f"{len(lin.inputs)}, {len(lin.outputs)}"),
        ("open loop", "no growing mode" if stable else "unstable"),
    )
    oscillates = any(mode.eigenvalue.imag for mode in modes)
    values = [(name, value) for name, value in lin.operating_point.as_dict().items() if value]
    sections = [
        Section("In short", (Cards(cards),)),
        Section("Modes", (table(heads, rows),)),
        Section("Modes in motion", (animate(lin),) if lin.dae is not None and oscillates else ()),
        Section("Map of poles", (pole_map(lin),)),
        Section("Frequency response", bode_plots(lin)),
        Section("Controllability and observability", (Text(str(lin.report())),)),
        Section("Operating point", (table(("variable", "value"), values),) if values else ()),
    ]
    return Report(lin.name, "Linear model", tuple(sections))


def audit_report(audit: Audit) -> Report:
    """Return the report of an audit: verdict, table, and the plan that it is of."""
    cards = (
        ("audit", "passed" if audit.passed else "not passed"),
        ("replays", "yes" if audit.replays else "no"),
        ("allowed", str(audit.allowed)),
    )
    subject = () if audit.subject is None else plan_report(audit.subject, None, None).sections[1:6]
    sections = [Section("In short", (Cards(cards),)), Section("Audit", (Text(str(audit)),)), *subject]
    if audit.before is not None:
        sections.append(Section("Before refinement", (Text(str(audit.before)),)))
    return Report(audit.motion.name, "Audit of a plan", tuple(sections))


def _bounds(limit: tuple[float, float]) -> tuple[str, str]:
    low, high = (written(float(bound)) if np.isfinite(bound) else "" for bound in limit)
    return low, high


def _unit(plan: Plan, name: str) -> str:
    return plan.trajectory.unit(name) if name in plan.trajectory else ""


def sections_of(result: object, replay: Replay | None, audit: Audit | None) -> Report:
    """Return the report of a result of any kind.

    Raises
    ------
    ParameterError
        Nothing that a report can be made of.
    """
    if isinstance(result, Trajectory):
        return simulation_report(result)
    if isinstance(result, LinearModel):
        return linear_report(result)
    if isinstance(result, Fit):
        return fit_report(result)
    from flexblocks.optim import Audit as AuditOf
    from flexblocks.optim import Plan as PlanOf

    if isinstance(result, PlanOf):
        return plan_report(result, replay, audit)
    if isinstance(result, AuditOf):
        return audit_report(result)
    raise ParameterError(
        f"export.report: {type(result).__name__}; must be a Plan, a Trajectory, a LinearModel, an Audit or a Fit."
    )
