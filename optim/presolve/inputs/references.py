"""References in plans: limits by all names of their derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flexblocks.dae.dae import DAE
from flexblocks.dae.reference_chains import reference_chains

from ...problem.problem import Problem


def with_planned_names(arm: DAE, problem: Problem) -> Problem:
    """Return the problem with limits on rates by the names of inputs or states: ``der(servo.reference)``, too."""
    names = _planned_names(arm) if any(arm.u.derivative_of) else {}

    def renamed(limits: Mapping[str, Any]) -> dict[str, Any]:
        return {names.get(name, name): limit for name, limit in limits.items()}

    limited = {name for limits in (problem.limits, *(phase.limits for phase in problem.phases)) for name in limits}
    if not limited & names.keys():
        return problem
    phases = tuple(replace(phase, limits=renamed(phase.limits)) for phase in problem.phases)
    return replace(problem, limits=renamed(problem.limits), phases=phases)


def _planned_names(arm: DAE) -> dict[str, str]:
    names = {}
    for chain in reference_chains(arm):
        for position, (lower, name) in enumerate(zip(chain.names, chain.names[1:], strict=False), start=1):
            if position <= chain.highest:
                names[f"der({lower})"] = name
            elif position == chain.highest + 1:
                names[name] = f"der({lower})"
    return names
