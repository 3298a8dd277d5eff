"""Plan a motion: transcribe, solve, read the plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexblocks.dae import DAE
from flexblocks.errors import listing

from .casadi_solver import CasadiSolver
from .casadi_solver.status import advice
from .errors import PlanError
from .model import pyomo_model
from .planned import Plan
from .problem import RestToRest
from .progress import Progress
from .solution import active_objective, transcription_of
from .violations import violations

MOST_VIOLATIONS = 5


def plan(
    dae: DAE,
    problem: RestToRest,
    *,
    intervals: int = 100,
    degree: int = 3,
    inputs: str = "cubic",
    p: Any = None,
    tee: bool = False,
    progress: bool | None = None,
    solver_options: Mapping[str, Any] | None = None,
) -> Plan:
    """Plan an optimal motion of an arm.

    Parameters
    ----------
    dae : DAE
    problem : RestToRest
    intervals, degree, inputs, p
        The transcription, see `pyomo_model`: 100 intervals with Radau collocation of degree 3, inputs continuous with
        their rates.
    tee, progress, solver_options
        See `solve`.

    Returns
    -------
    Plan

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
    'optimal'
    """
    model = pyomo_model(dae, problem, intervals=intervals, degree=degree, inputs=inputs, p=p)
    return solve(model, tee=tee, progress=progress, solver_options=solver_options)


def solve(
    model: Any,
    *,
    tee: bool = False,
    progress: bool | None = None,
    solver_options: Mapping[str, Any] | None = None,
) -> Plan:
    """Solve a model of `pyomo_model` from the values its Vars have, with whatever was added to it.

    Parameters
    ----------
    model : ConcreteModel
    tee : bool
        Whether to print IPOPT's log.
    progress : bool, optional
        Whether to show iteration, objective and infeasibility; by default in a terminal, after 2 s.
    solver_options : dict, optional
        IPOPT's, by their plain names.

    Returns
    -------
    Plan

    Raises
    ------
    ProblemError
        The model does not come from `pyomo_model`.
    PlanError
        The solver found no optimum, or Ctrl-C was pressed; ``error.plan`` is its last iterate.
    """
    t = transcription_of(model)
    active_objective(model)
    with Progress(t.dae.name, show=False if tee else progress) as watch:
        results = CasadiSolver().solve(
            model,
            tee=tee,
            iteration_callback=watch,
            solver_options=dict(solver_options or {}),
            raise_exception_on_nonoptimal_result=False,
        )
    found = Plan.from_model(model, results)
    if found.status == "optimal":
        return found
    against = violations(model, t)
    worst = listing(map(str, against[:MOST_VIOLATIONS]))
    status = results.extra_info.return_status
    raise PlanError(
        f"Plan of '{t.dae.name}': no optimum after {found.statistics.iterations} iterations: {found.status} "
        f"({status}). {advice(status)} Largest violations: {worst}. The error's .plan holds the last iterate.",
        found,
        against,
    )
