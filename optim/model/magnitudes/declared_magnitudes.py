"""Magnitudes of a phase's Vars, and a motion beside the first guess, declared to its grey boxes for scaling."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...casadi_solver import CasadiGreyBox
from ...presolve.magnitudes.characteristic_magnitudes import Characteristics, Magnitudes, characteristics
from ...presolve.phase_transcription import PhaseTranscription
from ..variable_index import REACHED

# What is at rest has the magnitude of what moves.
AT_REST = {
    "rest": "q",
    "rest_rates": "v",
    "inputs": "u",
    "algebraics": "z",
    "forces": "f",
    "inputs_rates": "du",
    "first_order_rates": "dw",
}
TURN = 2.4  # [rad], of which no multiple comes near to another one for long


def declare_magnitudes(b: Any, t: PhaseTranscription) -> None:
    """Declare magnitudes and deviations of the Vars of the block `b` to every grey box on them that constrains them."""
    found = characteristics(t)
    sizes = _by_component(b, t, found.magnitudes)
    deviations = _deviations(b, t, found)
    for block in (part for part in b.component_objects(descend_into=False) if hasattr(part, "get_external_model")):
        box = block.get_external_model()
        if not isinstance(box, CasadiGreyBox) or box.has_cost:
            continue
        box.magnitudes = np.array([sizes.get(id(variable), 1.0) for variable in block.inputs.values()])
        box.deviations = np.array([deviations.get(id(variable), 0.0) for variable in block.inputs.values()])


def _by_component(b: Any, t: PhaseTranscription, sizes: Magnitudes) -> dict[int, float]:
    """Return the magnitude of every Var by its id."""
    by_name = sizes | {f"{end}_{group}": sizes[name] for end in ("start", "goal") for group, name in AT_REST.items()}
    by_name |= {part: sizes[of] for part, of in REACHED.items()}
    if t.path.rows:
        by_name["path"] = _path_magnitudes(b, t)
    found: dict[int, float] = {}
    for name, magnitudes_of in by_name.items():
        variables = list(getattr(b, name).values()) if hasattr(b, name) else []
        repeated = np.tile(magnitudes_of, len(variables) // max(len(magnitudes_of), 1))
        found |= zip(map(id, variables), repeated.tolist(), strict=True)
    if t.is_free:
        found[id(b.T)] = t.mesh.duration
    found |= {id(b.p[name]): abs(b.p[name].value) or 1.0 for name in t.design_names}
    return found


def _deviations(b: Any, t: PhaseTranscription, found: Characteristics) -> dict[int, float]:
    """Return by how much every Var of the motion differs from the first guess in a motion beside it, by its id.

    The rigid arm's motion is bent there by its own forces. An arm that stays has each variable off by another share of
    its magnitude, as equal ones would cancel in a spring.
    """
    n, inner = t.dae.tree.size, t.mesh.within(t.scheme.nodes)
    if found.bending is None:
        off = {name: size * np.cos(TURN * np.arange(len(size))) for name, size in found.magnitudes.items()}
    else:
        q, v = (found.bending(t.mesh.times, order) for order in (0, 1))
        e = found.bending(inner) @ t.static.amounts(n).T
        off = {"q": q, "v": v, "a": found.bending(inner, 2), "e": e, "reached_q": q[-1], "reached_v": v[-1]}
    values: dict[int, float] = {}
    for name, by in off.items():
        variables = list(getattr(b, name).values()) if hasattr(b, name) else []
        whole = np.broadcast_to(by, (len(variables) // max(by.shape[-1], 1), by.shape[-1])) if by.ndim == 1 else by
        values |= zip(map(id, variables), whole.ravel().tolist(), strict=True)
    return values


def _path_magnitudes(b: Any, t: PhaseTranscription) -> np.ndarray:
    """Return the magnitudes of the path values (m,): half of the first guess's largest, or their limits."""
    guessed = np.array([variable.value for variable in b.path.values()], dtype=float).reshape(-1, len(t.path))
    limits = np.abs([t.path.low, t.path.high])
    limit = np.max(np.where(np.isfinite(limits), limits, 0.0), axis=0)
    size = np.maximum(limit, np.max(np.abs(guessed), axis=0) / 2)
    return np.where((size > 0) & np.isfinite(size), size, 1.0)
