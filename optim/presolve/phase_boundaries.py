"""Phase boundaries: the boundary conditions of every phase of a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import suggestion
from flexblocks.statics.operating_point import OperatingPoint

from ..errors import ProblemError
from ..problem.phase import Phase
from ..problem.problem import Problem
from .boundary import End
from .boundary_equilibrium import boundary_equilibrium, equilibrium_at, split_prescribed
from .bounds import Limits
from .equilibrium import undetermined_at_rest
from .feasibility.open_base import at_rest, open_base, with_momentum
from .feasibility.redundant_references import led_coordinates, redundant_references
from .feasibility.shared_travel import reference_states
from .inputs.known_motions import known_columns, limits_at
from .meeting.meeting_end import meeting_end
from .moving_end import split_motion
from .path_values import PathValues
from .postures.admissible import Admissible, admissible_postures
from .postures.inverse_statics import Posture
from .settling_states import settling_states

PEAK = 15 / 8  # largest rate of a quintic from rest to rest, relative to the mean one


def phase_ends(
    dae: DAE,
    problem: Problem,
    p: Sequence[np.ndarray],
    *,
    design: bool,
    limits: Sequence[Limits],
    paths: Sequence[PathValues],
    times: Sequence[float],
) -> list[tuple[End, End]]:
    """Return the boundary conditions at both ends of each phase, under the parameters `p` of the phases.

    With a `design` the equilibria depend on variables and are solved for with the motion; so are those of a redundant
    arm whose tip position is prescribed. Of several postures at a place the nearest that keeps the path values of its
    phase, `paths`, is taken.

    Targets on a course are where they are at the ends of the phases, after `times` [s]; with a free duration they are
    met by the optimisation.

    Raises
    ------
    ProblemError
        An unknown name; no equilibrium at the start or a goal.
    """
    kind = "rest" if design else "fixed"
    admissible = [
        admissible_postures(path, phase) if path.rows else None
        for path, phase in zip(paths, problem.phases, strict=True)
    ]

    def limits_in(i: int, time: float) -> Limits:
        """Return the limits at a time [s] of phase `i`."""
        return limits_at(dae, problem, problem.phases[i], limits[i], time) if problem.prescribed else limits[i]

    there = limits_in(0, 0.0)
    start = boundary_equilibrium(dae, problem.start, p[0], "plan: start", limits=there, admissible=admissible[0])
    # References lead an arm in motion: where they would hold it still says nothing of them.
    leading = reference_states(dae) if start.moving and dae.tree.feedback is not None else ()
    named = split_prescribed(dae, problem.start, "plan: start")
    begin = End(kind, start.point, *named, loose=leading, moving=start.moving)
    _refuse_moving(begin, "plan: start", design, 0.0)
    if problem.periodic:
        begin = _periodic(dae, problem, begin)
    boundaries = []
    for i, phase in enumerate(problem.phases):
        where = "plan: " if len(problem.phases) == 1 else f"plan: phase '{phase.name}': "
        if phase.goal is not None:
            values = p[i + 1] if phase.balance == "next" else p[i]
            if phase.leeway and design:
                raise ProblemError(
                    f"{where}leeway, but the equilibrium there depends on design parameters; leave one of them out."
                )
            there = phase.goal_at(times[i])
            bounds = limits_in(i, times[i])
            goal = _goal(dae, there, values, f"{where}goal", phase, begin.point, bounds, admissible[i])
            states, outputs = split_prescribed(dae, there, f"{where}goal")
            if phase.leeway and outputs:
                raise ProblemError(
                    f"{where}leeway, and {', '.join(outputs)}, which are not coordinates; give the goal by coordinates."
                )
            _refuse_moving(goal, f"{where}goal", design, phase.leeway)
            known = known_columns(dae, problem) if problem.prescribed else ()
            floats = _open_base(dae, goal, states, outputs)
            # Bristles of friction end where the motion takes them, and what holds the arm balances them there.
            is_open = goal.freedom or (floats and outputs) or (undetermined_at_rest(dae) and not goal.moving)
            goal_kind = "near" if phase.leeway else "rest" if is_open else kind
            states = {name: value for name, value in states.items() if name not in problem.prescribed}
            # In motion, pressures and openings of valves belong to the forces, which are free there as accelerations
            # are: those that hold the arm still, with valves closed, do not let it move on.
            loose = tuple(range(2 * dae.tree.size, len(dae.x))) if goal.moving else ()
            # Bent for the next load the arm is not in balance with this one: currents are free to bend it, as torques.
            if phase.balance == "next" and not goal.moving and phase.is_timed:
                loose = settling_states(dae, goal.point, float(phase.duration))
            if dae.tree.feedback is not None and not goal.moving and goal_kind != "rest":
                loose += redundant_references(dae, goal.point, times[i] or 1.0)
                known = (*known, *led_coordinates(dae, goal.point, times[i] or 1.0))
            at = with_momentum(dae, goal.point, begin.point, floats) if goal.moving and floats else goal.point
            end = End(goal_kind, at, states, outputs, open=(*floats, *known), loose=loose, moving=goal.moving)
            if dae.tree.has_undriven_base and goal.moving and (outputs or _names_rates(dae, floats, there)):
                end = _passed_afloat(dae, end, there, f"{where}goal")
            if phase.courses and not phase.is_timed:
                if design or phase.leeway:
                    raise ProblemError(
                        f"{where}goal: a course at a free time, and leeway or design parameters; leave one of them out."
                    )
                end = meeting_end(dae, phase, end, times[i], f"{where}goal")
        else:
            bounds = limits_in(i, times[i])
            end = End("passing", _passed(dae, problem, i, p[i], where, bounds), phase.passing or {})
        begin = replace(begin, point=replace(begin.point, p=p[i]))
        boundaries.append((begin, end))
        begin = replace(end, kind="fixed" if end.kind == "fixed" and not (end.open or end.loose) else "joined")
    return boundaries


def _periodic(dae: DAE, problem: Problem, begin: End) -> End:
    """Return the beginning of a periodic motion, in motion through what the start names.

    Raises
    ------
    ProblemError
        Closed loops, or a start that names other quantities than states.
    """
    if dae.tree.loops.closures:
        raise ProblemError(
            f"plan: periodic, but '{dae.name}' has closed loops, whose states depend on each other; plan one period "
            "from rest to rest."
        )
    if begin.prescribed_outputs:
        raise ProblemError(
            f"plan: start: {', '.join(begin.prescribed_outputs)}: a periodic motion passes states; name coordinates."
        )
    named = {name: value for name, value in begin.prescribed.items() if name not in problem.prescribed}
    return End("passing", begin.point, named, moving=begin.moving)


def _goal(
    dae: DAE,
    there: Mapping[str, float],
    p: np.ndarray,
    where: str,
    phase: Phase,
    before: OperatingPoint,
    limits: Limits,
    admissible: Admissible | None,
) -> Posture:
    """Return the posture of a goal: the nearest one; the nearest that limits on rates allow, if they forbid that."""

    def nearest(limits: Limits) -> Posture:
        return boundary_equilibrium(dae, there, p, where, near=before, limits=limits, admissible=admissible)

    goal, n = nearest(limits), dae.tree.size
    rates = limits.x[n : 2 * n]
    if not phase.is_timed or not np.isfinite(rates).any() or all(name in dae.x for name in there):
        return goal
    way = before.x[:n, None] + float(phase.duration) / PEAK * rates
    low, high = np.maximum(limits.x[:n, 0], way[:, 0]), np.minimum(limits.x[:n, 1], way[:, 1])
    q = goal.point.x[:n]
    if np.all((low <= q) & (q <= high)) or np.any(low > high):
        return goal
    x = limits.x.copy()
    x[:n] = np.stack([low, high], axis=1)
    with suppress(ProblemError):
        return nearest(replace(limits, x=x))
    return goal


def _open_base(dae: DAE, goal: Posture, states: Mapping[str, float], outputs: Mapping[str, float]) -> tuple[int, ...]:
    """Return the coordinates of a floating base that a goal leaves to momentum.

    None at places that are passed in motion: these are kept by all states, those of the base among them.
    """
    if not dae.tree.has_undriven_base or (goal.moving and outputs):
        return ()
    return open_base(dae, at_rest(dae, goal.point), states)


def _names_rates(dae: DAE, floating: Sequence[int], there: Mapping[str, float]) -> bool:
    """Whether a goal prescribes rates of a floating base, while others move."""
    named = {f"der({dae.q_names[i]})" for i in floating}
    moving = {name for name, value in there.items() if name.startswith("der(") and value}
    return bool(named & there.keys() and moving - named)


def _passed_afloat(dae: DAE, end: End, there: Mapping[str, float], where: str) -> End:
    """Return an end in motion through places, of which momentum says where the base is and how it moves.

    Posture and rates are solved for with the motion, as where a target on a course is met.
    """
    if not open_base(dae, at_rest(dae, end.point), end.prescribed):
        return end
    _, motion = split_motion(dae, there, where)
    rates = {name: value for name, value in motion.items() if name in dae.x}
    velocities = {name: value for name, value in motion.items() if name not in rates}
    return replace(
        end,
        kind="course",
        prescribed={**end.prescribed, **rates},
        prescribed_outputs={**end.prescribed_outputs, **velocities},
        open=(),
        loose=(),
    )


def _refuse_moving(end: End | Posture, where: str, design: bool, leeway: float) -> None:
    """Refuse an end in motion whose posture depends on variables, or that may be missed."""
    if not end.moving:
        return
    for there, what in ((design, "design parameters"), (leeway, "leeway")):
        if there:
            raise ProblemError(f"{where}: {what}, and rates that are not zero; leave one of them out.")


def _passed(dae: DAE, problem: Problem, i: int, p: np.ndarray, where: str, limits: Limits | None) -> OperatingPoint:
    """Return a guess of the end of phase `i`, which ends in motion; unspecified coordinates are interpolated."""
    n, passing = dae.tree.size, problem.phases[i].passing or {}
    for name in passing:
        if name not in dae.x:
            raise ProblemError(f"{where}passing: there is no state '{name}'{suggestion(name, dae.x.names)}")
    postures = [problem.start, *(phase.goal or phase.passing or {} for phase in problem.phases)]
    if problem.periodic:
        postures[-1] = problem.start
    coordinates = {}
    for name in dict.fromkeys(name for posture in postures for name in posture if name in dae.q_names):
        known = [k for k, posture in enumerate(postures) if name in posture]
        coordinates[name] = float(np.interp(i + 1, known, [postures[k][name] for k in known]))
    point = equilibrium_at(dae, coordinates, p, f"{where}passing", limits)
    x = point.x.copy()
    for name, value in passing.items():
        x[dae.x.index(name)] = value
    x[n : 2 * n] = 0.0
    return replace(point, x=x)
