"""A suspicion: goals that were intended in degrees."""

from __future__ import annotations

import math
from typing import Any

from flexblocks.dae.dae import DAE
from flexblocks.plausibility import may_be_degrees

from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest


def suspected(dae: Any, problem: Any) -> str | None:
    """Return the suspicion about what was refused, which may be neither an arm nor a problem."""
    asked = problem.problem if isinstance(problem, RestToRest) else problem
    return in_degrees(dae, asked) if isinstance(dae, DAE) and isinstance(asked, Problem) else None


def in_degrees(dae: DAE, problem: Problem) -> str | None:
    """Return the suspicion that angles are in degrees, where a phase turns something by more than two turns."""
    at = dict(zip(dae.x.names, dae.x.start.tolist(), strict=True)) | dict(problem.start)
    units = dict(zip(dae.q_names, dae.x.units, strict=False))
    for phase in problem.phases:
        for name, value in (phase.goal or phase.passing or {}).items():
            way = abs(value - at.get(name, 0.0))
            if units.get(name) == "rad" and may_be_degrees(way, (value,)):
                return (
                    f"{name} = {value:g} rad is {way / (2 * math.pi):.1f} turns away; if it is in degrees, "
                    f"use math.radians({value:g}) = {math.radians(value):.4g}."
                )
            at[name] = value
    return None
