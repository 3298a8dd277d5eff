"""Solve the nonlinear program of a plan and return the plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexblocks.errors import listing
from flexblocks.progress import ProgressDisplay

from .casadi_solver import CasadiSolver
from .casadi_solver.ipopt.status import UNDEFINED, advice
from .errors import PlanError, ProblemError
from .infeasibility.undefined_terms import undefined_terms
from .model.read_solution import active_objective
from .model.trajectories import transcribed_problem
from .model.violations import violations
from .results.plan import Plan
from .solver_statistics import CONVERGED

MOST_VIOLATIONS = 5  # listed in a message; by trial


def solve(
    model: Any,
    *,
    tee: bool = False,
    progress: bool | None = None,
    solver_options: Mapping[str, Any] | None = None,
) -> Plan:
    """Solve a model of `pyomo_model`, with everything added to it, from the present values of its Vars.

    Parameters
    ----------
    model : ConcreteModel
    tee : bool
        Whether to print IPOPT's log.
    progress : bool, optional
        Whether to show iteration, objective and infeasibility; by default only in a terminal and after 2 s.
    solver_options : dict, optional
        Options of IPOPT under their own names.

    Returns
    -------
    Plan

    Raises
    ------
    ProblemError
        The model was not made by `pyomo_model`; or an expression of the objective or the path is not defined where the
        solver starts.
    PlanError
        The solver did not reach an optimum, or was interrupted by Ctrl-C; ``error.plan`` is its last iterate.
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
    solution = Plan.from_model(model, results)
    if solution.status == CONVERGED:
        return solution
    violated = violations(model)
    if solution.status == "interrupted":
        raise PlanError(
            f"Plan of '{name}' was interrupted after {solution.statistics.iterations} iterations, with the "
            f"objective {solution.objective:.6g}; largest violation: {violated[0] if violated else 'none'}. The last "
            "iterate is in the error's .plan: resume with optim.solve(error.plan.model), or keep it with "
            'error.plan.save("plan.nc").',
            solution,
            violated,
        )
    worst_of_each = {}
    for violation in violated:
        worst_of_each.setdefault(violation.name, str(violation))
    worst = listing(list(worst_of_each.values())[:MOST_VIOLATIONS])
    status = results.extra_info.return_status
    if status == UNDEFINED and not solution.statistics.iterations and (terms := undefined_terms(model)):
        raise ProblemError(
            f"plan: {listing(terms)}: no finite number, or no finite slope, along the motion that the solver starts "
            "from. Write it so that it has both wherever the arm may go, or limit what it depends on and begin within "
            "that."
        )
    raise PlanError(
        f"Plan of '{name}': no optimum after {solution.statistics.iterations} iterations: {solution.status} "
        f"({status}). {advice(status)} Largest violations: {worst}. The error's .plan holds the last iterate.",
        solution,
        violated,
    )
