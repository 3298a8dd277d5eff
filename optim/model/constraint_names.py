"""Names and times of the bounds and constraints of a planner's model, for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..presolve.phase_transcription import Transcription
from .bounds import INPUT_LIMITS
from .trajectories import PhaseTrajectory, arcs

DURATION = "duration"
# The Vars and constraints of limits, and which derivative of what stands last in their index they are on.
ORDERS = {"q": 0, "v": 1, "w": 0, "u": 0, "du": 1, "path": 0, "state_limit": 0} | INPUT_LIMITS
OWN = frozenset(ORDERS)


@dataclass(frozen=True)
class Label:
    """A limited quantity at a time.

    Attributes
    ----------
    name : str
        As the user gave it, ``"der(joint1.angle)"``, behind its phase and scenario where there are several; of a
        constraint of the user's own its name.
    unit : str
    time : float or None
        [s], where it belongs to a time.
    """

    name: str
    unit: str
    time: float | None


@dataclass(frozen=True, eq=False)
class Place:
    """An arc, what it is called, and when it begins [s]."""

    arc: PhaseTrajectory
    name: str
    begin: float


def places_of(m: Any) -> dict[int, Place]:
    """Return the arcs of a planner's model by the id of their blocks."""
    found, runs = {}, arcs(m)
    for i, run in enumerate(runs):
        begin = 0.0
        for arc in run:
            names = [f"scenario {i}"] if len(runs) > 1 else []
            names += [arc.transcription.phase.name] if len(run) > 1 else []
            found[id(arc.block)] = Place(arc, "".join(f"{name}: " for name in names), begin)
            begin += arc.mesh.duration
    return found


def label_of(data: Any, places: Mapping[int, Place]) -> Label:
    """Return what a Var or a Constraint of a planner's model limits."""
    place, component = places.get(id(data.parent_block())), data.parent_component().local_name
    if place is None:
        return Label(data.name, "", None)
    if component == "T":
        return Label(place.name + DURATION, "s", None)
    if component == "goal_energy":
        return Label(f"{place.name}energy left at the goal", "J", place.begin + place.arc.mesh.duration)
    if component not in OWN:
        return Label(data.name, "", None)
    index = data.index()
    order = ORDERS[component]
    name = f"{'der(' * order}{index[-1]}{')' * order}"
    return Label(place.name + name, _unit(place.arc.transcription, name), place.begin + _time(place, component, index))


def _unit(t: Transcription, name: str) -> str:
    for group in (t.dae.x, t.dae.u, t.dae.y):
        if name in group:
            return group.unit(name)
    order = name.count("der(")
    of = name[len("der(") * order : len(name) - order]
    return f"{t.dae.u.unit(of)}/s{order if order > 1 else ''}" if order and of in t.dae.u else ""


def _time(place: Place, component: str, index: tuple) -> float:
    """Return the time [s] within an arc."""
    t, mesh, k = place.arc.transcription, place.arc.mesh, index[0]
    share = 0.0
    if component in ("state_limit", "path"):
        share = t.scheme.nodes[index[1] - 1]
    elif component in INPUT_LIMITS:
        # Control point i of a polynomial of degree n belongs to the share i / n of the interval.
        degree = t.shape.degree - INPUT_LIMITS[component]
        share = index[1] / max(degree, 1)
    step = mesh.steps[k] if share else 0.0
    return float(np.clip(mesh.times[k] + share * step, 0.0, mesh.duration))
