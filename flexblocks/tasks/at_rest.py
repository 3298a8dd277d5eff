"""Static equilibria of the cases of a study: what tasks about them have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flexblocks.dae.dae import DAE
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.statics.operating_point import OperatingPoint
from flexblocks.studies.cases import Case
from flexblocks.tasks.arm import Arms, split


@dataclass(frozen=True)
class AtRest:
    """A task about the equilibrium of each case; cases name parameters, and coordinates and inputs that are held.

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

    def at_rest(self, arms: Arms, case: Case) -> tuple[DAE, OperatingPoint]:
        """Return the arm of a case and its equilibrium."""
        dae, left = arms.at(case)
        values = split(dae, left)
        groups = (dict(getattr(self, group)) | values[group] for group in ("x", "u", "p"))
        return dae, equilibrium(dae, *groups)
