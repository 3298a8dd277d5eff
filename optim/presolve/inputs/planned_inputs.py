"""The inputs of a plan: those that it moves, those that are known beforehand, and those that are left out as zero."""

from __future__ import annotations

from collections.abc import Sequence

from flexblocks.dae.dae import DAE
from flexblocks.dae.with_inputs import with_inputs
from flexblocks.errors import listing

from ...errors import ProblemError
from ...problem.problem import Problem
from ...problem.validation import STILL
from .known_motions import with_known_motions
from .references import prescribed_as, with_planned_names, with_planned_references


def with_planned_inputs(arm: DAE, problem: Problem) -> tuple[DAE, Problem]:
    """Return the arm with the inputs of a plan alone, and the problem with what is known of prescribed coordinates.

    Raises
    ------
    ProblemError
        See `with_planned_references`, `with_known_motions` and `_planned_arm`.
    """
    dae = arm
    if any(arm.u.derivative_of):
        dae, problem = with_planned_references(arm, problem), with_planned_names(arm, problem)
    if problem.prescribed:
        problem = with_known_motions(dae, problem)
    known = problem.prescribed or dae.u.with_role("disturbance")
    ranges = (bounds for phase in problem.phases for bounds in problem.ranges_in(phase).values())
    if len(dae.u) and not known and all(low < high for low, high in ranges):
        return dae, problem
    return _planned_arm(dae, problem), problem


def _planned_arm(dae: DAE, problem: Problem) -> DAE:
    """Return the arm with the inputs of a plan alone.

    It moves actuators, and disturbances that have a limit. Disturbances are zero otherwise, and so are inputs whose
    limits are (0, 0) in every phase; these vanish. What is left with the role of a disturbance is known beforehand.

    Raises
    ------
    ProblemError
        Nothing is left to move; a limit (0, 0) of anything but an input; a known input that has a limit.
    """
    ranges = [problem.ranges_in(phase) for phase in problem.phases]
    for name in dict.fromkeys(name for each in ranges for name, (low, high) in each.items() if low == high):
        if name not in dae.u:
            raise ProblemError(f"plan: limits: {name} = (0, 0); must be (low, high) with low < high.{STILL}")
    off = {name for name in dae.u.names if all(name in each and each[name] == (0.0, 0.0) for each in ranges)}
    limited = {name for name in dae.u.names if any({name, f"der({name})"} & each.keys() for each in ranges)}
    known = {name for name in dae.u.names if prescribed_as(dae, problem, name) is not None}
    if known & limited:
        name = min(known & limited)
        raise ProblemError(f"plan: limits: {name}, which is prescribed; leave the limit out.")
    disturbances = set(dae.u.with_role("disturbance"))
    moved = set(dae.u.names) - off - known - (disturbances - limited)
    if not moved:
        raise ProblemError(_nothing_to_move(dae, sorted(disturbances - known)))
    return with_inputs(
        dae, moved | known, dict.fromkeys(known, "disturbance") | dict.fromkeys(disturbances & moved, "actuator")
    )


def _nothing_to_move(dae: DAE, disturbances: Sequence[str]) -> str:
    if not len(dae.u):
        return f"plan: '{dae.name}' has no inputs; add a TorqueSource or ForceSource."
    text = f"plan: '{dae.name}' has no input that a plan moves"
    if not disturbances:
        return f"{text}; add a TorqueSource or ForceSource, or do not prescribe all inputs or limit them to (0, 0)."
    return (
        f"{text}: {listing(disturbances)} are disturbances, zero unless they are given. Give their block "
        f"role='actuator', as to a thruster, or limits={{'{disturbances[0]}': ...}}; or add a TorqueSource."
    )
