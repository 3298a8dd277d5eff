"""Solver of a plan: solves models within one budget of iterations and time, and records every attempt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter, process_time
from typing import Any

from ..errors import PlanError, ProblemError
from ..results.attempt import Attempt
from ..results.plan import Multipliers, Plan
from ..solve import optimum
from ..solver_statistics import ENDED, TIME_LIMIT

ITERATIONS = 600  # of all solves of a plan together, from which on what there is is the answer
RESERVE = 100  # of these, to find which limits conflict
SHARE = 2  # a solve may take half of what is left, as long as there is something easier to try
LEAST = 10  # iterations that are not worth another solve
LEAST_TIME = 1e-9  # s that a solve is left with after the end: it returns its start, the best that is known
KEPT = 0.1  # of the time is kept for the last iteration, and for saying what came of it; by trial


@dataclass
class Budget:
    """What is left for the solves of a plan.

    Attributes
    ----------
    iterations : int
        Left for all solves.
    end : float
        Wall time by which they end [s of `time.perf_counter`]; infinite without a limit.
    cpu_end : float
        CPU time of the process by which they end [s of `time.process_time`], of refinements; likewise.
    """

    iterations: int = ITERATIONS
    end: float = math.inf
    cpu_end: float = math.inf

    @classmethod
    def of_seconds(cls, limit: Any) -> Budget:
        """Return the budget with a wall time [s] from now; without a limit for None.

        Raises
        ------
        ProblemError
            It is not a positive number.
        """
        if limit is None:
            return cls()
        number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
        if not number or not limit > 0:
            raise ProblemError(f"plan: time_limit = {limit!r}; must be a number > 0 [s of wall time], or None.")
        return cls(end=perf_counter() + (1 - KEPT) * float(limit))

    @property
    def share(self) -> int:
        """Iterations of a solve beside which there is something easier to try."""
        return max((self.iterations - RESERVE) // SHARE, 1)

    @property
    def is_spent(self) -> bool:
        """Whether too few iterations are left for another solve."""
        return self.share < LEAST

    @property
    def seconds(self) -> float | None:
        """What is left of the wall time [s]; None without a limit."""
        return None if math.isinf(self.end) else max(self.end - perf_counter(), LEAST_TIME)

    @property
    def options(self) -> dict[str, float]:
        """IPOPT's options for what is left of the time; empty without a limit."""
        options = {} if self.seconds is None else {"max_wall_time": self.seconds}
        if math.isfinite(self.cpu_end):
            options["max_cpu_time"] = max(self.cpu_end - process_time(), LEAST_TIME)
        return options

    def spend(self, iterations: int | None) -> None:
        """Take the iterations of a solve off what is left."""
        self.iterations = max(self.iterations - (iterations or 0), 0)


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
        What they came to, optimal or not, where it is a motion of the requested problem.
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


def recoverable(error: PlanError) -> PlanError:
    """Return a failure from which to go on; re-raise it if it was ended from outside."""
    if was_ended(error):
        raise error
    return error
