"""Warm start: multipliers from suffixes and grey boxes, for IPOPT's ``warm_start_init_point``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..program.nlp import NonlinearProgram


def start_multipliers(nlp: NonlinearProgram, suffixes: Mapping[str, Sequence[Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Return lam_x (n,) and lam_g (m,) from the exported `suffixes` ``ipopt_zL_in``, ``ipopt_zU_in`` and ``dual``.

    Multipliers of grey boxes are their stored ones. Without such suffixes they are zero.
    """
    free = nlp.variables.free
    # with Pyomo's signs a minimisation has zL_in >= 0 and zU_in <= 0, and CasADi's lam_x is z_U - z_L
    bound_multipliers = [_values(suffixes.get(name, ()), free) for name in ("ipopt_zL_in", "ipopt_zU_in")]
    lam_x = np.zeros(len(free))
    if any(values is not None for values in bound_multipliers):
        lam_x = -nlp.sense * np.sum([values for values in bound_multipliers if values is not None], axis=0)
    duals = _values(suffixes.get("dual", ()), nlp.constraints)
    lam_g = np.zeros(len(nlp.lower) + 1)  # the last entry absorbs those of residuals that are not constraints
    if duals is not None:
        lam_g[: len(nlp.constraints)] = -nlp.sense * duals
    for box in nlp.boxes:
        lam_g[box.rows] = box.model.multipliers
    return lam_x, lam_g[:-1]


def _values(suffixes: Sequence[Any], components: Sequence) -> np.ndarray | None:
    """Return the values in suffixes of one name; the outermost takes precedence. None without one."""
    if not suffixes:
        return None
    values = np.zeros(len(components))
    for suffix in reversed(suffixes):
        values = np.array([suffix.get(part, old) for part, old in zip(components, values, strict=True)], dtype=float)
    return values
