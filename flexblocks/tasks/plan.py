"""Optimal motions, their replays and audits as tasks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flexblocks.errors import ParameterError
from flexblocks.studies.cases import Case
from flexblocks.tasks.arm import Arms, split


@dataclass(frozen=True)
class Plan:
    """Optimal motion of each case, and its replay.

    Parameters
    ----------
    arm : DAE, Model or callable
        As for `flexblocks.tasks.Simulate`; cases name parameters.
    problem : RestToRest, Problem or callable
        A function takes what its arguments name from the case, and returns the problem.
    options : dict, optional
        Arguments of `flexblocks.optim.plan`.
    audit : bool
        Whether each plan is audited on a finer model, too.
    """

    arm: Any
    problem: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    audit: bool = False

    @property
    def label(self) -> str:
        """What the study is called."""
        return f"plans of {getattr(self.arm, 'name', None) or getattr(self.arm, '__name__', 'arms')}"

    def prepare(self, names: tuple[str, ...]) -> Callable[[Case], dict[str, Any]]:
        """Return what plans the cases one by one."""
        from flexblocks import optim

        asked = tuple(inspect.signature(self.problem).parameters) if callable(self.problem) else ()
        arms = Arms(self.arm, [name for name in names if name not in asked])

        def planned(case: Case) -> dict[str, Any]:
            dae, left = arms.at({name: value for name, value in case.items() if name not in asked})
            values = split(dae, left)
            for name in (*values["x"], *values["u"]):
                raise ParameterError(f"Plan: '{name}' is no parameter; give a function with it as problem.")
            chosen = {name: case[name] for name in asked if name in case}
            problem: Any = self.problem(**chosen) if callable(self.problem) else self.problem
            options: dict[str, Any] = {"progress": False, "p": values["p"], **self.options}
            plan = optim.plan(dae, problem, **options)
            figures: dict[str, Any] = {
                "objective": plan.objective,
                "duration": ((), plan.duration, {"units": "s"}),
                "status": plan.status,
            } | _arrival(plan.replay())
            return figures | ({"passed": plan.audit().passed} if self.audit else {})

        return planned

    def __call__(self, case: Case) -> dict[str, Any]:
        """Return the figures of the plan of one case."""
        return self.prepare(tuple(case))(case)


@dataclass(frozen=True)
class Replay:
    """Replay of one plan under the parameters of each case.

    Parameters
    ----------
    plan : Plan
        Of `flexblocks.optim.plan`, of an arm with symbolic parameters.
    """

    plan: Any

    @property
    def label(self) -> str:
        """What the study is called."""
        return f"replays of a plan of {self.plan.trajectory.name}"

    def __call__(self, case: Case) -> dict[str, Any]:
        """Return the figures of the replay of one case."""
        return _arrival(self.plan.replay(case))


@dataclass(frozen=True)
class Audit:
    """Audit of one plan on the finer model of each case, its value ``finer``.

    Parameters
    ----------
    plan : Plan
        Of `flexblocks.optim.plan`.
    """

    plan: Any

    @property
    def label(self) -> str:
        """What the study is called."""
        return f"audits of a plan of {self.plan.trajectory.name}"

    def __call__(self, case: Case) -> dict[str, Any]:
        """Return the figures of the audit of one case."""
        if set(case) != {"finer"}:
            raise ParameterError(f"Audit: a case names {', '.join(case)}; must name 'finer', a discretization.")
        audit = self.plan.audit(case["finer"])
        return {
            "passed": audit.passed,
            "tip_miss": ((), audit.finer.tip_miss, {"units": "m"}),
            "energy_left": ((), audit.finer.energy_left, {"units": "J"}),
        }


def _arrival(replay: Any) -> dict[str, Any]:
    return {"tip_miss": ((), replay.tip_miss, {"units": "m"}), "energy_left": ((), replay.energy_left, {"units": "J"})}
