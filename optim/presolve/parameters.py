"""Parameter values: the symbolic parameters of each phase of each scenario."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, meant

from ..errors import ProblemError
from ..problem.problem import Problem


def parameter_index(dae: DAE, name: str, where: str) -> int:
    """Return the index of a symbolic parameter.

    Raises
    ------
    ProblemError
        There is not a symbolic parameter of that name.
    """
    if name not in dae.p:
        known = f"{listing(dae.p.names)} are" if len(dae.p) else "none is"
        told = f'{known}; name it when the arm is assembled, fb.assemble(model, symbolic=("{name}",)).'
        raise ProblemError(
            f"{where}: '{name}' is not a symbolic parameter of '{dae.name}'{meant(name, dae.p.names, told)}"
        )
    return dae.p.index(name)


def resolved_parameters(dae: DAE, problem: Problem, base: np.ndarray) -> tuple[tuple[int, ...], list[list[np.ndarray]]]:
    """Return the indices of the design parameters, and the parameters (np,) of each phase in each scenario.

    The values of the arm, `base`, with design parameters moved into their bounds, are overridden by those of the
    scenario, then by those of the phase.

    Raises
    ------
    ProblemError
        A name that is not a symbolic parameter; bounds beyond what the parameter may be.
    ParameterError
        A value that the parameter may not have.
    """
    designed = tuple(parameter_index(dae, name, "plan: design") for name in problem.design)
    for i, (low, high) in zip(designed, problem.design.values(), strict=True):
        least, most = dae.p.ranges[i] if len(dae.p.ranges) else (-np.inf, np.inf)
        if low < least or high > most:
            raise ProblemError(
                f"plan: design: {dae.p.names[i]} = {(low, high)}; its values are from {least:.3g} to {most:.3g}. Give "
                "bounds within."
            )
        base[i] = base[i] if low <= base[i] <= high else (low + high) / 2
    return designed, [_by_phase(dae, problem, base, scenario) for scenario in problem.scenarios or ({},)]


def _by_phase(dae: DAE, problem: Problem, base: np.ndarray, scenario: Mapping[str, float]) -> list[np.ndarray]:
    values = []
    for phase in problem.phases:
        phase_parameters = base.copy()
        for where, overrides in (("scenarios", scenario), (f"phase '{phase.name}': p", phase.p)):
            for name, value in overrides.items():
                phase_parameters[parameter_index(dae, name, f"plan: {where}")] = value
            if overrides:
                dae.p.values(phase_parameters, f"plan: {where}: ")
        values.append(phase_parameters)
    return values
