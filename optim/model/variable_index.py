"""Where the local variables of the intervals are among the Vars of a trajectory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..presolve.phase_transcription import Transcription


@dataclass(frozen=True, eq=False)
class Places:
    """The Vars of a trajectory in one list, and where in it those of each interval are: what a grey box is put on.

    Attributes
    ----------
    variables : list of VarData
        States and stages first, then what shapes the inputs over time: ``u``, ``du`` and a free ``T``; designed
        parameters last.
    index : ndarray (K, .)
        By interval, the places of the local variables in the order of `Interval`.
    shaping : ndarray (K, .)
        Of those the knots of the inputs and a free duration.
    first_shaping, end_shaping : int
        Where in the list those begin, and where they end.
    """

    variables: list
    index: np.ndarray
    shaping: np.ndarray
    first_shaping: int
    end_shaping: int


def places(b: Any, t: Transcription) -> Places:
    """Return where on the Pyomo block `b` the local variables of the intervals are."""
    K, d = t.mesh.intervals, t.scheme.degree
    states, stages = ("q", "v", "w"), ("a", "dw", "z", "f", "e")
    inputs = ("u", "du") if t.shape.has_rates else ("u",)
    variables: list = []
    at: dict[str, np.ndarray] = {}
    first_shaping = 0
    for name in (*states, *stages, *inputs):
        if name == "u":
            first_shaping = len(variables)
        found = list(getattr(b, name).values())
        rows = (K, d) if name in stages else (K + 1,) if name in states else (len(b.input_mesh),)
        at[name] = len(variables) + np.arange(len(found)).reshape(*rows, len(found) // int(np.prod(rows)))
        variables += found
    begin, end = (np.hstack([at[name][rows] for name in states]) for rows in (slice(0, K), slice(1, K + 1)))
    inner = np.concatenate([at[name] for name in stages], axis=2).reshape(K, -1)
    shaping = np.hstack([at["du" if knot.rate else "u"][knot.end : knot.end + K] for knot in t.shape.knots])
    if t.is_free:
        shaping = np.hstack([shaping, np.full((K, 1), len(variables))])
        variables.append(b.T)
    end_shaping = len(variables)
    variables += [b.p[name] for name in t.design_names]
    design = np.tile(np.arange(end_shaping, len(variables)), (K, 1))
    return Places(variables, np.hstack([begin, inner, end, shaping, design]), shaping, first_shaping, end_shaping)
