"""Solve the Pyomo model of a plan, and read the plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexblocks.errors import listing
from flexblocks.progress import ProgressDisplay

from .casadi_solver import CasadiSolver
from .casadi_solver.ipopt.status import advice
from .errors import PlanError
from .model.read_solution import active_objective
from .model.trajectories import transcribed_problem
from .model.violations import violations
from .results.plan import Plan
from .solver_statistics import CONVERGED

MOST_VIOLATIONS = 5


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
    name = transcribed_problem(model).dae.name
    active_objective(model)
    with ProgressDisplay(f"Planning {name}", None, False if tee else progress) as display:
        results = CasadiSolver().solve(
            model,
            tee=tee,
            iteration_callback=lambda iteration: display.update(str(iteration)),
            solver_options=dict(solver_options or {}),
            raise_exception_on_nonoptimal_result=False,
        )
    found = Plan.from_model(model, results)
    if found.status == CONVERGED:
        return found
    against = violations(model)
    if found.status == "interrupted":
        raise PlanError(
            f"Plan of '{name}' was interrupted after {found.statistics.iterations} iterations, with the "
            f"objective {found.objective:.6g} and as its largest violation {against[0] if against else 'none'}. The "
            "error's .plan holds the last iterate: go on from there with optim.solve(error.plan.model), or keep it "
            'with error.plan.save("plan.nc").',
            found,
            against,
        )
    worst = listing(map(str, against[:MOST_VIOLATIONS]))
    status = results.extra_info.return_status
    raise PlanError(
        f"Plan of '{name}': no optimum after {found.statistics.iterations} iterations: {found.status} "
        f"({status}). {advice(status)} Largest violations: {worst}. The error's .plan holds the last iterate.",
        found,
        against,
    )
