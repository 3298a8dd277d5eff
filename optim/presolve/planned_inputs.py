"""The inputs of a plan: those that it moves, those that are known beforehand, and those that are left out as zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.with_inputs import with_inputs
from flexblocks.errors import listing

from ..errors import ProblemError
from ..problem.known_motion import known_motion
from ..problem.phase import Phase
from ..problem.problem import Problem
from ..problem.validation import STILL
from .bounds import Limits

WHERE = "plan: prescribed"
SAMPLES = 1001  # of a known input over a phase, for its least and greatest value


def planned_arm(dae: DAE, problem: Problem) -> DAE:
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
    known = {name for name in dae.u.names if name in problem.prescribed}
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


def known_inputs(dae: DAE, problem: Problem) -> tuple[str, ...]:
    """Return the inputs of a planned arm that are known beforehand, but for accelerations of known motions."""
    return dae.u.with_role("disturbance") if problem.prescribed else ()


def begin_of(problem: Problem, phase: Phase) -> float:
    """Return the time at which a phase begins [s]; after a free duration all that is known is constant."""
    earlier = problem.phases[: problem.phases.index(phase)]
    return sum(each.duration for each in earlier if isinstance(each.duration, float))


def bounded_by_known(dae: DAE, problem: Problem, phase: Phase, limits: Limits) -> Limits:
    """Return the limits of a phase with the least and greatest values of known inputs."""
    duration = phase.duration if isinstance(phase.duration, float) else 0.0
    times = begin_of(problem, phase) + np.linspace(0.0, duration, SAMPLES)
    u, du = limits.u.copy(), limits.du.copy()
    for name in known_inputs(dae, problem):
        for bounds, values in zip((u, du), known_motion(WHERE, problem.prescribed[name], times), strict=False):
            between = np.max(np.abs(np.diff(values)), initial=0.0)
            bounds[dae.u.index(name)] = values.min() - between, values.max() + between
    return replace(limits, inputs=(u, du))


def no_limits(dae: DAE) -> Limits:
    """Return limits that limit nothing."""
    x, u, du = (np.tile([-np.inf, np.inf], (count, 1)) for count in (len(dae.x), len(dae.u), len(dae.u)))
    return Limits(x, (u, du))


def limits_at(dae: DAE, problem: Problem, limits: Limits, time: float) -> Limits:
    """Return the limits at a time [s], where known inputs have one value each."""
    names = known_inputs(dae, problem)
    if not names:
        return limits
    u = limits.u.copy()
    for name in names:
        u[dae.u.index(name)] = known_motion(WHERE, problem.prescribed[name], np.array([time]))[0, 0]
    return replace(limits, inputs=(u, *limits.inputs[1:]))


def held_inputs(dae: DAE, limits: Limits | None) -> dict[str, float]:
    """Return the inputs that limits hold at one value, by name."""
    if limits is None:
        return {}
    return {name: low for name, (low, high) in zip(dae.u.names, limits.u.tolist(), strict=True) if low == high}
