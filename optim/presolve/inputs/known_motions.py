"""Known motions and inputs: the states of prescribed coordinates where phases begin and end, and inputs in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, suggestion
from flexblocks.libraries import scipy

from ...errors import ProblemError
from ...problem.known_motion import known_motion, start_and_end
from ...problem.phase import Phase
from ...problem.problem import Problem
from ...tolerances import ROUNDING
from ..bounds import Limits
from .references import prescribed_as

WHERE = "plan: prescribed"
SAMPLES = 1001  # of a known input over a phase, for its least and greatest value
# Pieces of a cubic per interval of the mesh in which a replay takes an acceleration; their error is 1e-6 of the plan's.
PIECES = 32
# Gauss quadrature over one interval, exact to the ninth degree.
NODES, WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(5))
NODES = NODES + 0.5


def with_known_motions(dae: DAE, problem: Problem) -> Problem:
    """Return a problem whose start and goals contain what is known of prescribed coordinates.

    Raises
    ------
    ProblemError
        A coordinate that is not prescribed, a limit on its acceleration, or a start or goal that contradicts it.
    """
    known = {each.name: each.acceleration[0] for each in dae.tree.prescribed}
    for name in problem.prescribed:
        if name not in known and name not in dae.u:
            raise ProblemError(
                f"{WHERE}: '{name}' is no prescribed coordinate ({listing(known) or 'there are none'}); assemble with "
                f"prescribed='{name}'. Nor is it an input{suggestion(name, [*known, *dae.u.names], listed=dae.u.names)}"
            )
        if name in known.values():
            raise ProblemError(f"{WHERE}: '{name}' is an acceleration; prescribe the motion of its coordinate.")
    for name in _coordinates(dae, problem):
        for phase in problem.phases:
            accelerations = (known[name], f"der({known[name]})")
            if limited := [limit for limit in problem.ranges_in(phase) if limit in accelerations]:
                raise ProblemError(f"plan: limits: {limited[0]}, but {name} has a known motion; leave the limit out.")
    motions = _coordinates(dae, problem)
    if not motions:
        return problem
    phases, time = [], 0.0
    for phase in problem.phases:
        time += phase.duration if isinstance(phase.duration, float) else 0.0
        if phase.goal is not None:
            phase = replace(phase, goal=_joined(motions, phase.goal, time, f"the goal of phase '{phase.name}'"))
        phases.append(phase)
    start = _joined(motions, problem.start, 0.0, "the start")
    return replace(problem, start=start, phases=tuple(phases))


def _coordinates(dae: DAE, problem: Problem) -> dict[str, Any]:
    """Return the known motions of coordinates, by name."""
    return {name: motion for name, motion in problem.prescribed.items() if name not in dae.u}


def _joined(motions: Mapping[str, Any], values: Mapping[str, float], time: float, where: str) -> dict[str, float]:
    """Return the values at a start or goal with those of the known motions at this time [s]."""
    states = start_and_end(WHERE, motions, time)
    for name in (*motions, *(f"der({name})" for name in motions)):
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


def known_inputs(dae: DAE, problem: Problem) -> tuple[str, ...]:
    """Return the inputs of a planned arm that are known beforehand, but for accelerations of known motions."""
    return dae.u.with_role("disturbance") if problem.prescribed else ()


def begin_of(problem: Problem, phase: Phase) -> float:
    """Return the time at which a phase begins [s]; after a free duration all that is known is constant."""
    earlier = problem.phases[: problem.phases.index(phase)]
    return sum(each.duration for each in earlier if isinstance(each.duration, float))


def bounded_by_known(dae: DAE, problem: Problem, phase: Phase, limits: Limits) -> Limits:
    """Return the limits of a phase with the least and greatest values of known inputs."""
    times = _times(problem, phase)
    u, du = limits.u.copy(), limits.du.copy()
    for name in known_inputs(dae, problem):
        for bounds, values in zip((u, du), _known_input(dae, problem, name, times), strict=False):
            between = np.max(np.abs(np.diff(values)), initial=0.0)
            bounds[dae.u.index(name)] = values.min() - between, values.max() + between
    return replace(limits, inputs=(u, du))


def limits_at(dae: DAE, problem: Problem, phase: Phase, limits: Limits, time: float) -> Limits:
    """Return the limits at rest at a time of a phase [s]: known inputs have one value, rates of references are zero."""
    u = limits.u.copy()
    for name in known_inputs(dae, problem):
        # What is rounding of the largest value is zero, where an arm may be in balance as nothing acts on it.
        times = np.append(begin_of(problem, phase) + time, _times(problem, phase))
        value, *others = _known_input(dae, problem, name, times)[0].tolist()
        is_rate = name not in problem.prescribed
        u[dae.u.index(name)] = 0.0 if is_rate or abs(value) <= ROUNDING * max(map(abs, others)) else value
    return replace(limits, inputs=(u, *limits.inputs[1:]))


def _times(problem: Problem, phase: Phase) -> np.ndarray:
    """Return times through a phase [s], from the beginning of the motion."""
    duration = phase.duration if isinstance(phase.duration, float) else 0.0
    return begin_of(problem, phase) + np.linspace(0.0, duration, SAMPLES)


def known_values(
    dae: DAE, problem: Problem, phase: Phase, times: np.ndarray
) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return integral, value and rate (k,) of each known input at times of a phase, by name.

    Known inputs are the accelerations of known motions, and inputs that are prescribed themselves.
    """
    at = begin_of(problem, phase) + times
    values = {
        each.acceleration[0]: tuple(known_motion(WHERE, problem.prescribed[each.name], at)[1:])
        for each in dae.tree.prescribed
        if each.name in problem.prescribed
    }
    for name in known_inputs(dae, problem):
        within = at[:-1, None] + np.diff(at)[:, None] * NODES
        steps = np.diff(at) * (_known_input(dae, problem, name, within.ravel())[0].reshape(within.shape) @ WEIGHTS)
        values[name] = np.append(0.0, np.cumsum(steps)), *_known_input(dae, problem, name, at)[:2]
    return values


def _known_input(dae: DAE, problem: Problem, name: str, times: np.ndarray) -> np.ndarray:
    """Return a known input, or that of which it is the derivative, with its derivatives at times (k,) [s]: (4, k)."""
    told = prescribed_as(dae, problem, name)
    assert told is not None
    return known_motion(WHERE, problem.prescribed[told[0]], times, told[1])


def exact_inputs(
    dae: DAE, problem: Problem, phase: Phase, mesh_times: np.ndarray
) -> dict[str, scipy.interpolate.PPoly]:
    """Return the known inputs over the time of a phase [s], far finer than on its mesh."""
    count = PIECES * (len(mesh_times) - 1) + 1
    times = np.interp(np.linspace(0.0, 1.0, count), np.linspace(0.0, 1.0, len(mesh_times)), mesh_times)
    exact = {}
    for name, (_, value, rate) in known_values(dae, problem, phase, times).items():
        spline = scipy.interpolate.CubicHermiteSpline(times, value, rate)
        exact[name] = scipy.interpolate.PPoly(spline.c, spline.x, extrapolate=False)
    return exact
