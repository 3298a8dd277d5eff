"""Homotopy in the sharpness of friction: from friction like viscous one to a law that changes its sign at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pyomo.core.expr.visitor import identify_variables

from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.errors import listing
from flexblocks.interfaces import Rounding
from flexblocks.user_warning import warn

from ..errors import PlanError, PlanWarning
from ..model.read_solution import active_objective
from ..model.trajectories import all_phase_trajectories, transcribed_problem
from ..presolve.magnitudes.characteristic_magnitudes import characteristics
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.plan import Plan
from ..solver_statistics import ROUNDED
from .settings import Settings
from .solving import Solving, attempts_of
from .warm_start import start_from

LEAST = 0.1  # of the fastest shaft's rate: that of one that stands still, which sticks; a choice


@dataclass(frozen=True)
class Shaft:
    """A shaft whose friction changes its sign sharply.

    Attributes
    ----------
    law : Rounding
    rate : float
        The largest rate of the shaft in the first guess [rad/s].
    values : dict of float
        The parameters of its friction by name, without those that it does not have.
    """

    law: Rounding
    rate: float
    values: Mapping[str, float]

    @property
    def own(self) -> float:
        """The rate below which its law is rounded off [rad/s]; 0 if it sticks."""
        return self.values.get(self.law.rate, 0.0)

    @property
    def details(self) -> dict[str, str | float]:
        """The details that its law has, and what takes their place."""
        return {name: other for name, other in self.law.details.items() if name in self.values}

    def rounded(self, share: float, restored: Collection[str]) -> dict[str, float]:
        """Return parameters of the law that is rounded off below a share of the shaft's rate, with some details."""
        values = {self.law.rate: max(share * self.rate, self.own)}
        for name, other in self.details.items():
            instead = self.values[other] if isinstance(other, str) else other
            values[name] = self.values[name] if name in restored else instead
        return values


def sharp_shafts(model: Any, settings: Settings) -> dict[str, Shaft]:
    """Return the shafts whose friction is to be rounded off first, by friction block; none if the arm is not composed.

    Left alone is what is round enough for the motion, and friction that takes next to nothing of its energy, unless it
    sticks.
    """
    transcribed = transcribed_problem(model)
    dae = transcribed.dae
    if dae.model is None or dae.tree.feedback is not None:
        return {}
    shafts = {}
    for body, rate in _shaft_rates(model):
        values = _values(transcribed, body)
        shaft = Shaft(body.block.rounding, rate or values[body.block.rounding.slow], values)
        # What sticks is rounded off by another block in its place, which is one of the model's own
        if shaft.own < settings.round_enough * shaft.rate and (shaft.own or body.name in dae.model.blocks):
            shafts[body.name] = shaft
    if not shafts or any(not shaft.own for shaft in shafts.values()):
        return shafts
    duration = sum(t.mesh.duration for t in transcribed.first)
    lost = sum(shaft.values[shaft.law.dry] * shaft.rate for shaft in shafts.values()) * duration / 2
    kinetic = max(characteristics(t).kinetic for t in transcribed.first)
    return shafts if lost > settings.slight_loss * kinetic else {}


def solve_by_rounding(
    model: Any, solving: Solving, shafts: dict[str, Shaft], plan_smooth: Callable[[Any, Solving], Plan]
) -> Plan:
    """Solve for an arm with sharp friction by homotopy: its sign is rounded off below a rate that falls.

    The sign of a rate that is about to change has no useful derivative, and least effort likes to stick: from cold
    such plans take hundreds or thousands of iterations. First the law is rounded off below rates in the order of the
    shafts', without what matters near rest only, such as breakaway and the damping of bristles. From there the rate
    falls, in steps as large as the solves bear. The details come last, before a law that sticks. Where the law itself
    is not solved, the motion with the sharpest one that was is the plan, and a warning says so; its replay is that of
    the law itself.

    Parameters
    ----------
    model : ConcreteModel
        With the first guess.
    solving : Solving
    shafts : dict of Shaft
        `sharp_shafts` of the model.
    plan_smooth : callable
        (model, solving) -> Plan by whatever strategies it takes, recovery included.

    Raises
    ------
    PlanError
        The motion with the roundest law is not found.
    """
    transcribed, settings = transcribed_problem(model), solving.settings
    details = list(dict.fromkeys(name for shaft in shafts.values() for name in shaft.details))
    sticks = any(not shaft.own for shaft in shafts.values())
    end = min(shaft.own / shaft.rate or settings.sharpest for shaft in shafts.values())
    arm = _rounded_arm(transcribed.dae, shafts)

    def rounded(share: float, restored: int) -> Solving:
        values = {
            f"{name}.{field}": value
            for name, shaft in shafts.items()
            for field, value in shaft.rounded(max(share, end), details[:restored]).items()
        }
        return replace(solving, dae=arm, p=transcribed.parameters | values)

    # The roundest law, by all that planning has
    easiest = rounded(settings.roundest, 0)
    best = plan_smooth(easiest.model(transcribed.problem, transcribed.options), easiest)
    attempts, reached, step = best.attempts, settings.roundest, settings.rounding_step
    options = best.transcribed.options  # quasi-static modes may have been found to be needed
    first = (best.statistics.iterations or 0) if transcribed.is_free else 0
    easy = max(settings.easy_rounding, round(1.25 * first))
    patience = max(settings.rounding_patience, 2 * first)
    changed = None if best.transcribed.problem == transcribed.problem else best.transcribed.problem
    sharp = solving.like(transcribed, changed, quasi_static=options.quasi_static)

    def near() -> Plan:
        """The best motion so far as a plan of the arm itself; what is left if planning is ended."""
        _take(sharp, best.model)
        plan = replace(Plan.from_model(sharp), status=ROUNDED, statistics=best.statistics, attempts=attempts)
        solving.plans.append(plan)
        return plan

    def sharper(what: str, share: float, restored: int) -> Plan:
        easier = rounded(share, restored)
        stage = easier.model(best.transcribed.problem, options)
        start_from(stage, best.model)
        told = f"friction rounded off below {share:.2g} of the rates{what}, from there"
        return easier.attempt_near(told, stage, attempts, max_iter=patience)

    # Less and less round, up to the law itself if it does not stick
    while reached > end and step < settings.least_step:
        share, fallback = max(reached * step, end), near()
        try:
            if share == end and not (sticks or details):
                what = "with friction as it is, from there"
                return solving.attempt_near(what, sharp, attempts, max_iter=patience)
            best = sharper("", share, 0)
        except PlanError as error:
            attempts, step = attempts_of(error), math.sqrt(step)
            continue
        attempts, reached = best.attempts, share
        if attempts[-1].iterations <= easy:
            step = max(step**1.5, settings.largest_step)
    # What matters near rest only
    for restored in range(1, len(details) + 1) if reached <= end else ():
        fallback = near()
        try:
            best = sharper(f" with {listing(details[:restored])}", end, restored)
        except PlanError as error:
            attempts = attempts_of(error)
            break
        attempts = best.attempts
    # The law itself
    fallback = near()
    if sticks or reached <= end:
        what = "with friction that sticks, from there" if sticks else "with friction as it is, from there"
        try:
            return solving.attempt_near(what, sharp, attempts, max_iter=settings.sticking_patience)
        except PlanError as error:
            attempts = attempts_of(error)
            fallback = near()
    *others, last = attempts
    given_up = (*others, replace(last, what=f"{last.what} (given up, the plan is the one before)"))
    _warn_of_rounding(transcribed.dae, shafts, reached, sticks=sticks)
    return replace(fallback, attempts=given_up)


def _warn_of_rounding(dae: DAE, shafts: Mapping[str, Shaft], reached: float, *, sticks: bool) -> None:
    below = [f"{name} below {max(reached * shaft.rate, shaft.own):.3g} rad/s" for name, shaft in shafts.items()]
    how = "creeps instead of sticking" if sticks else "changes its sign less sharply than asked"
    warn(
        f"Plan of '{dae.name}': sticks and slips, and is not solved to an optimum. The plan is one with "
        f"friction that {how}: {listing(below)}. Its replay has the friction itself, and tells by how much that "
        'matters; plan.replay(law="tracking") follows the plan with feedback.',
        PlanWarning,
    )


def _take(sharp: Any, rounded: Any) -> None:
    """Set the Vars of the model with the sharp law to the motion with the rounded one, and to what that costs."""
    start_from(sharp, rounded)
    costs = (identify_variables(active_objective(model).expr) for model in (sharp, rounded))
    for to, source in zip(*costs, strict=True):
        to.set_value(source.value, skip_validation=True)


def _shaft_rates(model: Any) -> list[tuple[Body, float]]:
    """Return the shafts with friction, and their largest rates in the first guess [rad/s]; 0 if all stand still."""
    trajectories = all_phase_trajectories(model)
    tree = trajectories[0].transcription.dae.tree
    shafts = [(body, *body.share.row(0)) for body in tree.bodies if body.block.rounding is not None]
    if not shafts:
        return []
    peak = np.zeros(tree.size)
    for traj in trajectories:
        v = np.array([variable.value for variable in traj.block.v.values()]).reshape(-1, tree.size)
        peak = np.maximum(peak, np.abs(v).max(axis=0))
    turning = max(peak[list(columns)].max(initial=0.0) for _, columns, _ in shafts)
    return [
        (body, max(float(np.abs(factors) @ peak[list(columns)]), LEAST * float(np.abs(factors).max()) * turning))
        for body, columns, factors in shafts
        if columns
    ]


def _values(transcribed: TranscribedProblem, body: Body) -> dict[str, float]:
    """Return the parameters of a friction block by name, symbolic or not, that it has."""
    block, law, p = body.block.nominal, body.block.rounding, transcribed.parameters
    names = (law.rate, law.dry, law.slow, *law.details)
    known = {name: p.get(f"{body.name}.{name}", getattr(block, name)) for name in names}
    return {name: value for name, value in known.items() if value is not None}


def _rounded_arm(dae: DAE, shafts: Mapping[str, Shaft]) -> DAE:
    """Return the arm with friction that is rounded off, and with symbols for what changes on the way to the law."""
    assert dae.model is not None
    sticking = [name for name, shaft in shafts.items() if not shaft.own]
    changed = {
        name: dae.model.blocks[name].with_values({shafts[name].law.rate: shafts[name].rate}) for name in sticking
    }
    symbols = [f"{name}.{field}" for name, shaft in shafts.items() for field in shaft.rounded(1.0, ())]
    symbolic = tuple(dict.fromkeys((*dae.p.names, *symbols)))
    return assemble(dae.model.copy(changed), symbolic, dae.dynamics, dae.locked, dae.prescribed)
