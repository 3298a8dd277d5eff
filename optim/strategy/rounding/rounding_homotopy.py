"""Homotopy in the sharpness of laws: from friction like viscous one and play like none to laws that change at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pyomo.core.expr.visitor import identify_variables

from flexblocks.errors import listing
from flexblocks.interfaces import FrictionRounding
from flexblocks.user_warning import warn

from ...errors import PlanError, PlanWarning
from ...model.read_solution import active_objective
from ...model.trajectories import transcribed_problem
from ...results.plan import Plan
from ...solver_statistics import CONVERGED, ROUNDED, UNRESOLVED_ROUNDED
from ..best_so_far import best_so_far, was_ended
from ..solving import Solving, attempts_of
from ..warm_start import start_from
from .sharp_laws import SharpLaw, rounded_arm


def solve_by_rounding(
    model: Any, solving: Solving, laws: Mapping[str, SharpLaw], plan_smooth: Callable[[Any, Solving], Plan]
) -> Plan:
    """Solve for an arm with laws that change sharply by homotopy: they are rounded off over a width that falls.

    The sign of a rate that is about to change has no useful derivative, nor have teeth that are about to touch. Least
    effort likes to stick, and to slow down across the play: from cold such plans take hundreds or thousands of
    iterations. First friction is rounded off below rates in the order of the shafts', without what matters near rest
    only, such as breakaway and the damping of bristles, and play over several times its own width, which makes a spring
    of it. From there the width falls, in steps as large as the solves bear. The details come last, before a law that
    sticks. Where the laws themselves are not solved, the motion with the sharpest ones that were is the plan, and a
    warning says so; its replay is that of the arm itself.

    Parameters
    ----------
    model : ConcreteModel
        With the first guess.
    solving : Solving
    laws : dict of SharpLaw
        `sharp_laws` of the model.
    plan_smooth : callable
        (model, solving) -> Plan by whatever strategies it takes, recovery included.

    Raises
    ------
    PlanError
        The motion with the roundest laws is not found.
    """
    way = _Way(model, solving, laws, plan_smooth)
    plan = way.sharpen() or way.restore_details() or way.take_law()
    if plan is not None:
        return plan
    follow = (
        '; plan.replay(law="tracking") follows the plan with feedback' if FrictionRounding.noun in way.nouns else ""
    )
    mesh = way.best.mesh_errors
    is_resolved = mesh is None or mesh.is_resolved
    coarse = "" if is_resolved else f" It is unresolved with these laws, too, which more intervals mend; {mesh}."
    warn(
        f"Plan of '{way.transcribed.dae.name}': {way.difficulty}, and is not solved to an optimum. The plan is one "
        f"with {way.difference}. Its replay has the {way.nouns} itself, and tells by how much that matters{follow}."
        f"{coarse}",
        PlanWarning,
    )
    *others, last = way.attempts
    given_up = replace(last, what=f"{last.what} (given up, the plan is the one before)")
    plan = replace(way.near(), attempts=(*others, given_up))
    return plan if is_resolved else replace(plan, status=UNRESOLVED_ROUNDED)


class _Way:
    """The way from the roundest laws to the laws themselves, and how far it has come.

    Attributes
    ----------
    best : Plan
        The motion with the sharpest laws so far, of an arm in which they are rounded off.
    attempts : tuple of Attempt
        All of them.
    reached : float
        The share of their scales over which they are rounded off.
    sticks : bool
        Whether any law sticks.
    """

    def __init__(
        self, model: Any, solving: Solving, laws: Mapping[str, SharpLaw], plan_smooth: Callable[[Any, Solving], Plan]
    ) -> None:
        self.transcribed, self._solving, self._settings = transcribed_problem(model), solving, solving.settings
        self._laws = laws
        self._details = list(dict.fromkeys(name for law in laws.values() for name in law.details))
        self.sticks = any(not law.own for law in laws.values())
        self._end = min(law.own / law.scale or self._settings.sharpest for law in laws.values())
        self._arm = rounded_arm(self.transcribed.arm, laws)
        # The roundest laws, by all that planning has
        self.reached = self._settings.roundest
        easiest = self._rounded(self.reached, 0)
        try:
            self.best = plan_smooth(easiest.model(self.transcribed.problem, self.transcribed.options), easiest)
        except PlanError as error:
            self._keep(error)
            raise
        self.attempts = self.best.attempts
        # Shortest times and motions along lines take as many iterations from nearby
        first = self.best.statistics.iterations or 0
        self._easy = max(self._settings.easy_rounding, round(1.25 * first) if self.transcribed.is_free else 0)
        self._patience = max(self._settings.rounding_patience, 2 * first if self.transcribed.is_free else first)
        found = self.best.transcribed  # quasi-static modes or a leeway may have been found to be needed
        changed = None if found.problem == self.transcribed.problem else found.problem
        self._law = solving.like(self.transcribed, changed, quasi_static=found.options.quasi_static)

    def sharpen(self) -> Plan | None:
        """Round off less and less, in steps that are smaller after failures; return the plan if that is the law."""
        step, settings = self._settings.rounding_step, self._settings
        while self.reached > self._end and step < settings.least_step:
            share = max(self.reached * step, self._end)
            is_law = share == self._end and not (self.sticks or self._details)
            if is_law and (plan := self.take_law(self._patience)) is not None:
                return plan
            if not is_law and self._solve_rounded(share, 0):
                self.reached = share
                if (self.attempts[-1].iterations or 0) <= self._easy:
                    step = max(step**1.5, settings.largest_step)
            else:
                step = math.sqrt(step)
        return None

    def restore_details(self) -> None:
        """Bring back what matters near rest only, one after another."""
        if self.reached <= self._end:
            for count in range(len(self._details)):
                if not self._solve_rounded(self._end, count + 1):
                    break

    def take_law(self, patience: int | None = None) -> Plan | None:
        """Return the plan with the laws themselves, from the motion so far; None if it is not solved, or far away."""
        if patience is None and self.reached > self._end and not self.sticks:
            return None
        what = f"with {self.nouns} {'that sticks' if self.sticks else 'as it is'}, from there"
        self.near()
        try:
            return self._solving.attempt_near(
                what, self._law, self.attempts, max_iter=patience or self._settings.sticking_patience
            )
        except PlanError as error:
            _take(self._law, self.best.pyomo_model)
            self.attempts = attempts_of(error)
            return None

    def near(self) -> Plan:
        """Return the motion so far as a plan of the arm itself, which is what is left if planning is ended."""
        _take(self._law, self.best.pyomo_model)
        found = Plan.from_model(self._law)
        plan = replace(found, status=ROUNDED, statistics=self.best.statistics, attempts=self.attempts)
        self._solving.plans.append(plan)
        return plan

    @property
    def nouns(self) -> str:
        """What is rounded off."""
        return " and ".join(dict.fromkeys(law.rounding.noun for law in self._laws.values()))

    @property
    def difficulty(self) -> str:
        """What the motion does that makes it hard to find."""
        return " and ".join(dict.fromkeys(law.rounding.difficulty for law in self._laws.values()))

    @property
    def difference(self) -> str:
        """How the laws that were reached differ from those asked for."""
        told: dict[str, list[str]] = {}
        for name, law in self._laws.items():
            softer = law.rounding.softer if law.own else "creeps instead of sticking"
            bound = law.rounding.bound.format(max(self.reached * law.scale, law.own))
            told.setdefault(f"{law.rounding.noun} that {softer}", []).append(f"{name} {bound}")
        return "; and ".join(f"{kind}: {listing(bounds)}" for kind, bounds in told.items())

    def _keep(self, error: PlanError) -> None:
        """Keep the best with the roundest laws as a plan of the arm itself, if that was ended before its optimum."""
        if not was_ended(error):
            return
        best = best_so_far(error, self._solving.plans, self._arm, self.transcribed.problem)
        if len(best.transcribed.runs) == len(self.transcribed.runs):
            law = self._solving.like(self.transcribed)
            _take(law, best.pyomo_model)
            status = ROUNDED if best.status == CONVERGED else best.status
            self._solving.plans.append(replace(Plan.from_model(law), status=status, attempts=best.attempts))

    def _solve_rounded(self, share: float, restored: int) -> bool:
        """Solve with sharper laws, from the motion so far; return whether that led anywhere."""
        self.near()
        easier, found = self._rounded(share, restored), self.best.transcribed
        stage = easier.model(found.problem, found.options)
        start_from(stage, self.best.pyomo_model)
        details = f" with {listing(self._details[:restored])}" if restored else ""
        kinds = {law.rounding.noun: law.rounding.share.format(share) for law in self._laws.values()}
        rounded = " and ".join(f"{noun} rounded off {over}" for noun, over in kinds.items())
        what = f"{rounded}{details}, from there"
        try:
            self.best = easier.attempt_near(what, stage, self.attempts, max_iter=self._patience)
        except PlanError as error:
            self.attempts = attempts_of(error)
            return False
        self.attempts = self.best.attempts
        return True

    def _rounded(self, share: float, restored: int) -> Solving:
        """Return how to solve for the arm with laws that are rounded off."""
        values = {
            f"{name}.{field}": value
            for name, law in self._laws.items()
            for field, value in law.rounded(max(share, self._end), self._details[:restored]).items()
        }
        return replace(self._solving, dae=self._arm, p=self.transcribed.parameters | values)


def _take(law: Any, rounded: Any) -> None:
    """Set the Vars of the model with the laws themselves to the motion with rounded ones, and to what that costs."""
    start_from(law, rounded)
    costs = (identify_variables(active_objective(model).expr) for model in (law, rounded))
    for to, source in zip(*costs, strict=True):
        to.set_value(source.value, skip_validation=True)
