"""Model refinement: finer discretisations of the arm until the plan passes its audit."""

from __future__ import annotations

from dataclasses import replace

from flexblocks.assemble import assemble
from flexblocks.beam.discretization import Discretization
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.modeling.rediscretize import discretizations, rediscretize

from ...errors import PlanError, ProblemError
from ...ipopt_options import NEIGHBOR
from ...model.build import modified_components
from ...results.plan import Plan
from ...solver_statistics import UNRESOLVED
from ...verification.audit import Audit, Finer, finer_dae
from ...verification.criteria import Criteria
from ...verification.shared_coordinates import shared_coordinates
from ..request import Request
from ..settings import SETTINGS, Settings
from ..solver import Solver, was_ended
from ..warm_start import start_from
from .mesh_refinement import refine_mesh


def refine_model(
    plan: Plan, finer: Finer = None, *, criteria: Criteria | None = None, settings: Settings = SETTINGS
) -> Audit:
    """Refine a plan until it passes its audit, and return that audit.

    If the plan fails on its own model, its mesh is refined; if only on the finer model, each beam gets another mode,
    element or segment. Each plan starts from the previous one. The finer model stays the same, so that once the plan's
    model is as fine, only its mesh is left to refine. If no plan passes, the last one has the status ``"unresolved"``.

    Parameters
    ----------
    plan : Plan
    finer : Discretization, dict of Discretization, Model or DAE, optional
        The model to audit on, see `Plan.audit`.
    criteria : Criteria, optional
        What counts as no miss and no energy left, see `Plan.audit`.
    settings : Settings, optional

    Returns
    -------
    Audit
        ``audit.subject`` is the refined plan, or the original one if it passes; ``audit.before`` the original audit.

    Raises
    ------
    ProblemError
        No finer model, or different inputs; the plan's Pyomo model was modified.
    """
    reference = finer_dae(plan.transcribed.arm, finer)
    _refuse_changes(plan)
    first = report = plan.audit(reference, criteria)
    for _ in range(settings.most_model_steps):
        if report.passed:
            return report if report.before is None else replace(report, subject=replace(plan, status="optimal"))
        if report.replays and (richer := richer_arm(plan.transcribed.arm, reference)) is None:
            break
        try:
            if report.replays:
                plan = _planned_on(richer, plan)
            else:
                plan = refine_mesh(plan, criteria or Criteria(), settings=settings)
        except PlanError as error:
            if error.plan is None or was_ended(error):
                raise
            plan = replace(plan, attempts=error.plan.attempts)
            break
        report = replace(plan.audit(reference, criteria), before=first)
        if plan.status == UNRESOLVED:
            break
    return report if report.passed else replace(report, subject=replace(plan, status=UNRESOLVED))


def _planned_on(dae: DAE, plan: Plan) -> Plan:
    """Return the plan for a finer model of its arm, started from it."""
    before = plan.transcribed
    model = replace(Request.of(before), arm=dae).model(before)
    start_from(model, plan.pyomo_model, shared_coordinates(before.dae, dae))
    what = f"from {before.dae.tree.size} to {dae.tree.size} coordinates, from there"
    return Solver(attempts=list(plan.attempts)).solve(what, model, NEIGHBOR)


def richer_arm(dae: DAE, reference: DAE) -> DAE | None:
    """Return the next finer model of an arm, no beam finer than in the reference; None if there is none."""
    if dae.model is None:
        raise ProblemError(f"refine_model: '{dae.name}' has changed coordinates and so no model to refine.")
    most = {} if reference.model is None else discretizations(reference.model)
    wanted = {
        name: _next(discretization, most.get(name)) for name, discretization in discretizations(dae.model).items()
    }
    if wanted == discretizations(dae.model):
        return None
    return assemble(rediscretize(dae.model, wanted), dae.p.names, dae.dynamics, dae.locked, dae.prescribed)


def _next(discretization: Discretization, most: Discretization | None) -> Discretization:
    richer = discretization.richer()
    if most is None or type(most) is not type(discretization):
        return richer
    count, allowed = (len(one.coordinates("y")) for one in (richer, most))
    return richer if count < allowed else discretization if allowed < len(discretization.coordinates("y")) else most


def _refuse_changes(plan: Plan) -> None:
    """Refuse a modified Pyomo model, as a rebuilt one would lack the modifications."""
    changed = modified_components(plan.pyomo_model)
    if changed:
        raise ProblemError(
            f"refine_model: the plan's model was modified ({listing(changed)}), and a finer one would be built "
            "without that. Audit it by plan.audit(), and solve optim.pyomo_model(finer dae, ...) with your changes."
        )
