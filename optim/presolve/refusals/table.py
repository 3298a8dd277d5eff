"""The table of refusals: what is asked of every transcribed problem, and what only after a solve has failed."""

from __future__ import annotations

from collections.abc import Callable

from ..transcribed_problem import TranscribedProblem
from .beyond_limits import check_limits, check_path
from .conserved_momentum import check_momenta
from .determined_values import check_determined_values
from .energy_bound import check_impulse
from .input_count import check_input_count
from .line_reach import check_lines
from .phase_changes import check_lengths, check_pick_ups
from .shared_inputs import check_shared_holding, check_shared_momentum
from .shortest_times import check_rates, check_speeds
from .unmoved_coordinates import check_moved
from .weak_inputs import check_weak_inputs

Check = Callable[[TranscribedProblem], None]

# Cheap ones, in the order in which they speak; and momenta, which a discretization does not conserve.
BEFORE: tuple[Check, ...] = (
    check_limits,
    check_pick_ups,
    check_lengths,
    check_shared_holding,
    check_rates,
    check_speeds,
    check_path,
    check_momenta,
)

# Those that take a search or a program of their own, or seldom speak.
AFTER_A_FAILURE: tuple[Check, ...] = (
    check_input_count,
    check_moved,
    check_impulse,
    check_shared_momentum,
    check_determined_values,
    check_lines,
    check_weak_inputs,
)


def refuse(transcribed: TranscribedProblem) -> None:
    """Refuse a problem for what tells at once that it has no solution.

    Raises
    ------
    ProblemError
    """
    for check in BEFORE:
        check(transcribed)


def refuse_unsolved(transcribed: TranscribedProblem) -> None:
    """Refuse a problem that a solver has failed on for what tells that it has no solution.

    Raises
    ------
    ProblemError
    """
    for check in AFTER_A_FAILURE:
        check(transcribed)
