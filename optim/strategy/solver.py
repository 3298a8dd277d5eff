"""Solver of a plan: solves models within one budget, and records every attempt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import PlanError
from ..results.attempt import Attempt
from ..results.plan import Multipliers, Plan
from ..solve import optimum
from ..solver_statistics import ENDED, TIME_LIMIT
from .budget import Budget


@dataclass
class Solver:
    """Solves the models of one plan within one budget, and records every attempt.

    Attributes
    ----------
    budget : Budget
    tee, progress, solver_options
        As of `flexblocks.optim.plan`.
    attempts : list of Attempt
        All solves so far, in their order.
    plans : list of Plan
        What they came to, optimal or not, where it is a motion of what was asked.
    """

    budget: Budget = field(default_factory=Budget)
    tee: bool = False
    progress: bool | None = None
    solver_options: Mapping[str, Any] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)

    def solve(
        self,
        what: str,
        model: Any,
        options: Mapping[str, Any],
        most: int | None = None,
        multipliers: Multipliers | None = None,
    ) -> Plan:
        """Solve a model from the present values of its Vars, and record the attempt.

        Parameters
        ----------
        what : str
            What is solved, and from which start.
        model : ConcreteModel
        options : dict
            Of IPOPT, under their own names; the user's take their place.
        most : int, optional
            Iterations; by default what is left of the budget.
        multipliers : tuple of ndarray, optional
            Of a solution of the same program.

        Raises
        ------
        PlanError
            No optimum; its plan has all attempts.
        """
        budget = self.budget
        limited = {"max_iter": budget.iterations if most is None else min(most, budget.iterations)} | budget.options
        try:
            plan = optimum(
                model,
                tee=self.tee,
                progress=self.progress,
                solver_options=dict(options) | limited | dict(self.solver_options),
                multipliers=multipliers,
            )
        except PlanError as error:
            if error.plan is not None:
                error.plan = self.recorded(what, error.plan)
            raise
        return self.recorded(what, plan)

    def recorded(self, what: str, plan: Plan) -> Plan:
        """Record the attempt that came to a plan, and return the plan with all attempts."""
        self.budget.spend(plan.statistics.iterations)
        count, iterations = sum(plan.transcribed.intervals), plan.statistics.iterations
        return self.noted(plan, Attempt(what, plan.status, count, plan.duration, plan.objective, iterations))

    def noted(self, plan: Plan, attempt: Attempt) -> Plan:
        """Note an attempt, and return the plan with all of them."""
        self.attempts.append(attempt)
        return replace(plan, attempts=tuple(self.attempts))

    def is_out_of_time(self, error: PlanError) -> bool:
        """Whether a solve was ended as the CPU time of a refinement was over."""
        return error.plan is not None and error.plan.status == TIME_LIMIT and math.isfinite(self.budget.cpu_end)


def was_ended(error: PlanError) -> bool:
    """Whether a solve was ended from outside, by a limit of time or by Ctrl-C."""
    return error.plan is None or error.plan.status in ENDED
