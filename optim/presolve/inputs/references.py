"""References in plans: limits by all names of their derivatives, and those that are known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flexblocks.control import close_loop
from flexblocks.dae.dae import DAE
from flexblocks.dae.integrated_references import with_integrated_references
from flexblocks.dae.reference_chains import reference_chains
from flexblocks.dae.with_inputs import with_inputs

from ...errors import ProblemError
from ...problem.problem import Problem


def with_planned_references(arm: DAE, problem: Problem) -> DAE:
    """Return the arm with the highest derivatives of its references as inputs, but for references that are known.

    Raises
    ------
    ProblemError
        A rate is prescribed and not its reference, which the loop uses; or both are.
    """
    for chain in reference_chains(arm):
        told = [name for name in chain.names if name in problem.prescribed]
        if len(told) > 1:
            raise ProblemError(
                f"plan: prescribed: {told[1]}, which follows as the derivative of {told[0]}; leave it out."
            )
        if told and chain.names.index(told[0]) > chain.lowest:
            lowest = chain.names[chain.lowest]
            raise ProblemError(
                f"plan: prescribed: {told[0]} without {lowest}, whose derivative it is; prescribe {lowest}, from which "
                "it follows."
            )
    return with_integrated_references(arm, frozenset(name for name in problem.prescribed if name in arm.u))


def driven_by_law(arm: DAE, planned: DAE, problem: Problem, law: Any) -> DAE:
    """Return the arm around which a law of the user follows a plan: with its references and all of its inputs.

    A rate that the law commands has the lower derivatives as its integrals. What is known, off or left out in the plan
    is a disturbance.

    Parameters
    ----------
    arm : DAE
        As it was planned for.
    planned : DAE
        The same with the inputs of the plan alone.
    problem : Problem
    law : Law
    """
    left_out = {*with_planned_references(arm, problem).u.names} - {*planned.u.names}
    of_plan = dict(zip(planned.u.names, planned.u.roles, strict=True))
    whole = with_inputs(arm, arm.u.names, dict.fromkeys(left_out, "disturbance") | of_plan)
    if not any(whole.u.derivative_of):
        return whole
    commanded = frozenset(whole.u.names) - frozenset(close_loop(whole, law).u.names)
    references = {chain.names[0] for chain in reference_chains(whole) if commanded.isdisjoint(chain.names)}
    return with_integrated_references(whole, commanded | references)


def prescribed_as(dae: DAE, problem: Problem, name: str) -> tuple[str, int] | None:
    """Return by what an input of a planned arm is prescribed: a name in `problem.prescribed`, and which derivative.

    None if it is not known.
    """
    order = 0
    while name not in problem.prescribed:
        lower = dae.u.derivative_of[dae.u.index(name)] if name in dae.u else None
        if lower is None:
            return None
        name, order = lower, order + 1
    return name, order


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
