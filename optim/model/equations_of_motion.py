"""Collocated equations of motion of a phase, as one grey box."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..casadi_solver import CasadiGreyBox, attach
from ..collocation.equations_of_motion import interval_kernel
from ..collocation.interval import residual_names
from ..presolve.phase_transcription import PhaseTranscription
from .variable_index import VariableIndex

#: MUMPS' default 1e-6 pivots too loosely for collocated flexible arms, which converge only with about 1e-2.
IPOPT_OPTIONS = {"mumps_pivtol": 1e-2}


def constants(t: PhaseTranscription) -> np.ndarray:
    """Return the constants of each interval (K, 1 + np): length [s], or fraction of a free duration, and parameters."""
    step = (t.mesh.shares if t.is_free else t.mesh.steps)[:, None]
    return np.hstack([step, np.tile(t.p, (len(step), 1))])


def add_equations_of_motion(b: Any, t: PhaseTranscription, index: VariableIndex) -> None:
    """Add ``b.dynamics``: the collocated equations of motion of all intervals."""
    box = CasadiGreyBox(
        interval_kernel(t.dae, t.form),
        index.local,
        constants(t),
        name="dynamics",
        residual_names=residual_names(t.dae, t.form),
        n_inputs=len(index.variables),
        ipopt_options=IPOPT_OPTIONS,
    )
    attach(b, "dynamics", box, index.variables)
