"""The grey boxes of a trajectory: its equations of motion, and what its objective costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyomo.common.modeling import unique_component_name

from .casadi_solver import CasadiGreyBox, attach
from .cost import effort_function, vibration_function
from .dynamics import interval_kernel
from .interval import residual_names
from .objective import Effort, Objective, Time
from .path_cost import path_cost
from .path_objective import Final, Integral, Jerk, Tracking
from .places import Places
from .transcription import Transcription


def constants(t: Transcription) -> np.ndarray:
    """Return by interval (K, 1 + np) its length [s], or its share in a free duration, and the parameters."""
    step = (t.mesh.shares if t.is_free else t.mesh.steps)[:, None]
    return np.hstack([step, np.tile(t.p, (len(step), 1))])


def add_equations_of_motion(b: Any, t: Transcription, at: Places) -> None:
    """Add ``b.dynamics``: the collocated equations of motion of all intervals."""
    box = CasadiGreyBox(
        interval_kernel(t.dae, t.form),
        at.index,
        constants(t),
        name="dynamics",
        residual_names=residual_names(t.dae, t.form),
        n_inputs=len(at.variables),
    )
    attach(b, "dynamics", box, at.variables)


def add_cost(b: Any, t: Transcription, at: Places, term: Objective) -> Any:
    """Return what a term of the objective costs along a trajectory; on a box named after it, ``b.effort``."""
    if isinstance(term, Time):
        return b.T if t.is_free else t.mesh.duration
    if isinstance(term, Final) and t.phase is not t.problem.phases[-1]:
        return 0.0
    name = unique_component_name(b, type(term).__name__.lower())
    if isinstance(term, (Tracking, Integral)):
        attach(b, name, path_cost(t, at, term, name), at.variables)
        return getattr(b, name).outputs["cost"]
    if isinstance(term, (Effort, Jerk)):
        first = at.first_shaping
        on, index, p = at.variables[first : at.end_shaping], at.shaping - first, constants(t)[:, :1]
        function = effort_function(t.shape, term, len(t.dae.u), t.is_free)
    else:
        on, index, p = at.variables, at.index, constants(t)
        function = vibration_function(t.dae, t.form)
    attach(b, name, CasadiGreyBox(function, index, p, name=name, n_inputs=len(on)), on)
    return getattr(b, name).outputs["cost"]
