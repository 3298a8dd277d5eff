"""Variable index: the indices of each interval's local variables among the Vars of a phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..collocation.interval_layout import LocalVariables, point_sizes, state_sizes
from ..presolve.phase_transcription import PhaseTranscription

#: The Vars in which the last interval ends if the goal leaves modes open, see `reached_state`, and those of the goal.
REACHED = {"reached_q": "q", "reached_v": "v"}


@dataclass(frozen=True, eq=False)
class VariableIndex:
    """The Vars of a phase in one list, and the indices of each interval's variables in it, as a grey box needs them.

    Attributes
    ----------
    variables : list of VarData
        States and collocation variables first, then those that define the inputs over time, ``u``, ``du`` and a free
        ``T``; design parameters last.
    local : ndarray (K, number of local variables)
        By interval, the indices of its local variables in the order of `LocalVariables`.
    shaping : ndarray (K, .)
        Among these, the knots of the inputs and a free duration.
    first_shaping, end_shaping : int
        First index of the latter in the list, and the index after the last.
    """

    variables: list
    local: np.ndarray
    shaping: np.ndarray
    first_shaping: int
    end_shaping: int


def variable_index(b: Any, t: PhaseTranscription) -> VariableIndex:
    """Return the variable index of a phase on the Pyomo block `b`."""
    K, d, none = t.mesh.intervals, t.scheme.degree, np.zeros((t.mesh.intervals, 0), dtype=int)
    variables: list = []

    def appended(name: str, *rows: int) -> np.ndarray:
        """Append the members of an indexed Var; return their indices (*rows, .)."""
        first, members = len(variables), list(getattr(b, name).values())
        variables.extend(members)
        return (first + np.arange(len(members))).reshape(*rows, len(members) // int(np.prod(rows)))

    # States, collocation variables, inputs, duration, design parameters: the order of the list
    states = {name: appended(name, K + 1) for name in state_sizes(t.dae)}
    points = {name: appended(name, K, d) for name in point_sizes(t.dae, len(t.static.names))}
    ends = {name: rows[1:] for name, rows in states.items()}
    if t.unresolved.names:
        ends |= {of: np.vstack([ends[of][:-1], appended(part, 1)]) for part, of in REACHED.items()}
    first_shaping = len(variables)
    inputs = {name: appended(name, len(b.input_mesh)) for name in (("u", "du") if t.shape.has_rates else ("u",))}
    duration = none
    if t.is_free:
        duration = np.full((K, 1), len(variables))
        variables.append(b.T)
    end_shaping = len(variables)
    variables += [b.p[name] for name in t.design_names]
    local = LocalVariables(
        begin={name: rows[:-1] for name, rows in states.items()},
        points=[{name: rows[:, j] for name, rows in points.items()} for j in range(d)],
        end=ends,
        knots=[inputs["du" if knot.rate else "u"][knot.end : knot.end + K] for knot in t.shape.knots],
        duration=duration,
        design=np.tile(np.arange(end_shaping, len(variables)), (K, 1)),
    )
    return VariableIndex(variables, np.hstack(local.ordered), np.hstack(local.shaping), first_shaping, end_shaping)
