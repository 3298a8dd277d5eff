"""Model refinement: a plan on ever richer models of its arm, until a finer one still agrees."""

from __future__ import annotations

from dataclasses import replace

from flexblocks.assemble import assemble
from flexblocks.beam.discretization import Discretization
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.modeling.rediscretize import discretizations, rediscretize

from ..errors import PlanError, ProblemError
from ..model.build import changed_by_hand
from ..results.plan import Plan
from ..verification.audit import Audit, Finer, finer_dae
from ..verification.replay import DEFAULT_MISS
from .mesh_refinement import refine_mesh
from .settings import SETTINGS, Settings
from .solving import Solving, attempts_of
from .warm_start import start_from


def refine_model(plan: Plan, finer: Finer = None, *, settings: Settings = SETTINGS) -> Audit:
    """Return the audit of a plan that passes it, refined from `plan` as far as needed.

    A plan that misses on its own model gets twice the intervals; one that misses only on the finer model gets another
    mode, element or segment for each beam. Each starts from the plan before it. The finer model stays the same, so
    that a plan as fine as that one has only its mesh to answer for. Where this leads nowhere, the last plan has the
    status ``"unresolved"``.

    Parameters
    ----------
    plan : Plan
    finer : Discretization, dict of Discretization, Model or DAE, optional
        What to audit on, see `Plan.audit`.
    settings : Settings, optional

    Returns
    -------
    Audit
        ``audit.subject`` is the new plan, or the old one if it passes; ``audit.before`` the audit of the old one.

    Raises
    ------
    ProblemError
        There is nothing finer, or the inputs are others; the plan's model was changed by hand.
    """
    reference = finer_dae(plan.transcribed.dae, finer)
    _refuse_changes(plan)
    first = found = plan.audit(reference)
    for _ in range(settings.most_model_steps):
        if found.passed:
            return found if found.before is None else replace(found, subject=replace(plan, status="optimal"))
        if found.replays and (richer := _richer(plan.transcribed.dae, reference)) is None:
            break
        try:
            if found.replays:
                plan = _planned_on(richer, plan, settings)
            else:
                solving = Solving(plan.transcribed.dae, plan.transcribed.parameters, settings=settings)
                plan = refine_mesh(plan, solving, DEFAULT_MISS)
        except PlanError as error:
            plan = replace(plan, attempts=attempts_of(error))
            break
        found = replace(plan.audit(reference), before=first)
        if plan.status == "unresolved":
            break
    return found if found.passed else replace(found, subject=replace(plan, status="unresolved"))


def shared_coordinates(old: DAE, new: DAE) -> frozenset[str]:
    """Return the names of the coordinates that mean the same in two assemblies of one graph.

    Those of a beam do if it is discretized alike; an assumed mode does, however many there are.
    """
    if old.model is None or new.model is None:
        return frozenset(set(old.q_names) & set(new.q_names))
    before, after = discretizations(old.model), discretizations(new.model)
    other = tuple(f"{name}." for name in before if not (name in after and before[name].has_coordinates_of(after[name])))
    return frozenset(name for name in old.q_names if name in new.q_names and not name.startswith(other))


def _planned_on(dae: DAE, plan: Plan, settings: Settings) -> Plan:
    """Return the plan for a richer model of its arm, started from it."""
    before = plan.transcribed
    solving = Solving(dae, before.parameters, settings=settings)
    model = solving.like(before)
    start_from(model, plan.model, shared_coordinates(before.dae, dae))
    what = f"from {before.dae.tree.size} to {dae.tree.size} coordinates, from there"
    return solving.attempt_near(what, model, plan.attempts)


def _richer(dae: DAE, reference: DAE) -> DAE | None:
    """Return the next richer model of an arm, no beam richer than in the reference; None where there is none."""
    if dae.model is None:
        raise ProblemError(f"refine_model: '{dae.name}' has changed coordinates and knows no model to make finer.")
    most = {} if reference.model is None else discretizations(reference.model)
    wanted = {name: _next(own, most.get(name)) for name, own in discretizations(dae.model).items()}
    if wanted == discretizations(dae.model):
        return None
    return assemble(rediscretize(dae.model, wanted), dae.p.names, dae.dynamics)


def _next(own: Discretization, most: Discretization | None) -> Discretization:
    richer = own.richer()
    if most is None or type(most) is not type(own):
        return richer
    count, allowed = (len(one.coordinates("y")) for one in (richer, most))
    return richer if count < allowed else own if allowed < len(own.coordinates("y")) else most


def _refuse_changes(plan: Plan) -> None:
    """Refuse a model to which something was added: one made anew would not have it."""
    changed = changed_by_hand(plan.model)
    if changed:
        raise ProblemError(
            f"refine_model: the plan's model was changed by hand ({listing(changed)}), and a richer one would be made "
            "without that. Audit it by plan.audit(), and solve optim.pyomo_model(finer dae, ...) with your changes."
        )
