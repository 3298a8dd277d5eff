"""What the bounds and constraints of a planner's model are called by people, and to which time they belong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..presolve.phase_transcription import Transcription
from .trajectories import PhaseTrajectory, arcs

DURATION = "duration"
RATES = {"v", "du", "input_rate_limit"}
# The Vars and constraints of limits, and where the name and the time stand in their index.
OWN = {"q", "v", "w", "u", "du", "path", "input_limit", "input_rate_limit", "state_limit"}


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
    name = f"der({index[-1]})" if component in RATES else index[-1]
    return Label(place.name + name, _unit(place.arc.transcription, name), place.begin + _time(place, component, index))


def _unit(t: Transcription, name: str) -> str:
    for group in (t.dae.x, t.dae.u, t.dae.y):
        if name in group:
            return group.unit(name)
    inside = name.removeprefix("der(").removesuffix(")")
    return f"{t.dae.u.unit(inside)}/s" if inside in t.dae.u else ""


def _time(place: Place, component: str, index: tuple) -> float:
    """Return the time [s] within an arc."""
    t, mesh, k = place.arc.transcription, place.arc.mesh, index[0]
    share = 0.0
    if component in ("state_limit", "path"):
        share = t.scheme.nodes[index[1] - 1]
    elif component in ("input_limit", "input_rate_limit"):
        # Control point i of a polynomial of degree n belongs to the share i / n of the interval.
        degree = t.shape.degree - (component == "input_rate_limit")
        share = index[1] / max(degree, 1)
    step = mesh.steps[k] if share else 0.0
    return float(np.clip(mesh.times[k] + share * step, 0.0, mesh.duration))
