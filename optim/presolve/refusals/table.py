"""The table of refusals: checks of every transcribed problem, and those made only after a solve has failed.

Each check raises a ProblemError that names what cannot be, by how much, and what to change.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..magnitudes.characteristic_magnitudes import characteristics
from ..transcribed_problem import TranscribedProblem
from .beyond_limits import check_limits, check_path
from .conserved_momentum import check_momenta
from .determined_values import check_determined_values
from .energy_bound import MARGIN, check_impulse
from .input_count import check_input_count
from .line_reach import check_lines
from .phase_changes import check_lengths, check_pick_ups
from .shared_inputs import check_shared_holding, check_shared_momentum
from .shortest_times import check_rates, check_speeds
from .unmoved_coordinates import check_moved
from .weak_inputs import check_weak_inputs

Check = Callable[[TranscribedProblem], None]
Asked = Callable[[TranscribedProblem], bool]


def _asks_too_much(transcribed: TranscribedProblem) -> bool:
    """Whether the rigid arm's motion takes ten times of what an input can give: only then inputs may be too weak."""
    for t in transcribed.first:
        if t.begin.is_known_rest and t.end.is_known_rest and not isinstance(t.phase.duration, str):
            limit = np.abs(t.limits.u).max(axis=1, initial=0.0)
            limited = np.isfinite(limit) & (limit > 0)
            if limited.any() and np.any(characteristics(t).asked[limited] > MARGIN * limit[limited]):
                return True
    return False


# In the order in which they speak, and for which problems they are made. Momenta are among them, since a discretisation
# does not conserve them: a solver finds motions that no arm makes.
BEFORE: tuple[tuple[Check, Asked], ...] = (
    (check_limits, lambda _: True),
    (check_pick_ups, lambda asked: len(asked.first) > 1),
    (check_lengths, lambda asked: len(asked.first) > 1 and bool(asked.dae.tree.loops.closures)),
    (check_shared_holding, lambda asked: len(asked.runs) > 1 and asked.first[0].is_holding),
    (check_moved, lambda asked: asked.problem.phases[0].balance == "next"),
    (
        check_rates,
        lambda asked: any(
            np.isfinite(t.limits.x[asked.dae.tree.size :]).any() or np.isfinite(t.limits.du).any() for t in asked.first
        ),
    ),
    (check_speeds, lambda asked: any(t.path.rows for t in asked.first)),
    (check_momenta, lambda asked: asked.dae.tree.has_undriven_base),
    (check_input_count, lambda asked: asked.inputs_are_few),
    (check_shared_momentum, lambda asked: len(asked.runs) > 1),
    (check_path, lambda asked: any(t.path.rows for t in asked.first)),
    (check_determined_values, lambda asked: any(t.path.rows for t in asked.first)),
    (check_impulse, _asks_too_much),
    (check_weak_inputs, _asks_too_much),
)

# Those that take a search of their own.
AFTER_A_FAILURE: tuple[Check, ...] = (check_lines,)


def refuse(transcribed: TranscribedProblem) -> None:
    """Refuse a problem that cheap checks show to have no solution.

    Raises
    ------
    ProblemError
    """
    for check, is_asked in BEFORE:
        if is_asked(transcribed):
            check(transcribed)


def refuse_unsolved(transcribed: TranscribedProblem) -> None:
    """Refuse a problem that a solver has failed on if a check shows that it has no solution.

    Raises
    ------
    ProblemError
    """
    for check in AFTER_A_FAILURE:
        check(transcribed)
