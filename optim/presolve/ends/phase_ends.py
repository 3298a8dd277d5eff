"""Phase ends: the boundary conditions of every phase of a motion."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import suggestion
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ...problem.phase import Phase
from ...problem.problem import Problem
from ..boundary import End
from ..bounds import Limits
from ..first_order_states import reference_states, settling_states, undetermined_at_rest
from ..floating_base import floating_base, with_momentum
from ..inputs.known_motions import known_columns
from ..postures.admissible import Admissible
from ..resolved_problem import ResolvedProblem
from .boundary_equilibrium import boundary_equilibrium, equilibrium_at
from .meeting_end import meeting_end
from .redundant_references import led_coordinates, redundant_references

PEAK = 15 / 8  # largest rate of a quintic from rest to rest, relative to the mean one


def phase_ends(asked: ResolvedProblem, scenario: int, times: list[float]) -> list[tuple[End, End]]:
    """Return the boundary conditions at both ends of each phase of a scenario.

    With a design the equilibria depend on variables and are solved for with the motion; so are those of a redundant
    arm whose tip position is prescribed. Of several postures at a place the nearest that keeps the path values of its
    phase is taken.

    Targets on a course are where they are at the ends of the phases, after `times` [s]; with a free duration they are
    met by the optimisation.

    Raises
    ------
    ProblemError
        An unknown name; no equilibrium at the start or a goal.
    """
    p, phases, boundaries = asked.parameters[scenario], asked.phases, []
    begin = _start(asked, p[0], asked.admissible(scenario, 0, 0.0))
    for i, phase in enumerate(phases):
        where = "plan: " if len(phases) == 1 else f"plan: phase '{phase.name}': "
        kept = asked.admissible(scenario, i, times[i])
        if phase.goal is None:
            end = End("passing", _passed(asked, i, p[i], kept.limits, where), phase.passing or {})
        else:
            balance = p[i + 1] if phase.balance == "next" else p[i]
            end = _goal(asked, i, balance, times[i], begin.point, kept, f"{where}goal")
        begin = replace(begin, point=replace(begin.point, p=p[i]))
        boundaries.append((begin, end))
        begin = replace(end, kind="fixed" if end.kind == "fixed" and not (end.open or end.loose) else "joined")
    return boundaries


def _start(asked: ResolvedProblem, p: np.ndarray, admissible: Admissible) -> End:
    dae, problem, where = asked.dae, asked.problem, "plan: start"
    begin = boundary_equilibrium(dae, problem.start, p, where, admissible=admissible)
    if begin.moving:
        _refuse_combined(begin, where, bool(asked.designed), None)
    if problem.periodic:
        return _periodic(dae, problem, begin)
    # References lead an arm in motion: where they would hold it still says nothing of them.
    leading = reference_states(dae) if begin.moving and dae.tree.feedback is not None else ()
    return replace(begin, kind="rest" if asked.designed else "fixed", loose=leading)


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
    asked: ResolvedProblem,
    i: int,
    p: np.ndarray,
    time: float,
    before: OperatingPoint,
    admissible: Admissible,
    where: str,
) -> End:
    """Return the goal of phase `i`: in which posture, how it is held, and what is left open."""
    dae, problem, phase = asked.dae, asked.problem, asked.phases[i]
    rates, there = admissible.limits.x[dae.tree.size : 2 * dae.tree.size], phase.goal_at(time)
    end = boundary_equilibrium(dae, there, p, where, near=before, admissible=admissible)
    if phase.is_timed and np.isfinite(rates).any() and not all(name in dae.x for name in there):
        within = _in_time(dae.tree.size, end, float(phase.duration), before, admissible)
        with suppress(ProblemError):
            end = boundary_equilibrium(dae, there, p, where, near=before, admissible=within) if within else end
    if end.moving or asked.designed or phase.leeway:
        _refuse_combined(end, where, bool(asked.designed), phase)
    base = floating_base(dae, end.point) if dae.tree.has_undriven_base else ()
    known = known_columns(dae, problem) if problem.prescribed else ()
    named = {name: value for name, value in end.prescribed.items() if name not in problem.prescribed}
    end = replace(end, prescribed=named, open=known)
    end = _moving(dae, end, before, base) if end.moving else _resting(asked, i, end, time, base)
    return meeting_end(dae, phase, end, time, where) if phase.courses and not phase.is_timed else end


def _resting(asked: ResolvedProblem, i: int, end: End, time: float, base: tuple[int, ...]) -> End:
    """Return a goal at rest: how it is held, and what momentum, friction and references leave open."""
    dae, phase, has_first_order = asked.dae, asked.phases[i], len(asked.dae.x) > 2 * asked.dae.tree.size
    floats = tuple(c for c in base if dae.q_names[c] not in end.prescribed)
    # Bristles of friction end where the motion takes them, and what holds the arm balances them there.
    is_open = end.freedom or (floats and end.prescribed_outputs) or (has_first_order and undetermined_at_rest(dae))
    kind, loose, known = "near" if phase.leeway else "rest" if is_open or asked.designed else "fixed", (), end.open
    # Bent for the next load the arm is not in balance with this one: currents are free to bend it, as torques.
    if phase.balance == "next" and phase.is_timed and has_first_order:
        loose = settling_states(dae, end.point, float(phase.duration))
    if dae.tree.feedback is not None and kind != "rest":
        loose += redundant_references(dae, end.point, time or 1.0)
        known = (*known, *led_coordinates(dae, end.point, time or 1.0))
    return replace(end, kind=kind, open=(*floats, *known), loose=loose)


def _moving(dae: DAE, end: End, before: OperatingPoint, base: tuple[int, ...]) -> End:
    """Return a goal in motion: of a floating base it leaves open what momentum decides."""
    # Pressures and openings of valves belong to the forces, which are free there as accelerations are: those that hold
    # the arm still, with valves closed, do not let it move on.
    end = replace(end, loose=tuple(range(2 * dae.tree.size, len(dae.x))))
    floats = tuple(c for c in base if dae.q_names[c] not in end.prescribed)
    if not floats:
        return end
    if not end.prescribed_outputs:
        end = replace(end, point=with_momentum(dae, end.point, before, floats))
    rates = {name: value for name, value in end.motion.items() if name in dae.x}
    of_base, driven = {f"der({dae.q_names[c]})" for c in floats}, {name for name, value in rates.items() if value}
    if end.prescribed_outputs or (of_base & rates.keys() and driven - of_base):
        # Of a place that is passed momentum says where the base is and how it moves: posture and rates are solved for
        # with the motion, as where a target on a course is met.
        velocities = {name: value for name, value in end.motion.items() if name not in rates}
        named, outputs = {**end.prescribed, **rates}, {**end.prescribed_outputs, **velocities}
        return replace(end, kind="course", prescribed=named, prescribed_outputs=outputs, open=(), loose=())
    return replace(end, open=(*floats, *end.open))


def _in_time(n: int, goal: End, duration: float, before: OperatingPoint, admissible: Admissible) -> Admissible | None:
    """Return what keeps a goal by place as near as limits on rates require; None if it is, or cannot be."""
    limits = admissible.limits
    way = before.x[:n, None] + duration / PEAK * limits.x[n : 2 * n]
    low, high = np.maximum(limits.x[:n, 0], way[:, 0]), np.minimum(limits.x[:n, 1], way[:, 1])
    q = goal.point.x[:n]
    if np.all((low <= q) & (q <= high)) or np.any(low > high):
        return None
    x = limits.x.copy()
    x[:n] = np.stack([low, high], axis=1)
    return replace(admissible, limits=replace(limits, x=x))


def _refuse_combined(end: End, where: str, design: bool, phase: Phase | None) -> None:
    """Refuse a leeway or design parameters at an end that has to be known, or by coordinates."""
    leeway, start = phase is not None and phase.leeway, where.removesuffix("goal")
    if end.moving and (design or leeway):
        what = "design parameters" if design else "leeway"
        raise ProblemError(f"{where}: {what}, and rates that are not zero; leave one of them out.")
    if leeway and design:
        raise ProblemError(
            f"{start}leeway, but the equilibrium there depends on design parameters; leave one of them out."
        )
    if leeway and end.prescribed_outputs:
        names = ", ".join(end.prescribed_outputs)
        raise ProblemError(f"{start}leeway, and {names}, which are not coordinates; give the goal by coordinates.")
    if phase is not None and phase.courses and not phase.is_timed and (design or leeway):
        raise ProblemError(f"{where}: a course at a free time, and leeway or design parameters; leave one of them out.")


def _passed(asked: ResolvedProblem, i: int, p: np.ndarray, limits: Limits, where: str) -> OperatingPoint:
    """Return a guess of the end of phase `i`, which ends in motion; unspecified coordinates are interpolated."""
    dae, problem, phases = asked.dae, asked.problem, asked.phases
    n, passing = dae.tree.size, phases[i].passing or {}
    for name in passing:
        if name not in dae.x:
            raise ProblemError(f"{where}passing: there is no state '{name}'{suggestion(name, dae.x.names)}")
    postures = [problem.start, *(phase.goal or phase.passing or {} for phase in phases)]
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
