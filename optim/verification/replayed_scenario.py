"""A scenario of a plan as it is replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ..errors import ProblemError
from ..model.read_solution import input_polynomials, trajectory
from ..model.trajectories import PhaseTrajectory
from ..presolve.boundary_equilibrium import boundary_rest, translated_rest
from ..presolve.bounds import other_limits
from ..presolve.parameters import place_of
from ..presolve.path_values import PathValues, resolved_path
from ..problem.phase import Phase
from ..problem.problem import Problem
from ..problem.validation import numbers
from .replay import Leg, outputs_at


def scenario_run(
    run: Sequence[PhaseTrajectory], scenario: Mapping[str, float] | None = None, dae: DAE | None = None
) -> tuple[OperatingPoint, list[Leg]]:
    """Return the rest from which a scenario starts, and its phases.

    Parameters
    ----------
    run : sequence of PhaseTrajectory
    scenario : dict of float, optional
        Other values of parameters; start and goals are then equilibria under them.
    dae : DAE, optional
        Another model of the arm; start and goals are then its own equilibria.

    Raises
    ------
    ProblemError
        The scenario names what is not symbolic, or what phases have values for.
    """
    first = run[0].transcription
    as_planned = scenario is None and dae is None
    own = [arc.p if scenario is None else _parameters(arc, scenario) for arc in run]
    if dae is not None:
        own = [dae.p.values(dict(zip(first.dae.p.names, p.tolist(), strict=True))) for p in own]
    arm = first.dae if dae is None else dae
    start = run[0].start if as_planned else _rest(arm, first.problem.start, own[0], run[0].start, "start")
    legs = []
    for i, (arc, p) in enumerate(zip(run, own, strict=True)):
        phase, inputs = arc.transcription.phase, input_polynomials(arc)
        ranges = first.problem.ranges_in(phase)
        if phase.goal is None:
            planned, goal = trajectory(arc, inputs), None
            outputs = {name: float(planned[name][-1]) for name in planned.names["y"]}
        else:
            balance = own[i + 1] if phase.balance == "next" else p
            goal = arc.goal if as_planned else _rest(arm, phase.goal, balance, arc.goal, "goal")
            outputs = outputs_at(arm, goal)
        legs.append(
            Leg(
                phase.name,
                inputs,
                arc.mesh.duration,
                p,
                outputs,
                goal,
                ranges,
                arc.transcription.path if dae is None else _path(dae, first.problem, phase),
                is_impact=arc.transcription.begins_with_impact,
            )
        )
    return start, legs


def _path(dae: DAE, problem: Problem, phase: Phase) -> PathValues:
    """Return what is limited on the way, for another model of the arm."""
    return resolved_path(dae, other_limits(dae, problem.ranges_in(phase)), problem.path_in(phase))


def _rest(dae: DAE, given: Mapping[str, float], p: np.ndarray, planned: OperatingPoint, where: str) -> OperatingPoint:
    """Return the rest of another model, or under other parameters, nearest to the planned one."""
    return boundary_rest(dae, given, p, f"replay: {where}", near=translated_rest(dae, planned)).point


def _parameters(arc: PhaseTrajectory, scenario: Mapping[str, float]) -> np.ndarray:
    t, p = arc.transcription, arc.p
    for name, value in numbers("replay: scenario", scenario).items():
        if name in t.phase.p:
            raise ProblemError(f"replay: scenario: '{name}' has a value in p of phase '{t.phase.name}'; leave it out.")
        p[place_of(t.dae, name, "replay: scenario")] = value
    return p
