"""Variable index: where the local variables of the intervals are among the Vars of a phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..collocation.interval_layout import LocalVariables, point_sizes, state_sizes
from ..presolve.phase_transcription import Transcription


@dataclass(frozen=True, eq=False)
class VariableIndex:
    """The Vars of a phase in one list, and where in it those of each interval are: what a grey box is put on.

    Attributes
    ----------
    variables : list of VarData
        States and collocation points first, then what shapes the inputs over time: ``u``, ``du`` and a free ``T``;
        designed parameters last.
    local : ndarray (K, number of local variables)
        By interval, the places of its local variables in the order of `LocalVariables`.
    shaping : ndarray (K, .)
        Of those the knots of the inputs and a free duration.
    first_shaping, end_shaping : int
        Where in the list those begin, and where they end.
    """

    variables: list
    local: np.ndarray
    shaping: np.ndarray
    first_shaping: int
    end_shaping: int


def variable_index(b: Any, t: Transcription) -> VariableIndex:
    """Return where on the Pyomo block `b` the local variables of the intervals are."""
    K, d, none = t.mesh.intervals, t.scheme.degree, np.zeros((t.mesh.intervals, 0), dtype=int)
    variables: list = []

    def placed(name: str, *rows: int) -> np.ndarray:
        """Take in an indexed Var; return the places (*rows, .) of its members."""
        first, members = len(variables), list(getattr(b, name).values())
        variables.extend(members)
        return (first + np.arange(len(members))).reshape(*rows, len(members) // int(np.prod(rows)))

    states = {name: placed(name, K + 1) for name in state_sizes(t.dae)}
    points = {name: placed(name, K, d) for name in point_sizes(t.dae, len(t.static.names))}
    first_shaping = len(variables)
    inputs = {name: placed(name, len(b.input_mesh)) for name in (("u", "du") if t.shape.has_rates else ("u",))}
    duration = none
    if t.is_free:
        duration = np.full((K, 1), len(variables))
        variables.append(b.T)
    end_shaping = len(variables)
    variables += [b.p[name] for name in t.design_names]
    places = LocalVariables(
        begin={name: rows[:-1] for name, rows in states.items()},
        points=[{name: rows[:, j] for name, rows in points.items()} for j in range(d)],
        end={name: rows[1:] for name, rows in states.items()},
        knots=[inputs["du" if knot.rate else "u"][knot.end : knot.end + K] for knot in t.shape.knots],
        duration=duration,
        design=np.tile(np.arange(end_shaping, len(variables)), (K, 1)),
    )
    return VariableIndex(variables, np.hstack(places.ordered), np.hstack(places.shaping), first_shaping, end_shaping)
