"""Sizes of inputs of several units: squares of one unit compare, over the largest of it."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE

from ...problem.problem import Problem
from ..bounds import chosen_inputs


def sizes_by_unit(dae: DAE, problem: Problem, used: np.ndarray) -> dict[str, float]:
    """Return for each input that can be chosen the largest of `used` (nu,) among those of its unit, by name."""
    chosen = [dae.u.index(name) for name in chosen_inputs(dae, problem)]
    units = np.array(dae.u.units)
    return {dae.u.names[i]: float(np.max(used[chosen][units[chosen] == units[i]])) for i in chosen}
