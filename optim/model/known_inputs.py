"""Known inputs, fixed at all mesh points: accelerations of known motions, known disturbances, inputs that are off."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..presolve.known_motions import known_values
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.planned_inputs import held_inputs


def fix_known_inputs(b: Any, t: PhaseTranscription) -> None:
    """Fix known inputs: their values and rates, or the means of piecewise constant inputs."""
    if t.borrows_inputs:
        return
    times = t.mesh.times
    known = known_values(t.dae, t.problem, t.phase, times) if t.problem.prescribed else {}
    nothing = np.zeros(len(times))
    off = held_inputs(t.dae, t.limits).keys() - known.keys()
    for name, (integral, value, rate) in (known | dict.fromkeys(off, (nothing, nothing, nothing))).items():
        values = value if t.shape.is_continuous else np.diff(integral) / t.mesh.steps
        for k, at_point in enumerate(values.tolist()):
            b.u[k, name].fix(at_point)
        if t.shape.has_rates:
            for k, at_point in enumerate(rate.tolist()):
                b.du[k, name].fix(at_point)
