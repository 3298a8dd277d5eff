"""Plan a motion: transcribe, solve, recover, refine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from flexblocks.dae.dae import DAE

from .collocation.transcription_options import (
    TranscriptionArguments,
    TranscriptionOptions,
    takes_transcription_options,
    transcription_options,
)
from .errors import PlanError
from .model.trajectories import transcribed_problem
from .problem.problem import Problem
from .problem.rest_to_rest import RestToRest
from .results.plan import Plan
from .solve import solve
from .strategy.homotopy import solve_by_homotopy, warn_of_jumps
from .strategy.mesh_refinement import refine_mesh, tolerance_of
from .strategy.obstacle_homotopy import solve_past_obstacles
from .strategy.recovery import recover
from .strategy.solving import Solving

STRAIGHT = "from the default start"


@takes_transcription_options
def plan(
    dae: DAE,
    problem: Problem | RestToRest,
    *,
    p: Any = None,
    refine: bool | float = False,
    tee: bool = False,
    progress: bool | None = None,
    solver_options: Mapping[str, Any] | None = None,
    **transcription: Unpack[TranscriptionArguments],
) -> Plan:
    """Plan an optimal motion of an arm.

    A fixed duration is solved for at once. A free one is approached: least effort at a duration that the rigid arm can
    keep, then what is asked, with effort in the objective in between where that fails; ``plan.attempts`` tells how each
    solve went.

    Parameters
    ----------
    dae : DAE
    problem : Problem or RestToRest
    **transcription
    p : dict of float, optional
        Values of the symbolic parameters, by name.
    refine : bool or float
        The greatest miss of the replay [m], True for 0.1 mm: double the intervals until the plan replays so and leaves
        less than 1e-4 J. A plan that lives off energy which its scheme swallows is made again by Lobatto collocation,
        which swallows none, of degree 4 and 6 before intervals are doubled. A plan that does not get there by 800
        intervals has the status ``"unresolved"``, one that does ``"optimal"``. By default the plan is not replayed, and
        ``"converged"`` is the solver's word only.
    tee, progress, solver_options
        See `solve`.

    Returns
    -------
    Plan

    Warns
    -----
    PlanWarning
        Shortest time without limits on the rates of the inputs.

    Raises
    ------
    FlexblocksError
        The problem is malformed, names what is not there, or cannot be met at its ends; nothing was computed.
    PlanError
        The solver found no optimum; ``error.plan`` is its last iterate.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models, optim
    >>> dae = fb.assemble(models.subudhi_morris_2002(links=1))
    >>> swing = optim.RestToRest(start={"joint1.angle": 0.0}, goal={"joint1.angle": 1.5}, duration=2.0)
    >>> optim.plan(dae, swing, intervals=20).status
    'converged'
    """

    tolerance = None if refine is False else tolerance_of(refine)

    def solved(model: Any, options: dict[str, Any]) -> Plan:
        return solve(model, tee=tee, progress=progress, solver_options=options | dict(solver_options or {}))

    solving = Solving(dae, p, solved)
    return plan_with(solving, problem, transcription_options(transcription), tolerance)


def plan_with(
    solving: Solving, problem: Problem | RestToRest, options: TranscriptionOptions, tolerance: float | None = None
) -> Plan:
    """Plan a motion by the ladder of strategies: the straight way, then recovery, then refinement; see `plan`.

    Parameters
    ----------
    solving : Solving
        The arm, how its models are solved, and the settings of the ladder.
    problem : Problem or RestToRest
    options : TranscriptionOptions
    tolerance : float, optional
        Greatest miss of the replay [m]; by default the mesh is not refined.
    """
    model = solving.model(problem, options)
    transcribed = transcribed_problem(model)
    try:
        if transcribed.is_free:
            warn_of_jumps(transcribed)
            found = solve_by_homotopy(model, solving)
        elif any(t.path.rows for t in transcribed.first):
            found = solve_past_obstacles(STRAIGHT, model, solving, ())
        else:
            found = solving.attempt(STRAIGHT, model, ())
    except PlanError as error:
        found = recover(model, solving, error)
    return found if tolerance is None else refine_mesh(found, solving, tolerance)
