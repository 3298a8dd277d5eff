"""Collocated equations of motion of a phase, as one grey box."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..casadi_solver import CasadiGreyBox, attach
from ..collocation.equations_of_motion import interval_kernel
from ..collocation.interval import residual_names
from ..ipopt_options import COLLOCATED
from ..presolve.phase_transcription import PhaseTranscription
from .variable_index import VariableIndex

#: Rates at which open loops close, times the length of the interval. With 1 or less the optimum makes use of what stays
#: open, and plans of slow linkages take hundreds of iterations.
CLOSING_VELOCITY = 1000.0
CLOSING_POSITION = 10.0


def steps(t: PhaseTranscription) -> np.ndarray:
    """Return the length of each interval [s], (K,), or its fraction of a free duration."""
    return t.mesh.shares if t.is_free else t.mesh.steps


def constants(t: PhaseTranscription) -> np.ndarray:
    """Return the constants of each interval (K, 3 + np): see `steps`, the parameters, and `closing`."""
    return np.column_stack([steps(t), np.tile(t.p, (t.mesh.intervals, 1)), closing(t)])


def closing(t: PhaseTranscription) -> np.ndarray:
    """Return the factors of each interval (K, 2) with which open loops close, see `stabilised`.

    Radau collocation closes them in velocity only, and so fast that it collocates J v = 0, the closures of index 2:
    positions, closed at the start, stay so up to its errors. With closures of index 3, which a factor of the position
    brings in, fine meshes of linkages with soft links do not end: the four-bar of the tests takes 6 iterations on 200
    intervals without. Lobatto collocation does not damp what is so stiff: there, both decay within the interval.
    """
    s = CLOSING_POSITION / t.mesh.steps
    if t.scheme.is_symmetric:
        return np.column_stack([2 * s, s**2])
    return np.column_stack([CLOSING_VELOCITY / t.mesh.steps, 0 * s])


def add_equations_of_motion(b: Any, t: PhaseTranscription, index: VariableIndex) -> None:
    """Add ``b.dynamics``: the collocated equations of motion of all intervals."""
    box = CasadiGreyBox(
        interval_kernel(t.dae, t.form),
        index.local,
        constants(t),
        name="dynamics",
        residual_names=residual_names(t.dae, t.form),
        n_inputs=len(index.variables),
        ipopt_options=COLLOCATED,
    )
    attach(b, "dynamics", box, index.variables)
