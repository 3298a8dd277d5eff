"""Via points: states and inputs fixed at a mesh point, other signals constrained by a grey box."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pyomo.environ as pyo

from ..casadi_solver import CasadiGreyBox, attach
from ..collocation.path_functions import path_kernel
from ..presolve.phase_transcription import PhaseTranscription
from ..problem.signals.instant import instant
from ..problem.signals.signals import Signals
from .ends.boundary_conditions import state_variables
from .path_constraints import path_constants
from .variable_index import VariableIndex


def add_via_points(b: Any, t: PhaseTranscription, index: VariableIndex) -> None:
    """Add the via points: fix Vars of the mesh point, or ``b.via[i, name]`` for any other signal.

    Each via point is a mesh point. Accelerations and algebraic variables are prescribed just before it.
    """
    rows = [(i, mesh_point(t, i), via.values) for i, via in enumerate(t.phase.via)]
    for _, k, values in rows:
        for name, value in values.items():
            variable = _mesh_variable(b, t, k, name)
            if variable is not None:
                variable.fix(value)
    others = [(i, name) for i, k, values in rows for name in values if _mesh_variable(b, t, k, name) is None]
    if not others:
        return
    b.via = pyo.Var(pyo.Set(initialize=others), doc="prescribed at via points")
    signals = Signals(instant(t.dae))
    via_variables: Any = b.via
    for i, k, values in rows:
        names = [name for name in values if (i, name) in b.via]
        if not names:
            continue
        for name in names:
            via_variables[i, name].fix(values[name])
        kernel = path_kernel(
            signals.instant,
            t.form,
            values=ca.vertcat(*[signals[name] for name in names]),
            points=(t.scheme.degree,),
        )
        via_columns = len(index.variables) + np.arange(len(names))
        box = CasadiGreyBox(
            kernel,
            np.append(index.local[k - 1], via_columns)[None],
            path_constants(t)[k - 1 : k],
            name=f"via {i + 1}",
            residual_names=names,
            n_inputs=len(index.variables) + len(names),
        )
        variables: list = [*index.variables, *(b.via[i, name] for name in names)]
        attach(b, f"via_values_{i + 1}", box, variables)


def mesh_point(t: PhaseTranscription, i: int) -> int:
    """Return the mesh point of the via point `i`."""
    return int(np.argmin(np.abs(t.mesh.times / t.mesh.duration - t.phase.via[i].share(t.phase.duration))))


def _mesh_variable(b: Any, t: PhaseTranscription, k: int, name: str) -> Any:
    """Return the Var of a mesh point with this name, or None."""
    if name in t.dae.x:
        return state_variables(b, t, k)[t.dae.x.index(name)]
    if name in t.dae.u and t.shape.is_continuous:
        return b.u[k, name]
    return None
