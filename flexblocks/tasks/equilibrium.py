"""Static equilibrium as a task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flexblocks.studies.cases import Case
from flexblocks.tasks.arm import Arms
from flexblocks.tasks.at_rest import AtRest


@dataclass(frozen=True)
class Equilibrium(AtRest):
    """Static equilibrium of each case; a case names parameters, and coordinates and inputs that are held.

    Parameters
    ----------
    arm : DAE, Model or callable
        As for `flexblocks.tasks.Simulate`.
    x, u, p : dict, optional
        What all cases share, as for `flexblocks.equilibrium`.
    """

    @property
    def label(self) -> str:
        """What the study is called."""
        return f"equilibria of {getattr(self.arm, 'name', None) or getattr(self.arm, '__name__', 'arms')}"

    def prepare(self, names: tuple[str, ...]) -> Callable[[Case], dict[str, Any]]:
        """Return what finds the equilibria one by one."""
        arms = Arms(self.arm, names)

        def rest(case: Case) -> dict[str, Any]:
            _, point = self.at_rest(arms, case)
            return {name: point[name] for name in (*point.states, *point.algebraics, *point.inputs, *point.outputs)}

        return rest

    def __call__(self, case: Case) -> dict[str, Any]:
        """Return states, inputs and outputs at the equilibrium of one case."""
        return self.prepare(tuple(case))(case)
