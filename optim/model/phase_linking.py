"""Linkage constraints between consecutive phases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..casadi_solver import CasadiGreyBox, attach
from ..presolve.impact import impact
from .ends.boundary_conditions import state_variables
from .trajectories import PhaseTrajectory


def link_phases(before: PhaseTrajectory, after: PhaseTrajectory) -> None:
    """Add the linkage constraints between two phases to the block of the second.

    ``b.joined_states``: continuous states; if a load at rest is picked up in motion, ``b.impact`` conserves momentum
    instead of continuous rates, with the ``b.impulses`` that keep loops closed. ``b.joined_inputs`` and
    ``b.joined_input_rates``: continuous inputs, unless they may jump.
    """
    b, t = after.block, after.transcription
    K, n = before.transcription.mesh.intervals, t.dae.tree.size
    ends, begins = state_variables(before.block, t, K), state_variables(b, t, 0)
    if t.begin.kind == "joined":
        rates = range(n, 2 * n) if t.begins_with_impact else ()
        kept = [i for i in range(len(begins)) if i not in rates]
        _equal(b, "joined_states", [(t.dae.x.names[i], ends[i], begins[i]) for i in kept])
        if t.begins_with_impact:
            cuts = t.dae.tree.loops.multipliers
            b.impulses = pyo.Var(cuts, initialize=0.0, doc="impulses in the cuts of loops")
            both = [*ends[n : 2 * n], *begins[n : 2 * n]]
            variables = [*begins[:n], *both, *b.impulses.values(), *(b.p[name] for name in t.design_names)]
            box = CasadiGreyBox(
                impact(t.dae, t.designed),
                [list(range(len(variables)))],
                np.concatenate([before.transcription.p, t.p]),
                name="impact",
                residual_names=[
                    *(f"momentum of {name}" for name in t.dae.q_names),
                    *(f"closure of {name}" for name in cuts),
                ],
            )
            attach(b, "impact", box, variables)
    if t.shape.is_continuous and not t.phase.input_jump and not t.borrows_inputs:
        names = t.dae.u.names
        _equal(b, "joined_inputs", [(name, before.block.u[K, name], b.u[0, name]) for name in names])
        if t.shape.has_rates:
            _equal(b, "joined_input_rates", [(name, before.block.du[K, name], b.du[0, name]) for name in names])


def link_period(first: PhaseTrajectory, last: PhaseTrajectory) -> None:
    """Add the constraints of a periodic motion to the block of its last phase: it ends as it began.

    ``b.periodic_states``, and ``b.periodic_inputs`` with ``b.periodic_input_rates`` where inputs are continuous.
    """
    a, b, t = first.block, last.block, last.transcription
    K = t.mesh.intervals
    begins, ends = state_variables(a, first.transcription, 0), state_variables(b, t, K)
    _equal(b, "periodic_states", list(zip(t.dae.x.names, ends, begins, strict=True)))
    if t.shape.is_continuous and not t.borrows_inputs:
        names = t.dae.u.names
        _equal(b, "periodic_inputs", [(name, b.u[K, name], a.u[0, name]) for name in names])
        if t.shape.has_rates:
            _equal(b, "periodic_input_rates", [(name, b.du[K, name], a.du[0, name]) for name in names])


def _equal(b: Any, component: str, pairs: list[tuple[str, Any, Any]]) -> None:
    """Add linear equality constraints by name, except between two fixed Vars, which are equal already."""
    equations = {name: end == begin for name, end, begin in pairs if not (end.fixed and begin.fixed)}
    b.add_component(component, pyo.Constraint(list(equations), rule=lambda _, name: equations[name]))
