"""Homotopy in the sharpness of friction that sticks: from friction like viscous one to bristles that hold a shaft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from pyomo.core.expr.visitor import identify_variables

from flexblocks.assemble import assemble
from flexblocks.blocks.drives.lugre_friction import LuGreFriction
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.user_warning import warn

from ..errors import PlanError, PlanWarning
from ..model.read_solution import active_objective
from ..model.trajectories import all_phase_trajectories, transcribed_problem
from ..results.plan import Plan
from ..solver_statistics import ROUNDED
from .solving import Solving, attempts_of
from .warm_start import start_from

LEAST = 0.1  # of the fastest shaft's rate: that of one that stands still, which sticks; a choice


def sticking_frictions(dae: DAE) -> dict[str, LuGreFriction]:
    """Return the friction blocks of an arm whose shafts stick, by name; none if its model is not known."""
    if dae.model is None or dae.tree.feedback is not None:
        return {}
    blocks = dae.model.blocks.items()
    return {name: block for name, block in blocks if isinstance(block, LuGreFriction) and block.transition is None}


def solve_by_rounding(model: Any, solving: Solving, plan_smooth: Callable[[Any, Solving], Plan]) -> Plan:
    """Solve for an arm with friction that sticks by homotopy: |w| is rounded off less and less, to sqrt(w^2 + r^2).

    The sign of a rate that is about to change has no useful derivative, and least effort likes to stick: from cold
    such plans take thousands of iterations. The rounded law has r in the order of the shafts' rates first, without
    breakaway and the damping of bristles, which matter near rest only. These come last, before the sharp law. Where
    that is not solved, the motion with the roundest law that the mesh can tell from it is the plan, and a warning says
    so; its replay is that of the sharp law.

    Parameters
    ----------
    model : ConcreteModel
        With the first guess.
    solving : Solving
    plan_smooth : callable
        (model, solving) -> Plan by whatever strategies it takes, recovery included.

    Raises
    ------
    PlanError
        The motion with the roundest law is not found.
    """
    transcribed, settings = transcribed_problem(model), solving.settings
    rates = _shaft_rates(model, sticking_frictions(transcribed.dae))
    arm = _rounded_arm(transcribed.dae, tuple(rates))

    def rounded(share: float, breaks_away: bool, is_damped: bool) -> Solving:
        p = transcribed.parameters
        return replace(solving, dae=arm, p=p | _values(transcribed.dae, p, rates, share, breaks_away, is_damped))

    roundest, *others = settings.roundings
    stages = [(share, False, False) for share in others] + [(others[-1], True, False), (others[-1], True, True)]
    # The roundest law, by all that planning has
    easiest = rounded(roundest, False, False)
    best = plan_smooth(easiest.model(transcribed.problem, transcribed.options), easiest)
    attempts, reached = best.attempts, roundest
    # Less and less round
    for share, breaks_away, is_damped in stages:
        easier = rounded(share, breaks_away, is_damped)
        options = best.transcribed.options  # quasi-static modes may have been found to be needed
        sharper = easier.model(best.transcribed.problem, options)
        start_from(sharper, best.model)
        what = f"friction rounded off below {share:g} of the rates{_with(breaks_away, is_damped)}, from there"
        try:
            best = easier.attempt_near(what, sharper, attempts, max_iter=settings.rounding_patience)
        except PlanError as error:
            attempts = attempts_of(error)
            break
        attempts, reached = best.attempts, share
    # The law itself
    changed = None if best.transcribed.problem == transcribed.problem else best.transcribed.problem
    sharp = solving.like(transcribed, changed, quasi_static=best.transcribed.options.quasi_static)
    _take(sharp, best.model)
    near = replace(Plan.from_model(sharp), status=ROUNDED, statistics=best.statistics)
    solving.plans.append(near)
    what, patience = "with friction that sticks, from there", settings.sticking_patience
    try:
        return solving.attempt_near(what, sharp, attempts, max_iter=patience)
    except PlanError as error:
        _take(sharp, best.model)
        *others, last = attempts_of(error)
        attempts = (*others, replace(last, what=f"{last.what} (given up, the plan is the one before)"))
    below = [f"{name} below {reached * rate:.3g} rad/s" for name, rate in rates.items()]
    warn(
        f"Plan of '{transcribed.dae.name}': sticks and slips, and is not solved to an optimum. The plan is one with "
        f"friction that creeps instead of sticking: {listing(below)}. Its replay sticks, and tells by how much that "
        'matters; plan.replay(law="tracking") follows the plan with feedback.',
        PlanWarning,
    )
    return replace(near, attempts=attempts)


def _take(sharp: Any, rounded: Any) -> None:
    """Set the Vars of the model with the sharp law to the motion with the rounded one, and to what that costs."""
    start_from(sharp, rounded)
    costs = (identify_variables(active_objective(model).expr) for model in (sharp, rounded))
    for to, source in zip(*costs, strict=True):
        to.set_value(source.value, skip_validation=True)


def _shaft_rates(model: Any, frictions: dict[str, LuGreFriction]) -> dict[str, float]:
    """Return the largest rates of the shafts [rad/s] in the first guess, by friction block."""
    trajectories = all_phase_trajectories(model)
    tree = trajectories[0].transcription.dae.tree
    peak = np.zeros(tree.size)
    for traj in trajectories:
        v = np.array([variable.value for variable in traj.block.v.values()]).reshape(-1, tree.size)
        peak = np.maximum(peak, np.abs(v).max(axis=0))
    rates = {}
    shafts = {body.name: body.share.row(0) for body in tree.bodies if body.name in frictions}
    turning = max((peak[list(columns)].max(initial=0.0) for columns, _ in shafts.values()), default=0.0)
    for name, (columns, factors) in shafts.items():
        if columns:
            rate = max(float(np.abs(factors) @ peak[list(columns)]), LEAST * float(np.abs(factors).max()) * turning)
            rates[name] = rate or frictions[name].nominal.stribeck_velocity
    return rates


def _rounded_arm(dae: DAE, names: tuple[str, ...]) -> DAE:
    """Return the arm with friction that is rounded off, and with symbols for what changes on the way to the law."""
    assert dae.model is not None
    changed = {}
    for name in names:
        block = dae.model.blocks[name]
        values = {"transition": 1.0, "breakaway": block.breakaway or block.coulomb}
        changed[name] = block.with_values(values)
    symbols = [f"{name}.{field}" for name in names for field in ("transition", "breakaway", "damping")]
    symbolic = tuple(dict.fromkeys((*dae.p.names, *symbols)))
    return assemble(dae.model.copy(changed), symbolic, dae.dynamics, dae.locked, dae.prescribed)


def _values(
    dae: DAE, p: dict[str, float], rates: dict[str, float], share: float, breaks_away: bool, is_damped: bool
) -> dict[str, float]:
    """Return the parameters of the friction blocks by name, those of the arm being `p`."""
    assert dae.model is not None
    values = {}
    for name, rate in rates.items():
        block = dae.model.blocks[name]
        coulomb, breakaway, damping = (
            p.get(f"{name}.{field}", getattr(block, field)) for field in ("coulomb", "breakaway", "damping")
        )
        values[f"{name}.transition"] = share * rate
        values[f"{name}.breakaway"] = breakaway if breaks_away and breakaway else coulomb
        values[f"{name}.damping"] = damping if is_damped else 0.0
    return values


def _with(breaks_away: bool, is_damped: bool) -> str:
    if is_damped:
        return ", breakaway and damping"
    return " and breakaway" if breaks_away else ""
