"""Known motions of prescribed coordinates: their states where phases begin and end, their accelerations in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicHermiteSpline, PPoly

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, nearest

from ..errors import ProblemError
from ..problem.known_motion import known_motion, start_and_end
from ..problem.phase import Phase
from ..problem.problem import Problem

WHERE = "plan: prescribed"
# Pieces of a cubic per interval of the mesh in which a replay takes an acceleration; their error is 1e-6 of the plan's.
PIECES = 32
ROUNDING = 1e-9


def with_known_motions(dae: DAE, problem: Problem) -> Problem:
    """Return a problem whose start and goals contain what is known of prescribed coordinates.

    Raises
    ------
    ProblemError
        A coordinate that is not prescribed, a limit on its acceleration, or a start or goal that contradicts it.
    """
    known = {each.name: each.acceleration[0] for each in dae.tree.prescribed}
    for name in problem.prescribed:
        if name not in known:
            raise ProblemError(
                f"{WHERE}: '{name}' is no prescribed coordinate ({listing(known) or 'there are none'}); assemble with "
                f"prescribed='{name}'.{nearest(name, list(known))}"
            )
        for phase in problem.phases:
            accelerations = (known[name], f"der({known[name]})")
            if limited := [limit for limit in problem.ranges_in(phase) if limit in accelerations]:
                raise ProblemError(f"plan: limits: {limited[0]}, but {name} has a known motion; leave the limit out.")
    phases, time = [], 0.0
    for phase in problem.phases:
        time += phase.duration
        if phase.goal is not None:
            phase = replace(phase, goal=_joined(problem, phase.goal, time, f"the goal of phase '{phase.name}'"))
        phases.append(phase)
    start = _joined(problem, problem.start, 0.0, "the start")
    return replace(problem, start=start, phases=tuple(phases))


def _joined(problem: Problem, values: Mapping[str, float], time: float, where: str) -> dict[str, float]:
    """Return the values at a start or goal with those of the known motions at this time [s]."""
    states = start_and_end(WHERE, problem.prescribed, time)
    for name in (*problem.prescribed, *(f"der({name})" for name in problem.prescribed)):
        there = states.get(name, 0.0)
        if name in values and abs(values[name] - there) > ROUNDING * max(1.0, abs(there)):
            raise ProblemError(
                f"{WHERE}: {name} = {values[name]:g} at {where}, but its known motion has {there:.9g} at {time:g} s; "
                "leave it out."
            )
    return {**values, **states}


def known_columns(dae: DAE, problem: Problem) -> tuple[int, ...]:
    """Return the positions of the coordinates with known motions among all coordinates."""
    return tuple(each.column for each in dae.tree.prescribed if each.name in problem.prescribed)


def known_accelerations(
    dae: DAE, problem: Problem, phase: Phase, times: np.ndarray
) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return rate, acceleration and its rate (k,) of each known motion at times of a phase, by the input's name."""
    begin = sum(earlier.duration for earlier in problem.phases[: problem.phases.index(phase)])
    return {
        each.acceleration[0]: tuple(known_motion(WHERE, problem.prescribed[each.name], begin + times)[1:])
        for each in dae.tree.prescribed
        if each.name in problem.prescribed
    }


def exact_accelerations(dae: DAE, problem: Problem, phase: Phase, mesh_times: np.ndarray) -> dict[str, PPoly]:
    """Return the accelerations of known motions over the time of a phase [s], far finer than on its mesh."""
    count = PIECES * (len(mesh_times) - 1) + 1
    times = np.interp(np.linspace(0.0, 1.0, count), np.linspace(0.0, 1.0, len(mesh_times)), mesh_times)
    exact = {}
    for name, (_, acceleration, jerk) in known_accelerations(dae, problem, phase, times).items():
        spline = CubicHermiteSpline(times, acceleration, jerk)
        exact[name] = PPoly(spline.c, spline.x, extrapolate=False)
    return exact
