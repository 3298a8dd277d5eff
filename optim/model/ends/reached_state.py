"""Reached state: where the last interval ends, which is the goal but for modes that the mesh does not resolve there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo

from ...presolve.phase_transcription import PhaseTranscription
from ..variable_index import REACHED
from .equal_but_for_modes import equal_but_for


def add_reached_state(b: Any, t: PhaseTranscription) -> None:
    """Add ``b.reached_q[name]`` and ``b.reached_v[name]``, in which the last interval ends, if it leaves modes open.

    A damping scheme keeps modes that it does not resolve where the forces of each point put them, at the goal at rest,
    all but exactly. Prescribing their deflections and rates prescribes what is left of them, to within the square of
    their period over the interval's length: for the first two derivatives of these forces, which inputs have to bring
    to zero in the last intervals, by conditions that are nearly dependent.
    """
    if not t.unresolved.names:
        return
    for part, of in REACHED.items():
        reached, state = pyo.Var(b.coordinates, doc="where the last interval ends"), getattr(b, of)
        b.add_component(part, reached)
        goal = [state[t.mesh.intervals, name] for name in b.coordinates]
        rows = equal_but_for(t.unresolved, t.dae.q_names, list(reached.values()), goal)
        b.add_component(f"{part}_at_goal", rows)


def set_reached_state(b: Any, t: PhaseTranscription, state: np.ndarray | None = None) -> None:
    """Set where the last interval ends to coordinates and rates (2n,), by default to the present ones at the goal."""
    if not t.unresolved.names:
        return
    if state is None:
        state = _goal(b, t)
    reached = [variable for part in REACHED for variable in getattr(b, part).values()]
    for variable, value in zip(reached, state.tolist(), strict=True):
        variable.set_value(value, skip_validation=True)


def left_at_goal(b: Any, t: PhaseTranscription) -> np.ndarray:
    """Return by how much coordinates and their rates (2n,) are off the goal where the last interval ends."""
    if not t.unresolved.names:
        return np.zeros(2 * t.dae.tree.size)
    return np.array([variable.value for part in REACHED for variable in getattr(b, part).values()]) - _goal(b, t)


def _goal(b: Any, t: PhaseTranscription) -> np.ndarray:
    return np.array([getattr(b, of)[t.mesh.intervals, name].value for of in REACHED.values() for name in b.coordinates])
