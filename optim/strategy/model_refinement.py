"""Plan with beams that bend more finely, until a finer model still agrees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flexblocks.assemble import assemble
from flexblocks.beam.discretization import Discretization
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.modeling.rediscretize import discretizations, rediscretize

from ..errors import PlanError, ProblemError
from ..model.build import changed_by_hand, models_like
from ..solve import solve
from ..verification.audit import Audit, Finer, audit, finer_dae
from ..verification.replay import DEFAULT_MISS
from .homotopy import NEAR, PATIENCE, Solving, attempts_of
from .mesh_refinement import refined
from .warm_start import start_from

if TYPE_CHECKING:
    from ..results.plan import Plan

MOST_STEPS = 8


def audited(plan: Plan, finer: Finer = None) -> Audit:
    """Return the audit of a plan that passes it, refined from `plan` as far as needed.

    A plan that misses on its own model gets twice the intervals; one that misses only on the finer model gets another
    mode, element or segment for each beam. Each starts from the plan before it. The finer model stays the same, so
    that a plan as fine as that one has only its mesh to answer for. Where this leads nowhere, the last plan has the
    status ``"unresolved"``.

    Raises
    ------
    ProblemError
        The plan's model was changed by hand.
    """
    reference = finer_dae(plan.outline.dae, finer)
    _refuse_changes(plan)
    first = found = audit(plan, reference)
    for _ in range(MOST_STEPS):
        if found.passed:
            return found if found.before is None else replace(found, subject=replace(plan, status="optimal"))
        if found.replays and (richer := _richer(plan.outline.dae, reference)) is None:
            break
        try:
            if found.replays:
                plan = _enriched(plan, richer)
            else:
                plan = refined(plan, _solving(plan, plan.outline.dae), DEFAULT_MISS)
        except PlanError as error:
            plan = replace(plan, attempts=attempts_of(error))
            break
        found = audit(plan, reference, first)
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


def _enriched(plan: Plan, dae: DAE) -> Plan:
    """Return the plan for a richer model of its arm, started from it."""
    outline, solving = plan.outline, _solving(plan, dae)
    model = solving.like(outline)
    start_from(model, plan.model, shared_coordinates(outline.dae, dae))
    what = f"from {outline.dae.tree.size} to {dae.tree.size} coordinates, from there"
    return solving.attempt(what, model, plan.attempts, max_iter=PATIENCE, **NEAR)


def _richer(dae: DAE, reference: DAE) -> DAE | None:
    """Return the next richer model of an arm, no beam richer than in the reference; None where there is none."""
    if dae.model is None:
        raise ProblemError(f"audit: refine: '{dae.name}' has changed coordinates and knows no model to make finer.")
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


def _solving(plan: Plan, dae: DAE) -> Solving:
    """Return how the plan's own transcription is made and solved for `dae`."""
    outline = plan.outline
    return Solving(models_like(outline, dae), lambda model, options: solve(model, solver_options=options))


def _refuse_changes(plan: Plan) -> None:
    """Refuse a model to which something was added: one made anew would not have it."""
    changed = changed_by_hand(plan.model)
    if changed:
        raise ProblemError(
            f"audit: refine: the plan's model was changed by hand ({listing(changed)}), and a richer one would be made "
            "without that. Audit without refine, and solve optim.pyomo_model(finer dae, ...) with your changes."
        )
