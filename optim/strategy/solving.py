"""Solve steps: how the strategies build, solve and diagnose models."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE

from ..collocation.transcription_options import TranscriptionOptions
from ..errors import PlanError
from ..infeasibility.diagnose import Diagnosis, diagnosis
from ..model.build import model_of
from ..presolve.rigid_motion.quasi_static_path import follows_from_balance
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from ..results.attempt import Attempt
from ..results.plan import Multipliers, Plan
from ..solve import optimum
from ..solver_statistics import ENDED, TIME_LIMIT
from .deadline import LEAST, Deadline
from .settings import SETTINGS, Settings

# Multipliers get the step that leaves least of the optimality conditions, not that of the motion, at which they may
# grow by six decades: IPOPT scales its error by them, and so lowers the barrier far from its path, along which the rest
# is short steps. Shortest times of the luffing crane take 45 iterations from least effort, with IPOPT's choice 135; of
# the desk arm 35 and 99. Six joints with 32 states take 46, 50 and 42 from cold, and 76, 65 and 51.
OWN_STEP = {"alpha_for_y": "min-dual-infeas"}
# Where the Hessian is indefinite IPOPT adds multiples of the identity, each this many times the one before until the
# step descends. IPOPT's 8 overshoots, and so shortens the steps where no limits do: with 3, sixteen random goals of
# those six joints take 50 iterations in the geometric mean, 57 with 8, 52 with 4. Of random arms with limits two more
# of 51 do not end within 150.
FINE_CONVEXITY = {"perturb_inc_fact": 3.0}


def solve_with(model: Any, options: dict[str, Any], multipliers: Multipliers | None = None) -> Plan:
    """Solve a model with IPOPT's `options`, by their plain names; see `optimum`."""
    return optimum(model, solver_options=options, multipliers=multipliers)


@dataclass(frozen=True)
class Solving:
    """How the strategies build, solve and diagnose models.

    Attributes
    ----------
    dae : DAE
        The arm.
    p : dict of float or ndarray (np,), optional
        Values of its symbolic parameters.
    solve : callable
        (model, IPOPT's options, multipliers to start from if there are some) -> Plan; raises PlanError.
    diagnose : callable
        (model, max_iter=...) -> Diagnosis, of a model that could not be solved.
    settings : Settings
    deadline : Deadline
        By which all solves end.
    plans : list of Plan
        What the solves so far came to, optimal or not, in their order.
    spent_at : float
        CPU time of the process [s] at which that for all solves is over.
    """

    dae: DAE
    p: Any = None
    solve: Callable[..., Plan] = solve_with
    diagnose: Callable[..., Diagnosis] = diagnosis
    settings: Settings = SETTINGS
    deadline: Deadline = field(default_factory=Deadline)
    plans: list[Plan] = field(default_factory=list)
    spent_at: float = math.inf

    def patience(self, transcribed: TranscribedProblem) -> int:
        """Return the iterations of a solve in a given time: other objectives than effort are reached from that, too."""
        return self.settings.patience if transcribed.is_effort else self.settings.stage_patience

    def brief(self) -> Solving:
        """Return the same with few iterations for a solve, for what was hardly meant."""
        few = self.settings.static_patience

        def solve_briefly(model: Any, options: dict[str, Any], *multipliers: Any) -> Plan:
            return self.solve(model, options | {"max_iter": min(few, options.get("max_iter", few))}, *multipliers)

        return replace(self, solve=solve_briefly)

    def within(self, seconds: float) -> Solving:
        """Return the same with this CPU time [s] for all solves from now on; see `is_spent`."""
        end = process_time() + seconds

        def solve_in_time(model: Any, options: dict[str, Any], *multipliers: Any) -> Plan:
            return self.solve(model, {"max_cpu_time": max(end - process_time(), LEAST)} | options, *multipliers)

        return replace(self, solve=solve_in_time, spent_at=end)

    def is_spent(self, error: PlanError) -> bool:
        """Whether a solve was ended because the CPU time for all of them was over."""
        return error.plan is not None and error.plan.status == TIME_LIMIT and math.isfinite(self.spent_at)

    def model(self, problem: Problem | RestToRest, options: TranscriptionOptions) -> Any:
        """Return the unsolved model of a problem."""
        return model_of(self.dae, problem, options, self.p)

    def like(self, transcribed: TranscribedProblem, problem: Problem | None = None, **options: Any) -> Any:
        """Return a model of this or another problem, with the same transcription except for `options`."""
        changed = replace(transcribed.options, **options)
        if problem is None and self.dae is transcribed.arm:
            return model_of(self.dae, transcribed.problem, changed, transcribed.parameters, transcribed)
        return self.model(problem or transcribed.problem, changed)

    def attempt(
        self,
        what: str,
        model: Any,
        before: tuple[Attempt, ...],
        multipliers: Multipliers | None = None,
        /,
        **options: Any,
    ) -> Plan:
        """Solve a model, from `multipliers` of its solution if given, and record the attempt after those `before`.

        Raises
        ------
        PlanError
            No optimum; its plan has the attempts as well.
        """
        try:
            plan = self.attempt_easier(what, model, before, multipliers, **options)
        except PlanError as error:
            if error.plan is not None:
                self.plans.append(error.plan)
            raise
        self.plans.append(plan)
        return plan

    def attempt_easier(
        self,
        what: str,
        model: Any,
        before: tuple[Attempt, ...],
        multipliers: Multipliers | None = None,
        /,
        **options: Any,
    ) -> Plan:
        """Solve a model that lacks some of what was asked, and do not keep the plan; otherwise see `attempt`."""
        try:
            started = () if multipliers is None else (multipliers,)
            plan = self.solve(model, options | self.deadline.options, *started)
        except PlanError as error:
            if error.plan is not None:
                error.plan = replace(error.plan, attempts=(*before, _attempt(what, error.plan)))
            raise
        return replace(plan, attempts=(*before, _attempt(what, plan)))

    @property
    def near_equations(self) -> dict[str, Any]:
        """Options of IPOPT for a start that may violate the equations of motion by no more than it does."""
        return {"theta_max_fact": self.settings.farthest}

    @property
    def from_guess(self) -> dict[str, Any]:
        """Options of IPOPT for a first guess without path constraints, whose multipliers are none yet.

        See `near_equations`. Along lines and past obstacles IPOPT's own steps mostly take fewer iterations. Ropes,
        cylinders and loops keep them, too: with steps of their own for multipliers, two loads on the crane take 201
        iterations instead of 90.
        """
        return self.near_equations | ({} if follows_from_balance(self.dae) else OWN_STEP)

    def from_guess_of(self, transcribed: TranscribedProblem) -> dict[str, Any]:
        """Return `from_guess` for a problem, with finer steps of convexification where nothing is limited."""
        limits = (bounds for t in transcribed.first for bounds in (t.limits.x, *t.limits.inputs))
        is_limited = follows_from_balance(self.dae) or any(np.isfinite(bounds).any() for bounds in limits)
        return self.from_guess | ({} if is_limited else FINE_CONVEXITY)

    def attempt_near(self, what: str, model: Any, before: tuple[Attempt, ...], **options: Any) -> Plan:
        """Solve from a start close to the solution, with a low barrier and limited iterations; see `attempt`."""
        near = {"max_iter": self.settings.patience, "mu_init": self.settings.near_barrier}
        return self.attempt(what, model, before, **(near | options))


def attempts_of(error: PlanError) -> tuple[Attempt, ...]:
    """Return the attempts of a failure from which to recover; re-raise it if it was ended from outside."""
    if error.plan is None or error.plan.status in ENDED:
        raise error
    return error.plan.attempts


def after(plan: Plan, attempts: tuple[Attempt, ...]) -> Plan:
    """Return a plan from which `attempts` went on in vain: its own stands last, as its replay is noted there."""
    *_, own = plan.attempts
    return replace(plan, attempts=(*(each for each in attempts if each is not own), own))


def _attempt(what: str, plan: Plan) -> Attempt:
    return Attempt(
        what,
        plan.status,
        sum(plan.transcribed.intervals),
        plan.duration,
        plan.objective,
        plan.statistics.iterations,
    )
