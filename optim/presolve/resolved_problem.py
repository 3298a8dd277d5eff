"""Resolved problem: the task of an arm, by phase and scenario, before ends and meshes are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dae.require_differentiable import require_differentiable

from ..collocation.transcription_options import TranscriptionOptions
from ..errors import ProblemError
from ..problem.objectives.functionals import Extending
from ..problem.phase import Phase
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from .bounds import Limits, chosen_inputs, other_limits, resolved_limits, with_own_limits
from .inputs.known_motions import bounded_by_known, limits_at
from .inputs.planned_inputs import with_planned_inputs
from .margins import check_margins, narrowed
from .parameters import resolved_parameters
from .path_values import PathValues, resolved_path
from .postures.admissible import Admissible


@dataclass(frozen=True, eq=False)
class ResolvedProblem:
    """A problem resolved against an arm.

    Attributes
    ----------
    arm, dae : DAE
        As it was passed in; with the inputs of the plan alone.
    problem : Problem
        With what is known of prescribed coordinates, and the limits of joints.
    options : TranscriptionOptions
        With a number of intervals for each phase.
    p : ndarray (np,)
        Values of the symbolic parameters unless a scenario or phase overrides them.
    designed : tuple of int
        Indices of the design parameters.
    parameters : list of list of ndarray (np,)
        By scenario and phase.
    paths : list of list of PathValues
        By scenario and phase.
    limits : list of Limits
        By phase.
    """

    arm: DAE
    dae: DAE
    problem: Problem
    options: TranscriptionOptions
    p: np.ndarray
    designed: tuple[int, ...]
    parameters: list[list[np.ndarray]]
    paths: list[list[PathValues]]
    limits: list[Limits]

    @property
    def phases(self) -> Sequence[Phase]:
        """The phases of the problem."""
        return self.problem.phases

    def admissible(self, scenario: int, i: int, time: float) -> Admissible:
        """Return what phase `i` of a scenario requires of a posture at rest, at a time of the phase [s].

        Known inputs have one value there. Path values are requested at the end of the phase.
        """
        limits, phase = self.limits[i], self.phases[i]
        if self.problem.prescribed:
            limits = limits_at(self.dae, self.problem, phase, limits, time)
        end = 0.0 if isinstance(phase.duration, str) else float(np.mean(phase.duration))
        return Admissible(limits, self.paths[scenario][i], end)


def resolved_problem(
    arm: DAE, problem: Problem | RestToRest, options: TranscriptionOptions, p: Mapping[str, float] | np.ndarray | None
) -> ResolvedProblem:
    """Resolve a problem against an arm; see `transcribe`.

    Raises
    ------
    FlexblocksError
        The problem is malformed or contains an unknown name.
    """
    problem = _checked(arm, problem)
    require_differentiable(arm, "plan")
    arm = next((term.extended(arm) for _, term in problem.objective.terms if isinstance(term, Extending)), arm)
    dae, problem = with_planned_inputs(arm, problem)
    if dae.tree.state_ranges:
        problem = with_own_limits(dae, problem)
    phases, options, margins = problem.phases, options.for_phases(len(problem.phases)), options.margins or {}
    problem.objective.check_inputs(options.input_shape, chosen_inputs(dae, problem), arm.u.names)
    base, designed = dae.p.values(p, "plan: "), ()
    parameters = [[base] * len(phases)]
    if problem.design or problem.scenarios or any(phase.p for phase in phases):
        designed, parameters = resolved_parameters(dae, problem, base)
    ranges = [problem.ranges_in(phase) for phase in phases]
    paths = [
        [
            resolved_path(dae, other_limits(dae, bounds, values, designed), problem.path_in(phase))
            for phase, bounds, values in zip(phases, ranges, run, strict=True)
        ]
        for run in parameters
    ]
    if margins:
        check_margins(dae, ranges, [path for run in paths for path in run], margins)
        ranges = [narrowed(bounds, margins) for bounds in ranges]
    limits = [resolved_limits(dae, bounds, options.input_shape) for bounds in ranges]
    if problem.prescribed:
        limits = [bounded_by_known(dae, problem, phase, limit) for phase, limit in zip(phases, limits, strict=True)]
    _check_bounded(dae, problem, limits)
    return ResolvedProblem(arm, dae, problem, options, base, designed, parameters, paths, limits)


def _checked(dae: Any, problem: Any) -> Problem:
    if not isinstance(dae, DAE):
        raise ProblemError(f"plan: dae = {dae!r}; must be what fb.assemble(model) returns.")
    if isinstance(problem, RestToRest):
        problem = problem.problem
    if not isinstance(problem, Problem):
        raise ProblemError(f"plan: problem = {problem!r}; must be an optim.RestToRest(...) or optim.Problem(...).")
    return problem


def _check_bounded(dae: DAE, problem: Problem, limits: list[Limits]) -> None:
    """Refuse a minimum-time problem without limits."""
    for phase, limit in zip(problem.phases, limits, strict=True):
        if phase.duration != "free" or 0 in problem.objective.input_weights(dae.u.names):
            continue
        if not any(np.isfinite(group).any() for group in (limit.x, limit.u, limit.du)):
            raise ProblemError(
                f"plan: objective = {problem.objective}; nothing limits how fast the arm moves. Limit its inputs, as "
                'in limits={"motor1.torque": 2.0}.'
            )
