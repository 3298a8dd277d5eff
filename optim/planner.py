"""Optimal motion planning: transcribe, solve by continuation, refine the mesh."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.interrupt import answered
from flexblocks.progress import ProgressDisplay
from flexblocks.user_warning import warn
from flexblocks.validity.large_deflections import without_warning

from .collocation.transcription_options import (
    TranscriptionArguments,
    TranscriptionOptions,
    takes_transcription_options,
    transcription_options,
)
from .errors import PlanError, ProblemError
from .infeasibility.suspicion import in_degrees, suspected
from .model.build import model_of
from .model.objective import set_costs
from .model.trajectories import transcribed_problem
from .presolve.postures.search_time import searching_until
from .presolve.transcribed_problem import TranscribedProblem
from .problem.objectives.functionals import Extending
from .problem.problem import Problem
from .problem.rest_to_rest import RestToRest
from .results.plan import Plan
from .results.summary import MOST_EXCESSES
from .solve import judged
from .solver_statistics import NOT_OPTIMAL
from .strategy.best_so_far import ended_plan
from .strategy.continuation import Continuation
from .strategy.guesses.given_guess import set_given, solve_from_given
from .strategy.guesses.guess_series import Guess
from .strategy.problem_warnings import warn_beyond_states, warn_of_jumps, warn_of_slack, warn_of_wider_limits
from .strategy.refinement.mesh_refinement import criteria_of, refine_mesh
from .strategy.solver import Budget, Solver, was_ended
from .verification.criteria import Criteria
from .warning_kinds import BETWEEN_POINTS, GOAL_IN_DEGREES, UNSEEN_PARAMETERS

BRIEF = 120  # iterations for a problem that is probably mis-specified


@takes_transcription_options
def plan(
    dae: DAE,
    problem: Problem | RestToRest,
    *,
    p: Any = None,
    refine: bool | float | Criteria = False,
    time_limit: float | None = None,
    tee: bool = False,
    progress: bool | None = None,
    solver_options: Mapping[str, Any] | None = None,
    guess: Guess | None = None,
    **transcription: Unpack[TranscriptionArguments],
) -> Plan:
    """Plan an optimal motion of an arm by direct collocation.

    Most problems of fixed duration are solved directly. Others go by way of easier ones, from which the solver walks
    back: a free duration by least effort in a fixed time, obstacles by the motion without them, scenarios by their
    mean, friction by friction that is rounded off. ``plan.attempts`` records every solve. All of them together may
    take 600 iterations.

    Parameters
    ----------
    dae : DAE
    problem : Problem or RestToRest
    **transcription
    p : dict of float, optional
        Values of the symbolic parameters, by name.
    refine : bool, float or Criteria
        Refine the mesh until the replay misses the goal by less than this [m] and leaves little energy; True: less than
        1e-4 of the arm's reach, 0.1 mm for 1 m, and than 1e-4 of the largest kinetic energy. A plan that exploits the
        numerical damping of its scheme is first planned again with Lobatto collocation, which has none, of degree 4 and
        then 6; only then are intervals halved where their local errors are large. The status is then ``"optimal"``, or
        ``"unresolved"`` if 800 intervals or two minutes of CPU are not enough (with a warning; `time_limit` takes
        the place of these). By default the plan is not replayed, and ``"converged"`` says that the solver reached an
        optimum whose equations hold, on a mesh with errors below a hundredth of the reach, with a warning if
        `Plan.mesh_errors` says that it is too coarse still; with larger ones the plan is ``"unresolved"``.
    time_limit : float, optional
        Wall time [s] after which planning ends, counted over everything: building, all solves, refinement. What is best
        by then is returned, with a warning, and its status says what it is: ``"converged"``, ``"unresolved"`` if it
        is to be refined and its replay missed too much, ``"feasible, not optimal"``, or by how much it ``"misses the
        goal"``. Ctrl-C does the same. The equations of an arm that has not
        been planned before are derived to their end, which takes seconds for some tens of states.
    tee, progress, solver_options
        See `solve`.
    guess : Plan, Trajectory, dict or path, optional
        Where the solver starts: another plan or motion, also of another mesh, duration or discretisation of the arm, or
        of its rigid twin; ``{"joint1.angle": (times, values), ...}`` for some states, algebraic variables and inputs;
        or a file with a plan or a motion. Time is stretched to the duration of the problem; what the guess does not
        have follows from the rest. If it fails, or if its equations are off by ten times their magnitude and ten times
        as much as those of the planner's own guess (`rigid_motion`), the plan is made without it.

    Returns
    -------
    Plan

    Warns
    -----
    PlanWarning
        No optimum within these iterations, but a motion that keeps all limits, which is returned; minimum time without
        limits on the rates of the inputs; a mesh that is too coarse, see `Plan.mesh_errors`; a
        motion that violates its path constraints or limits of states between collocation points, see `Plan.excesses`.

    Raises
    ------
    FlexblocksError
        The problem is malformed, contains an unknown name, or its start or goal is infeasible; also where a solve
        has failed and start, goal and limits alone show why, as a line that is out of reach.
    PlanError
        The solver did not reach an optimum; ``error.plan`` is its last iterate, or the nearest motion that keeps all
        limits.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models, optim
    >>> dae = fb.assemble(models.subudhi_morris_2002(links=1))
    >>> swing = optim.RestToRest(start={"joint1.angle": 0.0}, goal={"joint1.angle": 1.5}, duration=2.0)
    >>> optim.plan(dae, swing, intervals=20).status
    'converged'
    """

    budget, criteria = Budget.of_seconds(time_limit), criteria_of(refine)
    solver = Solver(budget, tee, progress, dict(solver_options or {}))
    # All attempts are one long work: in a log, many short ones show as well.
    in_time = nullcontext() if time_limit is None else searching_until(budget.end)
    with ProgressDisplay("Planning", None, False if tee else progress), in_time:
        try:
            return plan_with(dae, problem, transcription_options(transcription), p, solver, criteria, guess)
        except PlanError as error:
            if error.plan is None or not was_ended(error):
                raise
            return ended_plan(error, solver.plans, dae, problem)
        except KeyboardInterrupt:  # between two solves
            if not solver.plans:
                raise
            answered()
            last = replace(solver.plans[-1], status="interrupted")
            return ended_plan(PlanError("interrupted between two solves", last), solver.plans, dae, problem)


@without_warning()
def plan_with(
    dae: DAE,
    problem: Problem | RestToRest,
    options: TranscriptionOptions,
    p: Any = None,
    solver: Solver | None = None,
    criteria: Criteria | None = None,
    guess: Guess | None = None,
) -> Plan:
    """Plan a motion: from the user's guess, else by continuation; then refine its mesh. See `plan`.

    Parameters
    ----------
    dae : DAE
    problem : Problem or RestToRest
    options : TranscriptionOptions
    p : dict of float, optional
    solver : Solver, optional
        How models are solved, within which budget.
    criteria : Criteria, optional
        Of the replay; by default the mesh is not refined.
    guess : Plan, Trajectory, dict or path, optional
        As of `plan`.
    """
    # Transcribe
    solver = solver or Solver()
    try:
        model = model_of(dae, problem, options, p)
    except ProblemError as error:
        if (suspicion := suspected(dae, problem)) is None:
            raise
        raise ProblemError(f"{error} {suspicion}") from None
    transcribed = transcribed_problem(model)
    if (suspicion := in_degrees(dae, transcribed.problem)) is not None:
        warn(f"plan: goal: {suspicion}", GOAL_IN_DEGREES)
        solver.budget.iterations = min(solver.budget.iterations, BRIEF)
    warn_of_slack(transcribed)
    warn_of_wider_limits(transcribed)
    if transcribed.is_free:
        warn_of_jumps(transcribed)
    # Solve
    extending = [term for _, term in transcribed.problem.objective.terms if isinstance(term, Extending)]
    if guess is None and extending:
        _begin_as(extending[0], model, transcribed)
    given = None if guess is None else solve_from_given(model, guess, solver)
    try:
        solution = given or Continuation(model, solver).run()
    except PlanError as error:
        if suspicion is None or was_ended(error):
            raise
        raise PlanError(f"{error}\n{suspicion}", error.plan, error.violations, error.report) from None
    # Refine the mesh, or look between its points
    if criteria is not None and solution.status != NOT_OPTIMAL:
        solution = refine_mesh(solution, criteria, solver)
    else:
        solution = judged(solution)
        if any(t.path.rows or np.isfinite(t.limits.x).any() for t in transcribed.first):
            _warn_of_excesses(solution)
    warn_beyond_states(solution)
    return _told(extending, solution) if extending else solution


def _begin_as(term: Extending, model: Any, transcribed: TranscribedProblem) -> None:
    """Set a model of one phase in a given time to the motion that a term of the objective begins with."""
    first = transcribed.first[0]
    if len(transcribed.first) > 1 or first.duration_range is not None:
        return
    motion = term.guess(first.dae, first.begin.point, float(first.phase.duration), first.limits.u, first.p)
    if motion is not None:
        set_given(model, motion)
        set_costs(model)


def _told(extending: list[Extending], plan: Plan) -> Plan:
    """Return a plan, with a warning of what terms of its objective say of it."""
    for remark in (remark for term in extending for remark in term.remarks(plan.trajectory)):
        warn(f"Plan of '{plan.transcribed.dae.name}': {remark}.", UNSEEN_PARAMETERS)
    return plan


def _warn_of_excesses(plan: Plan) -> None:
    if excesses := plan.excesses:
        warn(
            f"Plan of '{plan.transcribed.dae.name}': beyond its limits between collocation points, where the solver "
            f"does not look: {listing(map(str, excesses), MOST_EXCESSES)}. Plan with more intervals, or with "
            "refine=True; or give obstacles a margin, and limits one by margins={name: ...}.",
            BETWEEN_POINTS,
        )
