"""Known inputs: accelerations of coordinates whose motion is known beforehand, fixed at all mesh points."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..presolve.known_motions import known_accelerations
from ..presolve.phase_transcription import PhaseTranscription


def fix_known_inputs(b: Any, t: PhaseTranscription) -> None:
    """Fix the accelerations of known motions: their values and rates, or the means of piecewise constant inputs."""
    if t.borrows_inputs:
        return
    times = t.mesh.times
    for name, (rate, acceleration, jerk) in known_accelerations(t.dae, t.problem, t.phase, times).items():
        values = acceleration if t.shape.is_continuous else np.diff(rate) / t.mesh.steps
        for k, value in enumerate(values.tolist()):
            b.u[k, name].fix(value)
        if t.shape.has_rates:
            for k, value in enumerate(jerk.tolist()):
                b.du[k, name].fix(value)
