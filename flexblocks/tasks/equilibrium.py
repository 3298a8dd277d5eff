"""Static equilibrium as a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flexblocks.statics.equilibrium import equilibrium
from flexblocks.studies.cases import Case
from flexblocks.tasks.arm import Arms, split


@dataclass(frozen=True)
class Equilibrium:
    """Static equilibrium of each case; what a case names are parameters, and coordinates and inputs that are held.

    Parameters
    ----------
    arm : DAE, Model or callable
        As for `flexblocks.tasks.Simulate`.
    x, u, p : dict, optional
        What all cases share, as for `flexblocks.equilibrium`.
    """

    arm: Any
    x: Mapping[str, float] = field(default_factory=dict)
    u: Mapping[str, float] = field(default_factory=dict)
    p: Mapping[str, float] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What the study is called."""
        return f"equilibria of {getattr(self.arm, 'name', None) or getattr(self.arm, '__name__', 'arms')}"

    def prepare(self, names: tuple[str, ...]) -> Callable[[Case], dict[str, Any]]:
        """Return what finds the equilibria one by one."""
        arms = Arms(self.arm, names)

        def rest(case: Case) -> dict[str, Any]:
            dae, left = arms.at(case)
            values = split(dae, left)
            point = equilibrium(dae, dict(self.x) | values["x"], dict(self.u) | values["u"], dict(self.p) | values["p"])
            return {name: point[name] for name in (*point.states, *point.algebraics, *point.inputs, *point.outputs)}

        return rest

    def __call__(self, case: Case) -> dict[str, Any]:
        """Return states, inputs and outputs at the equilibrium of one case."""
        return self.prepare(tuple(case))(case)
