"""Readable names and times of the bounds and constraints of a planner's model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..presolve.phase_transcription import PhaseTranscription
from .bounds import INPUT_LIMITS
from .trajectories import PhaseTrajectory, phase_trajectories

DURATION = "duration"
# The Vars and constraints that impose limits, and the order of the derivative, of the last index, that they limit.
ORDERS = {"q": 0, "v": 1, "w": 0, "u": 0, "du": 1, "path": 0, "state_limit": 0} | INPUT_LIMITS
LIMIT_COMPONENTS = frozenset(ORDERS)


@dataclass(frozen=True)
class Label:
    """A limited quantity at a time.

    Attributes
    ----------
    name : str
        As in the problem, ``"der(joint1.angle)"``, prefixed by scenario and phase if there are several; for constraints
        added by the user the component's name.
    unit : str
    time : float or None
        [s]; None if it belongs to no time.
    """

    name: str
    unit: str
    time: float | None


@dataclass(frozen=True, eq=False)
class NamedPhase:
    """A phase trajectory with the prefix of its names and its start time [s]."""

    trajectory: PhaseTrajectory
    name: str
    begin: float


def named_phases(m: Any) -> dict[int, NamedPhase]:
    """Return the phases of a planner's model with name prefixes and start times, by the id of their blocks."""
    phases, runs = {}, phase_trajectories(m)
    for i, run in enumerate(runs):
        begin = 0.0
        for traj in run:
            names = [f"scenario {i}"] if len(runs) > 1 else []
            names += [traj.transcription.phase.name] if len(run) > 1 else []
            phases[id(traj.block)] = NamedPhase(traj, "".join(f"{name}: " for name in names), begin)
            begin += traj.mesh.duration
    return phases


def label_of(data: Any, phases: Mapping[int, NamedPhase]) -> Label:
    """Return the label of the quantity that a Var or Constraint limits."""
    phase, component = phases.get(id(data.parent_block())), data.parent_component().local_name
    if phase is None:
        return Label(data.name, "", None)
    if component == "T":
        return Label(phase.name + DURATION, "s", None)
    if component == "goal_energy":
        return Label(f"{phase.name}energy left at the goal", "J", phase.begin + phase.trajectory.mesh.duration)
    if component not in LIMIT_COMPONENTS:
        return Label(data.name, "", None)
    index = data.index()
    order = ORDERS[component]
    name = f"{'der(' * order}{index[-1]}{')' * order}"
    return Label(
        phase.name + name,
        _unit(phase.trajectory.transcription, name),
        phase.begin + _time(phase, component, index),
    )


def _unit(t: PhaseTranscription, name: str) -> str:
    for group in (t.dae.x, t.dae.u, t.dae.y):
        if name in group:
            return group.unit(name)
    order = name.count("der(")
    of = name[len("der(") * order : len(name) - order]
    return f"{t.dae.u.unit(of)}/s{order if order > 1 else ''}" if order and of in t.dae.u else ""


def _time(phase: NamedPhase, component: str, index: tuple) -> float:
    """Return the time [s] within a phase."""
    t, mesh, k = phase.trajectory.transcription, phase.trajectory.mesh, index[0]
    share = 0.0
    if component in ("state_limit", "path"):
        share = t.scheme.nodes[index[1] - 1]
    elif component in INPUT_LIMITS:
        # Bernstein coefficient i of a polynomial of degree n belongs to the fraction i / n (its Greville abscissa)
        degree = t.shape.degree - INPUT_LIMITS[component]
        share = index[1] / max(degree, 1)
    step = mesh.steps[k] if share else 0.0
    return float(np.clip(mesh.times[k] + share * step, 0.0, mesh.duration))
