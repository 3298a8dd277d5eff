"""Plan a motion: transcribe, solve, recover, refine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flexblocks.dae.dae import DAE

from .collocation.schemes import Collocation, collocation
from .errors import PlanError
from .model.build import pyomo_model
from .model.trajectories import outline_of
from .problem.problem import Problem
from .problem.rest_to_rest import RestToRest
from .results.plan import Plan
from .solve import solve
from .strategy.homotopy import Solving, solve_in_stages, warn_of_jumps
from .strategy.mesh_refinement import refined, tolerance_of
from .strategy.obstacle_homotopy import solve_around
from .strategy.recovery import mended


def plan(
    dae: DAE,
    problem: Problem | RestToRest,
    *,
    intervals: int | Sequence[int] = 100,
    degree: int = 3,
    scheme: str = "radau",
    inputs: str = "cubic",
    quasi_static: Any = None,
    p: Any = None,
    refine: bool | float = False,
    tee: bool = False,
    progress: bool | None = None,
    solver_options: Mapping[str, Any] | None = None,
) -> Plan:
    """Plan an optimal motion of an arm.

    A fixed duration is solved for at once. A free one is approached: least effort at a duration that the rigid arm can
    keep, then what is asked, with effort in the objective in between where that fails; ``plan.attempts`` tells how each
    solve went.

    Parameters
    ----------
    dae : DAE
    problem : Problem or RestToRest
    intervals, degree, scheme, inputs, quasi_static, p
        The transcription, see `pyomo_model`: 100 intervals with Radau collocation of degree 3, inputs continuous with
        their rates.
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

    def model_of(asked: Problem | RestToRest, counts: int | Sequence[int], points: Collocation, static: Any) -> Any:
        chosen = {"degree": points.degree, "scheme": points.name, "inputs": inputs, "quasi_static": static}
        return pyomo_model(dae, asked, intervals=counts, p=p, **chosen)

    def solved(model: Any, options: dict[str, Any]) -> Plan:
        return solve(model, tee=tee, progress=progress, solver_options=options | dict(solver_options or {}))

    tolerance = tolerance_of(refine)
    model = model_of(problem, intervals, collocation(scheme, degree), quasi_static)
    solving = Solving(model_of, solved)
    outline = outline_of(model)
    warn_of_jumps(outline)
    try:
        if outline.is_free:
            found = solve_in_stages(model, solving)
        else:
            found = solve_around("from the default start", model, solving, ())
    except PlanError as error:
        found = mended(model, solving, error)
    return found if tolerance is None else refined(found, solving, tolerance)
