"""The first guess that a user gives: set, compared with the planner's own, and solved from."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.user_warning import warn

from ...collocation.transcription_options import (
    TranscriptionArguments,
    takes_transcription_options,
    transcription_options,
)
from ...errors import PlanError
from ...model.build import model_of
from ...model.initial_guess import set_guess
from ...model.objective import set_costs
from ...model.trajectories import all_phase_trajectories, phase_trajectories, transcribed_problem
from ...model.violations import worst_share
from ...problem.problem import Problem
from ...problem.rest_to_rest import RestToRest
from ...results.plan import Plan
from ...verification.shared_coordinates import shared_coordinates
from ...warning_kinds import POOR_GUESS
from ..solver import Solver, was_ended
from ..warm_start import start_from
from .guess_series import Guess, Table, of_phases, read_guess, table_of

GIVEN = "from the given guess"
# A guess counts as useless whose equations are off by this many times their magnitude, and as many times as those
# of the planner's own guess.
OUTRANKED = 10.0
# IPOPT's mu_init from a solution, from a feasible motion of another objective, and its default.
LEAST_BARRIER, NEAR, BARRIER = 1e-7, 1e-3, 0.1


@takes_transcription_options
def rigid_motion(
    dae: DAE, problem: Problem | RestToRest, *, p: Any = None, **transcription: Unpack[TranscriptionArguments]
) -> Trajectory:
    """Return the motion from which a plan starts: that of the equivalent rigid arm, with static deflections.

    To be looked at, and to be changed: ``optim.plan(dae, problem, guess={"joint1.angle": (motion.t, changed)})``.

    Parameters
    ----------
    dae : DAE
    problem : Problem or RestToRest
    **transcription
    p : dict of float, optional
        Values of the symbolic parameters, by name.

    Returns
    -------
    Trajectory
        Of the first scenario, its phases joined, at mesh and collocation points; its inputs are clipped to their
        limits.

    Raises
    ------
    FlexblocksError
        The problem is malformed, contains an unknown name, or its start or goal is infeasible.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models, optim
    >>> dae = fb.assemble(models.subudhi_morris_2002(links=1))
    >>> swing = optim.RestToRest(start={"joint1.angle": 0.0}, goal={"joint1.angle": 1.5}, duration=2.0)
    >>> float(optim.rigid_motion(dae, swing, intervals=20)["joint1.angle"][-1])
    1.5
    """
    model = model_of(dae, problem, transcription_options(transcription), p)
    set_costs(model)
    return Plan.from_model(model).trajectory


def solve_from_given(model: Any, guess: Guess, solver: Solver) -> Plan | None:
    """Return the plan from a given guess; or None, with the planner's own guess in the model again.

    The guess is what breaks its equations and limits least: the user's, unless the planner's own is ten times better.
    From a guess that hardly breaks any, as a solution of the problem, steps begin with a low barrier.

    Raises
    ------
    ProblemError
        The guess is none of this arm.
    PlanError
        The solve was ended from outside.
    """
    own = worst_share(model)
    read = read_guess(guess)
    set_given(model, read)
    given = worst_share(model)
    asked = transcribed_problem(model)
    if given > OUTRANKED * max(own, 1.0):
        warn(
            f"Plan of '{asked.arm.name}': the given guess breaks the equations of the problem by {given:.3g} of "
            f"their magnitude, the planner's own by {own:.3g}: planned from its own.",
            POOR_GUESS,
        )
        set_own(model)
        return None
    of_plan = read.transcribed if isinstance(read, Plan) else None
    is_solution = of_plan is not None and (of_plan.problem, of_plan.options) == (asked.problem, asked.options)
    least = LEAST_BARRIER if of_plan is not None and of_plan.problem.objective == asked.problem.objective else NEAR
    # What a motion breaks by a share costs the objective the square of it.
    barrier = float(np.clip(given**2, least, BARRIER))
    near = {"mu_init": barrier, "bound_push": barrier, "bound_frac": barrier} if barrier < BARRIER else {}
    try:
        known = read.multipliers if isinstance(read, Plan) and is_solution else None
        return solver.solve(GIVEN, model, near, solver.budget.share, known)
    except PlanError as error:
        if was_ended(error):
            raise
    set_own(model)
    return None


def set_given(model: Any, given: Plan | Trajectory | Table) -> None:
    """Set all free Vars of a model from a guess, what it does not have to what goes with it."""
    transcribed = transcribed_problem(model)
    if isinstance(given, Plan):
        other = given.transcribed
        if [len(run) for run in other.runs] == [len(run) for run in transcribed.runs]:
            start_from(model, given.pyomo_model, shared_coordinates(other.dae, transcribed.dae))
            return
        given = given.trajectory
    series = of_phases(table_of(given, transcribed.arm), transcribed.first)
    for run in phase_trajectories(model):
        for traj, of_phase in zip(run, series, strict=True):
            set_guess(traj.block, traj.transcription, series=of_phase)


def set_own(model: Any) -> None:
    """Set all free Vars of a model to the planner's own guess."""
    for traj in all_phase_trajectories(model):
        set_guess(traj.block, traj.transcription)
