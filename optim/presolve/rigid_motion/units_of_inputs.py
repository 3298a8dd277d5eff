"""Inputs of several units: their squares compare over a size of each unit."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE

from ...problem.problem import Problem
from ..bounds import chosen_inputs


def mixes_units(dae: DAE, problem: Problem) -> bool:
    """Whether the objective adds squares of inputs of several units, as they are.

    Squares of N m added to squares of N would weigh one against the other by the size of the arm: of an arm of a
    centimetre, torques would cost nothing.
    """
    objective, units = problem.objective, {dae.u.units[dae.u.index(name)] for name in chosen_inputs(dae, problem)}
    return len(units) > 1 and objective.sized(dict.fromkeys(dae.u.names, 1.0)) != objective


def sizes_by_unit(dae: DAE, problem: Problem, used: np.ndarray) -> dict[str, float]:
    """Return for each input that can be chosen the largest of `used` (nu,) among those of its unit, by name."""
    chosen = [dae.u.index(name) for name in chosen_inputs(dae, problem)]
    units = np.array(dae.u.units)
    return {dae.u.names[i]: float(np.max(used[chosen][units[chosen] == units[i]])) for i in chosen}
