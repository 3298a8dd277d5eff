"""Sizes of inputs of several units in a motion, so that their squares compare."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...tolerances import ROUNDING
from ..bounds import sizes_by_unit
from ..phase_transcription import PhaseTranscription
from .characteristic_magnitudes import characteristics


def input_sizes(phases: Sequence[PhaseTranscription]) -> dict[str, float]:
    """Return the largest input of each unit in the rigid arm's motion, by the names of the inputs with that unit.

    Of a unit that it has no use for, what could accelerate the arm alike.
    """
    dae, problem = phases[0].dae, phases[0].problem
    found = [characteristics(t) for t in phases]
    used, least = (
        sizes_by_unit(dae, problem, np.max(values, axis=0))
        for values in ([each.used for each in found], [each.magnitudes["u"] for each in found])
    )
    return {name: size if size > ROUNDING * least[name] else least[name] for name, size in used.items()}
