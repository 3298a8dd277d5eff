"""The symbolic parameters of a problem: one value for each phase of each scenario."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, nearest

from ..errors import ProblemError
from ..problem.problem import Problem


def place_of(dae: DAE, name: str, where: str) -> int:
    """Return the place of a symbolic parameter.

    Raises
    ------
    ProblemError
        It is none.
    """
    if name not in dae.p:
        known = f"symbolic: {listing(dae.p.names)}" if len(dae.p) else "none is"
        raise ProblemError(
            f"{where}: '{name}' is no symbolic parameter of '{dae.name}' ({known}); name it when the arm is "
            f'assembled, fb.assemble(model, symbolic=("{name}",)).{nearest(name, dae.p.names)}'
        )
    return dae.p.index(name)


def resolved_parameters(dae: DAE, problem: Problem, base: np.ndarray) -> tuple[tuple[int, ...], list[list[np.ndarray]]]:
    """Return the places of designed parameters, and the parameters (np,) of each phase in each scenario.

    Those of the arm, `base`, in which the search for designed ones starts from a value that is allowed; then the
    scenario's, then the phase's own.

    Raises
    ------
    ProblemError
        A name that is no symbolic parameter.
    """
    designed = tuple(place_of(dae, name, "plan: design") for name in problem.design)
    for place, bounds in zip(designed, problem.design.values(), strict=True):
        base[place] = _design_start(base[place], *bounds)
    return designed, [_by_phase(dae, problem, base, scenario) for scenario in problem.scenarios or ({},)]


def _by_phase(dae: DAE, problem: Problem, base: np.ndarray, scenario: Mapping[str, float]) -> list[np.ndarray]:
    values = []
    for phase in problem.phases:
        own = base.copy()
        for where, given in (("scenarios", scenario), (f"phase '{phase.name}': p", phase.p)):
            for name, value in given.items():
                own[place_of(dae, name, f"plan: {where}")] = value
        values.append(own)
    return values


def _design_start(nominal: float, low: float, high: float) -> float:
    """Return the value that the search for a designed parameter starts from: the model's own if it is allowed."""
    return nominal if low <= nominal <= high else (low + high) / 2
