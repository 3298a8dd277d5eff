"""Solve the nonlinear program of a plan, judge what comes of it, and return the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flexblocks.errors import listing
from flexblocks.progress import ProgressDisplay
from flexblocks.user_warning import warn

from .casadi_solver import CasadiSolver
from .casadi_solver.ipopt.status import UNDEFINED, advice
from .errors import PlanError, ProblemError
from .infeasibility.undefined_terms import undefined_terms
from .model.read_solution import active_objective
from .model.trajectories import transcribed_problem
from .model.violations import violations
from .presolve.transcribed_problem import TranscribedProblem
from .results.plan import Multipliers, Plan
from .results.summary import NOT_LINEARIZED
from .solver_statistics import CONVERGED, INACCURATE, ROUNDED, UNRESOLVED
from .warning_kinds import COARSE_MESH

MOST_VIOLATIONS = 5  # listed in a message; by trial
JUMPS = (
    " The inputs jump from and to what holds the arm, and a jump excites every mode, resolved or not: with "
    'input_ends="holding" they do not.'
)


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
        The solver did not reach an optimum, what it took for one breaks its own equations (see `Plan.violations`), or
        it was interrupted by Ctrl-C; ``error.plan`` is its last iterate.

    Warns
    -----
    PlanWarning
        The mesh is too coarse, or cannot be judged; see `Plan.mesh_errors`.
    """
    return judged(optimum(model, tee=tee, progress=progress, solver_options=solver_options))


def judged(plan: Plan) -> Plan:
    """Return a solved plan with the status that the errors of its mesh leave it, and warn of these."""
    if plan.status not in (CONVERGED, ROUNDED):
        return plan
    errors, name = plan.mesh_errors, plan.transcribed.dae.name
    if errors is None:
        warn(f"Plan of '{name}': its {NOT_LINEARIZED}. Check it with plan.replay().", COARSE_MESH)
        return plan
    if not errors.is_too_coarse:
        return plan
    jumps = advice_on_ends(plan.transcribed) if errors.is_worst_at_an_end else ""
    # That of a rounded law is judged with this law, see `solve_by_rounding`; here it is off by the laws themselves, too
    is_resolved = errors.is_resolved or plan.status == ROUNDED
    unresolved = "" if is_resolved else " Its status is 'unresolved', as that is more than 1 % of the reach."
    warn(
        f"Plan of '{name}': its mesh is {'too coarse' if errors.is_judged else 'not judged'}: "
        f"{str(errors).partition(': ')[2].removeprefix('not judged, ')}; {errors.allowed} are negligible. Plan with "
        f"more intervals, or with refine=True.{unresolved}{jumps}",
        COARSE_MESH,
    )
    return plan if is_resolved else replace(plan, status=UNRESOLVED)


def advice_on_ends(transcribed: TranscribedProblem) -> str:
    """Return a sentence for warnings if inputs that could be continuous jump from and to rest; empty if none do."""
    first, last = transcribed.first[0], transcribed.first[-1]
    free = transcribed.problem.input_ends == "free" and first.shape.is_continuous
    return JUMPS if free and not first.begin.moving and last.end.is_rest else ""


def optimum(
    model: Any,
    *,
    tee: bool = False,
    progress: bool | None = None,
    solver_options: Mapping[str, Any] | None = None,
    multipliers: Multipliers | None = None,
) -> Plan:
    """Solve a model as `solve` does, and leave the errors of its mesh to `judged`: for plans that others start from.

    With `multipliers` of a solution of the same program, as `Plan.multipliers`, the start is taken as one.
    """
    name = transcribed_problem(model).dae.name
    active_objective(model)
    with ProgressDisplay(f"Planning {name}", None, False if tee else progress) as display:
        results = CasadiSolver().solve(
            model,
            tee=tee,
            iteration_callback=lambda iteration: display.update(str(iteration)),
            solver_options=dict(solver_options or {}),
            multipliers=multipliers,
            warm_start=multipliers is not None,
            raise_exception_on_nonoptimal_result=False,
        )
    solution = Plan.from_model(model, results)
    if solution.status == CONVERGED:
        return solution
    violated = solution.violations if solution.status == INACCURATE else violations(model)
    if solution.status == "interrupted":
        raise PlanError(
            f"Plan of '{name}' was interrupted after {solution.statistics.iterations} iterations, with the "
            f"objective {solution.objective:.6g}; largest violation: {violated[0] if violated else 'none'}. The last "
            "iterate is in the error's .plan: resume with optim.solve(error.plan.pyomo_model), or keep it with "
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
    if solution.status == INACCURATE:
        raise PlanError(
            f"Plan of '{name}': what the solver took for an optimum after {solution.statistics.iterations} iterations "
            f"breaks its own equations: {worst}. Their terms are far from the magnitudes that scaled them, which "
            "is a defect of flexblocks if the problem's own numbers are sound: check its units, limits and start, or "
            "plan with another duration or number of intervals. The error's .plan holds that iterate.",
            solution,
            violated,
        )
    raise PlanError(
        f"Plan of '{name}': no optimum after {solution.statistics.iterations} iterations: {solution.status} "
        f"({status}). {advice(status)} Largest violations: {worst}. The error's .plan holds the last iterate.",
        solution,
        violated,
    )
