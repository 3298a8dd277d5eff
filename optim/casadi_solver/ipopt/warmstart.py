"""Start multipliers from suffixes and grey boxes, for IPOPT's ``warm_start_init_point``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyomo.environ as pyo

from ..program.nlp import NonlinearProgram
from .iterate import Iterate


def start_multipliers(nlp: NonlinearProgram, last: Iterate | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return lam_x (n,) and lam_g (m,) from the exported suffixes ``ipopt_zL_in``, ``ipopt_zU_in`` and ``dual``.

    Multipliers of grey boxes are those they hold. Where the model has no such suffix, those of `last` are taken, the
    end of the last solve of the same program; without it they are zero.
    """
    free = nlp.variables.free
    # with Pyomo's signs a minimisation has zL_in >= 0 and zU_in <= 0, and CasADi's lam_x is z_U - z_L
    given = [_suffix(nlp, name, free) for name in ("ipopt_zL_in", "ipopt_zU_in")]
    lam_x = np.zeros(len(free)) if last is None else last.lam_x
    if any(values is not None for values in given):
        lam_x = -nlp.sense * np.sum([values for values in given if values is not None], axis=0)
    duals = _suffix(nlp, "dual", nlp.constraints)
    lam_g = np.zeros(len(nlp.lower) + 1)  # the last entry takes those of residuals that are no constraint
    if last is not None:
        lam_g[:-1] = last.lam_g
    if duals is not None:
        lam_g[: len(nlp.constraints)] = -nlp.sense * duals
    for box in nlp.boxes:
        lam_g[box.rows] = box.model.multipliers
    return lam_x, lam_g[:-1]


def _suffix(nlp: NonlinearProgram, name: str, components: Sequence) -> np.ndarray | None:
    """Return the exported values of one suffix; of several the outermost counts. None without one."""
    found = [
        suffix
        for suffix in nlp.model.component_objects(pyo.Suffix, active=True, descend_into=True)
        if suffix.local_name == name and suffix.export_enabled()
    ]
    if not found:
        return None
    values = np.zeros(len(components))
    for suffix in reversed(found):
        values = np.array([suffix.get(part, old) for part, old in zip(components, values, strict=True)], dtype=float)
    return values
