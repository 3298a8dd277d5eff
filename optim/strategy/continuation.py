"""Continuation: the requested problem, by way of easier problems where it is not solved at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import pyomo.environ as pyo

from ..errors import PlanError, ProblemError
from ..infeasibility.penalty import penalized
from ..model.objective import set_costs
from ..model.trajectories import transcribed_problem
from ..presolve.refusals.table import refuse_unsolved
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.plan import Plan
from ..solver_statistics import CONVERGED, ROUNDED
from .failure import not_optimal, without_limits
from .relaxation import Found, Relaxation
from .relaxations.modes import may_lack_dynamics
from .relaxations.table import RELAXATIONS
from .request import Request
from .solver import Solver, recoverable, was_ended
from .start_options import from_guess
from .warm_start import start_from

DEFAULT = "from the default start"


class Continuation:
    """The way to the requested problem, by way of easier problems where it is not solved at once.

    The requested problem is a point of a family of problems, at which the levels of all relaxations are zero. It is
    solved from the first guess, with those relaxations raised that are known to be needed. Where that fails, the next
    one that applies is raised. From a member that is solved the levels are taken back, one relaxation after another in
    the order of the table, each by its own steps: shorter after failures, longer after easy ones. Where no step is
    left, other first guesses are tried, then the relaxations that are not raised yet; then the plan ends with what may
    stay. All solves share one budget.

    Parameters
    ----------
    model : ConcreteModel
        Of the requested problem, with the first guess.
    solver : Solver
    """

    def __init__(self, model: Any, solver: Solver) -> None:
        self._model, self._solver = model, solver
        self._restarts: dict[str, Iterator[tuple[str, Callable[[Any], None]]]] = {}
        self._resting: set[str] = set()
        self._found: Found | None = None
        self._raised: set[str] = set()  # all that ever were
        self._as_asked: Any = None  # a model of the requested arm, for motions of other ones
        self._is_possible = False  # whether nothing is known that forbids the requested problem
        self._is_fresh = True  # whether the model has still its first guess

    def run(self) -> Plan:
        """Return the plan.

        Raises
        ------
        PlanError
            It was ended from outside; or none was found: with the nearest motion that keeps all limits, or the limits
            that conflict.
        """
        if not are_needed(transcribed_problem(self._model)):
            try:
                return self._directly()
            except PlanError as error:
                if was_ended(error):
                    raise
                failure = error
            self._refuse()
            self._model = self.asked.model(transcribed_problem(self._model))  # with its first guess again
        else:
            failure = None
        try:
            found = self._first(failure)
            while (relaxation := self._next(found)) is not None:
                found = self._lowered(relaxation, found)
        except PlanError as error:
            if was_ended(error):
                raise self._ended(error) from None
            return self._failed(error)
        return self._concluded(found)

    def _directly(self) -> Plan:
        """Return the plan of what needs no relaxation, as most problems.

        Raises
        ------
        PlanError
        """
        solver, options = self._solver, from_guess(transcribed_problem(self._model))
        try:
            plan = solver.solve(DEFAULT, self._model, options, solver.budget.share)
        except PlanError as error:
            if error.plan is not None:
                solver.plans.append(error.plan)
            raise
        solver.plans.append(plan)
        return plan

    # Members of the family

    @cached_property
    def asked(self) -> Request:
        """The requested problem."""
        return Request.of(transcribed_problem(self._model))

    @cached_property
    def _relaxations(self) -> list[Relaxation]:
        return [kind(self.asked, self._model) for kind in RELAXATIONS]

    def _named(self, names: Iterable[str]) -> list[Relaxation]:
        return [relaxation for relaxation in self._relaxations if relaxation.name in names]

    def _request(self, levels: Mapping[str, float]) -> Request:
        request = self.asked
        for relaxation in reversed(self._relaxations):  # rest, say, is of those scenarios that are left
            if level := levels.get(relaxation.name, 0.0):
                request = relaxation.at(request, level)
        return request

    def _solved(
        self,
        levels: Mapping[str, float],
        start: Found | pyo.ConcreteModel | None,
        options: dict[str, Any] | None = None,
        lowered: Relaxation | None = None,
        words: str = "",
        most: int | None = None,
    ) -> Found:
        """Solve a member from another one, from a model with another first guess, or from the default one.

        Raises
        ------
        PlanError
        """
        levels = {name: level for name, level in levels.items() if level}
        self._raised |= levels.keys()
        request = self._request(levels)
        model, kept = self._model_for(request, start)
        if most is None:
            trials = [r.trial for r in self._relaxations if r.trial and r.name not in levels and r.easier(request, 0.0)]
            most = min([self._solver.budget.share, *trials])
        if options is None:
            options = from_guess(transcribed_problem(model))
            for relaxation in self._relaxations:
                options = options | relaxation.guess_options()
        with penalized(model, request.penalty) as elastic:
            try:
                plan = self._solver.solve(self._what(levels, lowered, start, words), model, options, most)
            except PlanError as error:
                if error.plan is not None and not request.penalty:
                    self._solver.plans.append(error.plan)
                for variable, value in kept:
                    variable.set_value(value, skip_validation=True)
                raise
            violation = 0.0 if elastic is None else elastic.worst
        if not request.penalty and request.arm is self.asked.arm:
            self._solver.plans.append(plan)
        self._found = found = Found(plan, model, request, levels, violation)
        for relaxation in self._relaxations:
            relaxation.observe(found)
        return found

    def _model_for(self, request: Request, start: Any) -> tuple[Any, list[tuple[Any, float]]]:
        """Return a model with its start, and the values to which a failure of one that is solved in place returns."""
        if isinstance(start, Found):
            if request.has_model_of(start.request):
                variables = start.model.component_data_objects(pyo.Var)
                return start.model, [(variable, variable.value) for variable in variables]
            model = self._fresh(request)
            start_from(model, start.model)
            return model, []
        return self._fresh(request) if start is None else start, []

    def _fresh(self, request: Request) -> Any:
        if self._is_fresh and request.has_model_of(self.asked):
            self._is_fresh = False
            return self._model
        return request.model(transcribed_problem(self._model))

    def _what(self, levels: Mapping[str, float], lowered: Relaxation | None, start: Any, words: str) -> str:
        parts = [lowered.words(levels.get(lowered.name, 0.0))] if lowered is not None else []
        request, others = self.asked, []
        for relaxation in reversed(self._relaxations):
            if level := levels.get(relaxation.name, 0.0):
                before, request = request, relaxation.at(request, level)
                if relaxation is not lowered and request is not before:
                    others.append(relaxation.words(level))
        parts += reversed(others)
        if isinstance(start, Found):
            parts.append("from there")
        elif words or not parts:
            parts.append(words or DEFAULT)
        return ", ".join(parts)

    # The way

    def _first(self, failure: Exception | None) -> Found:
        """Return the first member that is solved; the `failure` is that of the requested problem, if it was tried.

        Raises
        ------
        PlanError
        """
        levels: dict[str, float] = {}
        for relaxation in self._relaxations:
            if relaxation.is_raised_first:
                levels[relaxation.name] = relaxation.easier(self.asked, 0.0)
        while True:
            if failure is not None:
                levels = self._raised_further(levels, failure)
            try:
                return self._solved(levels, None)
            except PlanError as error:
                failure = recoverable(error)
                self._refuse()
            except ProblemError as error:  # as a goal on a course that is out of reach at another time
                if not levels:
                    raise
                failure = error

    def _raised_further(self, levels: Mapping[str, float], failure: Exception) -> dict[str, float]:
        """Return the levels with the next relaxation that applies; raise the failure if there is none."""
        request = self._request(levels)
        for relaxation in self._relaxations * (not self._solver.budget.is_spent):
            if level := relaxation.easier(request, levels.get(relaxation.name, 0.0)):
                return {**levels, relaxation.name: level}
        raise failure

    def _refuse(self) -> None:
        """Refuse the requested problem after the first failure, if start, goals and limits alone show why.

        Raises
        ------
        ProblemError
        """
        if not self._is_possible:
            refuse_unsolved(transcribed_problem(self._model))
            self._is_possible = True

    def _next(self, found: Found) -> Relaxation | None:
        """Return the relaxation that is taken back next."""
        left = (each for each in self._relaxations if each.name in found.levels and each.name not in self._resting)
        return next(left, None)

    def _lowered(self, relaxation: Relaxation, found: Found) -> Found:
        """Return a member that is nearer to the requested problem, or the same, at rest.

        Raises
        ------
        PlanError
        """
        name = relaxation.name
        if relaxation.keeps(found):
            self._solver.plans.append(found.plan)
            levels = {other: level for other, level in found.levels.items() if other != name}
            return replace(found, levels=levels, request=self._request(levels))
        first: float | None = None
        failure = PlanError(
            f"Plan of '{self.asked.arm.name}': the requested problem is not reached from the motion "
            f"{relaxation.words(found.levels[name])}.",
            found.plan,
        )
        while (target := relaxation.lower(found)) is not None:
            first = target if first is None else first
            if target == found.levels[name]:
                self._resting.add(name)
                return found
            try:
                step = self._solved(
                    {**found.levels, name: target},
                    found,
                    relaxation.options(found, target),
                    relaxation,
                    most=relaxation.most(found),
                )
                relaxation.lengthen(step.plan.statistics.iterations or 0)
                return step
            except PlanError as error:
                failure = recoverable(error)
                self._refuse()
            if self._solver.budget.is_spent or not relaxation.shorten():
                break
        return self._around(relaxation, found, first, failure)

    def _around(self, relaxation: Relaxation, found: Found, target: float | None, failure: PlanError) -> Found:
        """Return a member by way of another first guess, or of another relaxation; or the same, at rest.

        Raises
        ------
        PlanError
        """
        self._refuse()
        name, budget = relaxation.name, self._solver.budget
        for words, set_start in self._restarts.setdefault(name, relaxation.restarts()):
            if budget.is_spent:
                break
            try:
                return self._restarted(relaxation, found, words, set_start)
            except PlanError as error:
                failure = recoverable(error)
        if relaxation.stays:
            self._resting.add(name)
            return found
        levels = {**found.levels, name: target or 0.0}
        for other in self._relaxations:
            level = 0.0 if other.name in self._raised else other.easier(self._request(levels), 0.0)
            while level and not budget.is_spent:
                try:
                    raised = {**levels, other.name: level}
                    return self._solved(raised, found, other.options(found, level), relaxation)
                except PlanError as error:
                    failure = recoverable(error)
                level = other.easier(self._request(levels), level)
        raise failure

    def _restarted(self, relaxation: Relaxation, found: Found, words: str, set_start: Callable[[Any], None]) -> Found:
        """Solve from another first guess, at the level that it has."""
        levels = {other: level for other, level in found.levels.items() if other != relaxation.name}
        guess = self._request(levels).model(transcribed_problem(self._model))
        set_start(guess)
        levels[relaxation.name] = relaxation.level_of(guess)
        return self._solved(levels, guess, None, relaxation, words)

    # The end

    def _concluded(self, found: Found) -> Plan:
        """Return the plan of what was found, with warnings of what stays."""
        plan, attempts = found.plan, tuple(self._solver.attempts)
        *_, own = plan.attempts
        others = tuple(each for each in attempts if each is not own)
        if attempts[-1] is not own:
            own = replace(own, what=f"{own.what} (the plan, since what followed was given up)")
        plan = replace(self._of_asked_arm(found), attempts=(*others, own))
        for relaxation in self._relaxations:
            if relaxation.name in found.levels:
                plan = relaxation.conclude(plan, found)
            elif relaxation.name in self._raised:
                relaxation.reached()
        return plan

    def _of_asked_arm(self, found: Found) -> Plan:
        """Return what was found as a plan of the requested arm."""
        changed = [r.name for r in self._relaxations if r.changes_arm and r.name in found.levels]
        if not changed:
            return found.plan
        request = self._request({name: level for name, level in found.levels.items() if name not in changed})
        if self._as_asked is None or not request.has_model_of(Request.of(transcribed_problem(self._as_asked))):
            self._as_asked = request.model(transcribed_problem(self._model))
        return replace(_moved_as(self._as_asked, found.model), status=CONVERGED, statistics=found.plan.statistics)

    def _ended(self, error: PlanError) -> PlanError:
        """Return the end from outside as one of a plan of the requested problem."""
        last = self._found
        if error.plan is None:
            return error
        if last is not None and any(each.changes_arm for each in self._named(last.levels)):
            plan = self._of_asked_arm(last)
            if len(plan.transcribed.runs) == len(transcribed_problem(self._model).runs):
                self._solver.plans.append(replace(plan, status=ROUNDED, attempts=tuple(self._solver.attempts)))
                return error
        source = error.plan.transcribed
        if source.arm is not self.asked.arm or len(source.runs) != len(transcribed_problem(self._model).runs):
            model = self.asked.model(transcribed_problem(self._model))
            plan = _moved_as(model, error.plan.pyomo_model)
            plan = replace(plan, status=error.plan.status, statistics=error.plan.statistics)
            error.plan = replace(plan, attempts=tuple(self._solver.attempts))
            runs, plans = len(model.transcribed.runs), self._solver.plans
            plans[:] = [*(each for each in plans if len(each.transcribed.runs) == runs), error.plan]
        return error

    def _failed(self, error: PlanError) -> Plan:
        """Return what there is where the requested problem was not solved.

        Raises
        ------
        PlanError
        """
        found = self._found
        if found is not None and found.levels and all(each.keeps_limits for each in self._named(found.levels)):
            return not_optimal(found.plan, self._solver, error)
        return without_limits(self._model, self._solver, error)


def _moved_as(model: Any, source: Any) -> Plan:
    """Return a plan of a model that moves as another one."""
    start_from(model, source)
    set_costs(model)
    return Plan.from_model(model)


def are_needed(transcribed: TranscribedProblem) -> bool:
    """Whether a relaxation may be raised before the first solve, or says how it is made; most plans need none."""
    bodies = transcribed.dae.tree.bodies
    return (
        transcribed.is_free
        or not transcribed.is_effort
        or len(transcribed.runs) > 1
        or any(t.path.rows for t in transcribed.first)
        or any(body.block.rounding is not None for body in bodies)
        or may_lack_dynamics(transcribed)
    )
