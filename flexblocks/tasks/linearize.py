"""Linearisation about equilibria as a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.linear.linearize import linearize
from flexblocks.studies.cases import Case
from flexblocks.tasks.arm import Arms
from flexblocks.tasks.at_rest import AtRest


@dataclass(frozen=True)
class Linearize(AtRest):
    """Linear model about the equilibrium of each case; cases name parameters, and coordinates and inputs that are held.

    Parameters
    ----------
    arm : DAE, Model or callable
        As for `flexblocks.tasks.Simulate`.
    x, u, p : dict, optional
        What all cases share, as for `flexblocks.equilibrium`.
    outputs : sequence of str, optional
        As for `flexblocks.linearize`.
    law : control law, optional
        Closes the loop.
    matrices : bool
        Whether A, B, C and D are kept, beside the poles.
    """

    outputs: Sequence[str] | None = None
    law: Any = None
    matrices: bool = True

    @property
    def label(self) -> str:
        """What the study is called."""
        return f"linear models of {getattr(self.arm, 'name', None) or getattr(self.arm, '__name__', 'arms')}"

    def prepare(self, names: tuple[str, ...]) -> Callable[[Case], Any]:
        """Return what linearises the cases one by one."""
        arms = Arms(self.arm, names, self.law)

        def linear(case: Case) -> dict[str, Any]:
            dae, point = self.at_rest(arms, case)
            lin = linearize(dae, point, self.outputs)
            pole = np.linalg.eigvals(lin.A)
            result: dict[str, Any] = {
                "pole": (("pole_number",), pole, {"units": "1/s"}),
                "growth": ((), pole.real.max(initial=-np.inf), {"units": "1/s"}),
            }
            if self.matrices:
                result |= {
                    "A": (("state", "state_too"), lin.A),
                    "B": (("state", "input"), lin.B),
                    "C": (("output", "state"), lin.C),
                    "D": (("output", "input"), lin.D),
                }
            return result

        return linear

    def __call__(self, case: Case) -> dict[str, Any]:
        """Return poles and matrices of one case."""
        return self.prepare(tuple(case))(case)
