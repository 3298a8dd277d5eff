"""Replayed scenario: the start and the legs of a scenario for its replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import unknown_vector, unknowns
from flexblocks.statics.operating_point import OperatingPoint, point_at_rest

from ..errors import ProblemError
from ..model.read_solution import input_polynomials, trajectory
from ..model.trajectories import PhaseTrajectory
from ..presolve.bounds import no_limits, other_limits
from ..presolve.ends.boundary_equilibrium import boundary_equilibrium
from ..presolve.first_order_states import reference_states
from ..presolve.inputs.known_motions import exact_inputs, limits_at
from ..presolve.parameters import parameter_index
from ..presolve.path_values import PathValues, resolved_path
from ..presolve.postures.admissible import Admissible
from ..problem.phase import Phase
from ..problem.problem import Problem
from ..problem.validation import numbers
from .arrivals import Leg, outputs_at


def scenario_run(
    run: Sequence[PhaseTrajectory], scenario: Mapping[str, float] | None = None, dae: DAE | None = None
) -> tuple[OperatingPoint, list[Leg]]:
    """Return the initial equilibrium of a scenario, and its legs.

    Parameters
    ----------
    run : sequence of PhaseTrajectory
    scenario : dict of float, optional
        Other parameter values; start and goals are then equilibria under these.
    dae : DAE, optional
        Another model of the arm; start and goals are then its own equilibria.

    Raises
    ------
    ProblemError
        The scenario contains a name that is not symbolic, or one that phases set.
    """
    first = run[0].transcription
    as_planned = scenario is None and dae is None
    parameters = [traj.p if scenario is None else _parameters(traj, scenario) for traj in run]
    if dae is not None:
        parameters = [dae.p.values(dict(zip(first.dae.p.names, p.tolist(), strict=True))) for p in parameters]
    arm = first.dae if dae is None else dae
    problem, start = first.problem, run[0].start
    if not as_planned:
        first_phase = problem.phases[0]
        rest = _rest(arm, problem, first_phase, 0.0, problem.start, parameters[0], start, "start")
        start = _told(arm, rest, start)
    legs = []
    for i, (traj, p) in enumerate(zip(run, parameters, strict=True)):
        phase = traj.transcription.phase
        inputs = input_polynomials(traj)
        if first.problem.prescribed:
            inputs |= exact_inputs(arm, first.problem, phase, traj.mesh.times)
        ranges = first.problem.ranges_in(phase)
        if phase.goal is None:
            planned, goal = trajectory(traj, inputs), None
            outputs = {name: float(planned[name][-1]) for name in planned.names["y"]}
        else:
            balance = parameters[i + 1] if phase.balance == "next" else p
            goal, duration = traj.goal, traj.mesh.duration
            if not as_planned:
                there = phase.goal_at(duration)
                goal = _rest(arm, problem, phase, duration, there, balance, traj.goal, "goal")
            outputs = outputs_at(arm, goal)
        legs.append(
            Leg(
                phase.name,
                inputs,
                traj.mesh.duration,
                p,
                outputs,
                goal,
                ranges,
                traj.transcription.path if as_planned else _path(arm, first.problem, phase, p),
                is_impact=traj.transcription.begins_with_impact,
                rests=goal is not None and traj.transcription.end.is_rest,
            )
        )
    return start, legs


def _told(dae: DAE, start: OperatingPoint, planned: OperatingPoint) -> OperatingPoint:
    """Return a start with the references of the plan, which are given to the arm whatever it carries."""
    x = start.x.copy()
    for i in reference_states(dae):
        x[i] = planned[dae.x.names[i]]
    return replace(start, x=x)


def _path(dae: DAE, problem: Problem, phase: Phase, p: np.ndarray) -> PathValues:
    """Return the path values for another model of the arm, or with other parameters."""
    return resolved_path(dae, other_limits(dae, problem.ranges_in(phase), p), problem.path_in(phase))


def _rest(
    dae: DAE,
    problem: Problem,
    phase: Phase,
    time: float,
    prescribed: Mapping[str, float],
    p: np.ndarray,
    planned: OperatingPoint,
    where: str,
) -> OperatingPoint:
    """Return the equilibrium of another model, or under other parameters, nearest to the planned one."""
    near = _translated(dae, planned)
    known = limits_at(dae, problem, phase, no_limits(dae), time) if problem.prescribed else no_limits(dae)
    return boundary_equilibrium(dae, prescribed, p, f"replay: {where}", near=near, admissible=Admissible(known)).point


def _translated(dae: DAE, point: OperatingPoint) -> OperatingPoint:
    """Translate an equilibrium to another model of the same arm, by name; other variables keep their start values."""
    loops, known = dae.tree.loops.multipliers, point.as_dict()
    names = [name for group in unknowns(dae, dae.x.names, dae.z.names, loops, dae.u.names) for name in group]
    start = unknown_vector(dae, dae.x.start, dae.z.start, np.zeros(len(loops)), dae.u.start)
    s, p = (
        np.array([known.get(name, value) for name, value in zip(group, values.tolist(), strict=True)])
        for group, values in ((names, start), (dae.p.names, dae.p.start))
    )
    return point_at_rest(dae, s, p)


def _parameters(traj: PhaseTrajectory, scenario: Mapping[str, float]) -> np.ndarray:
    t, p = traj.transcription, traj.p
    for name, value in numbers("replay: scenario", scenario).items():
        if name in t.phase.p:
            raise ProblemError(f"replay: scenario: '{name}' has a value in p of phase '{t.phase.name}'; leave it out.")
        p[parameter_index(t.dae, name, "replay: scenario")] = value
    return p
