"""Feasibility checks of start and goal before anything is solved, with their messages.

No equilibrium; limits or path constraints violated; no common holding inputs; too far for the rates;
too few input parameters; a conserved momentum in the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ..collocation.transcription_options import TranscriptionOptions
from ..errors import ProblemError
from ..problem.problem import Problem
from ..problem.validation import Duration
from .boundary import End
from .bounds import Limits
from .equilibrium import independent_states
from .feasibility.controllability_check import Ends, inertia_is_constant, listed_scenarios, scenarios_apart
from .feasibility.shared_travel import reference_states
from .path_values import PathValues

ROUNDING = 1e-9  # tolerance of a limit, relative to the value or absolute below one unit


def no_equilibrium(where: str, cause: Exception) -> ProblemError:
    """Return the error for a boundary without equilibrium; `where` is ``"plan: goal"`` or the like."""
    return ProblemError(f"{where}: the arm cannot stay at rest there. {cause}")


def check_boundary_limits(dae: DAE, limits: Sequence[Limits], boundaries: Sequence[tuple[End, End]]) -> None:
    """Refuse known equilibria of a scenario whose states or holding inputs violate their limits.

    Parameters
    ----------
    limits, boundaries : sequence
        By phase.

    Raises
    ------
    ProblemError
        The message names the variable.
    """
    for i, (begin, end) in enumerate(boundaries):
        if i == 0 and begin.kind == "fixed":
            _check_within(dae, limits[0], "start", begin.point.x, None if begin.moving else begin.point.u)
        if end.kind == "fixed":
            _check_within(dae, limits[i], "goal", end.point.x, None if end.moving else end.point.u)
        if i and begin.kind == "fixed":  # the holding inputs were checked at the previous goal
            _check_within(dae, limits[i], "start", begin.point.x, None)


def check_boundary_path(path: PathValues, begin: End, end: End, duration: float) -> None:
    """Refuse known equilibria that violate the path constraints.

    Parameters
    ----------
    duration : float
        Time [s] at which the goal is reached.

    Raises
    ------
    ProblemError
        The message names the constraint and its violation.
    """
    for where, boundary, time in (("start", begin, 0.0), ("goal", end, duration)):
        if boundary.kind != "fixed":
            continue
        values = path.at_rest(boundary.point, time)
        excess = path.excess(values) - ROUNDING * np.maximum(1.0, np.abs(values))
        for i in np.flatnonzero(excess > 0):
            raise ProblemError(f"plan: {where}: {path.constraints[i].refusal(where, path.rows[i], values[i])}")


def check_shared_holding(dae: DAE, ends: Ends) -> None:
    """Refuse shared inputs whose holding values differ between scenarios.

    Raises
    ------
    ProblemError
        The message names an input and two of its values.
    """
    for where, points in (
        ("start", [run[0][0].point for run in ends]),
        ("goal", [run[-1][1].point for run in ends if run[-1][1].is_rest]),
    ):
        shared = list(reference_states(dae))
        for other in points[1:]:
            first, held = (np.concatenate([point.x[shared], point.u]) for point in (points[0], other))
            apart = np.abs(held - first) > ROUNDING * np.maximum(1.0, np.abs(held))
            if apart.any():
                name = [*(dae.x.names[i] for i in shared), *dae.u.names][int(np.argmax(apart))]
                raise ProblemError(
                    f'plan: input_ends = "holding", but the scenarios share their inputs and {name} holds them at the '
                    f'{where} with {points[0][name]:g} and {other[name]:g}; take input_ends="free".'
                )


def check_rates(dae: DAE, limits: Limits, begin: End, end: End, duration: Duration, holding: bool) -> None:
    """Refuse a motion between known equilibria that exceeds its duration even at the rate limits throughout.

    Parameters
    ----------
    dae : DAE
    limits : Limits
    begin, end : End
    duration : float, (float, float) or "free"
    holding : bool
        Whether the inputs begin and end at their holding values, so that their rates count too.

    Raises
    ------
    ProblemError
        The message names the variable, its limit and the minimum duration.
    """
    if begin.kind != "fixed" or end.kind != "fixed":
        return
    longest = np.inf if isinstance(duration, str) else float(np.max(duration))
    for name, unit, step, (low, high) in _changes(dae, limits, begin.point, end.point, holding):
        if abs(step) <= ROUNDING:
            continue
        fastest = high if step > 0 else low
        least = np.inf if step * fastest <= 0 else step / fastest
        if least > longest * (1 + ROUNDING):
            needed = "never gets there" if np.isinf(least) else f"takes {least:.4g} s at least"
            raise ProblemError(
                f"RestToRest: limits: der({name}) within {low:g} to {high:g} {unit}/s: {name} has to change by "
                f"{step:.4g} {unit}, which {needed}; the duration is {longest:.4g} s at most. Widen the limit or the "
                "duration."
            )


def check_input_count(
    dae: DAE, problem: Problem, options: TranscriptionOptions, ends: Ends, left_open: Sequence[Sequence[int]]
) -> None:
    """Refuse goals with more terminal conditions than there are input parameters.

    Parameters
    ----------
    options : TranscriptionOptions
        With a number of intervals for each phase.
    ends : sequence
        By scenario and phase.
    left_open : sequence of sequence of int
        Likewise, how many modes a goal leaves open.

    Raises
    ------
    ProblemError
        The message names the scenarios and what to relax.
    """
    shape, intervals = options.input_shape, sum(options.counts)
    values = (intervals + len(options.counts) * shape.is_continuous) * len(dae.u) * (1 + shape.has_rates)
    if shape.is_continuous:
        joined = sum(not phase.input_jump for phase in problem.phases[1:])
        held = 2 if problem.input_ends == "holding" else 0
        values -= len(dae.u) * (joined * (1 + shape.has_rates) + held)
    values += sum(not phase.is_timed for phase in problem.phases) + len(problem.design)
    wanted = sum(
        _conditions(dae, end, count)
        for run, counts in zip(ends, left_open, strict=True)
        for (_, end), count in zip(run, counts, strict=True)
    )
    if wanted <= values:
        return
    who = "the arm is"
    if len(ends) > 1:
        who = f"{len(ends)} scenarios ({listed_scenarios(problem, range(len(ends)))}) are"
    raise ProblemError(
        f"plan: {who} to be at rest at the goal: {wanted} conditions, and the inputs on {intervals} intervals "
        f"have {values} values to meet them with. Take more intervals"
        f"{', fewer scenarios' if len(ends) > 1 else ''}, or give the phase a leeway."
    )


def check_shared_momentum(dae: DAE, problem: Problem, ends: Ends) -> None:
    """Refuse scenarios whose goals no shared input can reach because a momentum is conserved.

    Raises
    ------
    ProblemError
        The message names two scenarios, or all of them, and what to relax.
    """
    apart = scenarios_apart(dae, problem, ends) if inertia_is_constant(dae) else None
    if apart is not None:
        raise ProblemError(
            f"plan: no inputs move the scenarios {apart} together: nothing holds the arm but its inputs, which change "
            "the momenta of all of them alike, so different inertias move differently. Plan them separately, give the "
            "phase a leeway and a goal for fewer coordinates, or share references of servos (fb.PDServo) in place of "
            "torques."
        )


def _check_within(dae: DAE, limits: Limits, where: str, x: np.ndarray, u: np.ndarray | None) -> None:
    for group, values, bounds, noun in ((dae.x, x, limits.x, ""), (dae.u, u, limits.u, " to hold the arm at rest")):
        if values is None:
            continue
        slack = ROUNDING * np.maximum(1.0, np.abs(values))
        for i in np.flatnonzero((values < bounds[:, 0] - slack) | (values > bounds[:, 1] + slack)):
            raise ProblemError(
                f"plan: {where}: {group.names[i]} = {values[i]:g} {group.units[i]}{noun}; its limits are "
                f"{bounds[i, 0]:g} to {bounds[i, 1]:g}. Move the {where} or widen the limit."
            )


def _changes(
    dae: DAE, limits: Limits, start: OperatingPoint, goal: OperatingPoint, holding: bool
) -> Iterator[tuple[str, str, float, np.ndarray]]:
    """Yield every variable with a limited rate: name, unit, change from start to goal, limits of its rate."""
    n = dae.tree.size
    for i, name in enumerate(dae.q_names):
        yield name, dae.x.units[i], float(goal.x[i] - start.x[i]), limits.x[n + i]
    if holding:
        for i, name in enumerate(dae.u.names):
            yield name, dae.u.units[i], float(goal.u[i] - start.u[i]), limits.du[i]


def _conditions(dae: DAE, end: End, left_open: int) -> int:
    """Return the number of terminal conditions at the end of a phase."""
    if end.kind == "fixed":
        fixed = [i for i in independent_states(dae, end.point) if i not in end.loose]
        return len(fixed) - 2 * left_open - 2 * len(end.open)
    return len(end.prescribed) if end.kind in ("near", "passing") else 0
