"""Path constraints: bounded Vars whose values one grey box defines."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..casadi_solver import CasadiGreyBox, Kernel, attach
from ..collocation.interval import IntervalForm
from ..collocation.path_functions import path_kernel
from ..presolve.path_values import PathValues
from ..presolve.phase_transcription import PhaseTranscription
from .variable_index import VariableIndex


def add_path_constraints(b: Any, t: PhaseTranscription, index: VariableIndex) -> None:
    """Add the path values: bounded Vars ``b.path[k, j, name]`` and the grey box ``b.path_values`` that defines them.

    They are the slack variables that the solver would add to inequalities anyway, available to the user's own
    constraints and objectives.
    """
    path = t.path
    K, d, m = t.mesh.intervals, t.scheme.degree, len(path)
    bounds = {
        name: (low if np.isfinite(low) else None, high if np.isfinite(high) else None)
        for name, (low, high) in t.path_bounds.items()
    }
    b.path_names = pyo.Set(initialize=path.names)
    b.path = pyo.Var(b.intervals, b.points, b.path_names, bounds=lambda _, k, j, name: bounds[name], doc="path values")
    path_columns = len(index.variables) + np.arange(K * d * m).reshape(K, d * m)
    box = CasadiGreyBox(
        _kernel(path, t.form),
        np.hstack([index.local, path_columns]),
        path_constants(t),
        name="path",
        residual_names=[f"{name} at point {j}" for j in range(1, d + 1) for name in path.names],
        n_inputs=len(index.variables) + path_columns.size,
    )
    variables: list = [*index.variables, *b.path.values()]
    attach(b, "path_values", box, variables)


def path_constants(t: PhaseTranscription) -> np.ndarray:
    """Return the constants of each interval (K, 2 + np): length and begin [s], fractions if free, and parameters."""
    steps, begins = (t.mesh.shares, t.mesh.times[:-1] / t.mesh.duration) if t.is_free else (
        t.mesh.steps, t.mesh.times[:-1]
    )  # fmt: skip
    return np.hstack([steps[:, None], begins[:, None], np.tile(t.p, (len(steps), 1))])


def path_values(b: Any) -> np.ndarray:
    """Return the path values (K, d, m) evaluated at the present values of the trajectory's Vars."""
    box = b.path_values.get_external_model()
    held = np.array([variable.value for variable in b.path.values()], dtype=float)
    box.set_input_values([variable.value for variable in b.path_values.inputs.values()])
    shape = len(b.intervals), len(b.points), len(b.path_names)
    return (box.evaluate_equality_constraints() + held).reshape(shape)


def set_path_values(b: Any) -> None:
    """Set the Vars ``b.path`` to the path values evaluated along the present trajectory."""
    for variable in b.path.values():
        variable.set_value(0.0, skip_validation=True)
    for variable, value in zip(b.path.values(), path_values(b).ravel().tolist(), strict=True):
        variable.set_value(value, skip_validation=True)


@lru_cache(maxsize=32)
def _kernel(path: PathValues, form: IntervalForm) -> Kernel:
    assert path.at is not None  # only called if there are values
    return path_kernel(path.at, form, values=path.values)
