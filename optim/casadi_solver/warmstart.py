"""Start multipliers from suffixes and grey boxes, for IPOPT's ``warm_start_init_point``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyomo.environ as pyo

from .nlp import NonlinearProgram


def start_multipliers(nlp: NonlinearProgram) -> tuple[np.ndarray, np.ndarray]:
    """Return lam_x (n,) and lam_g (m,) from the exported suffixes ``ipopt_zL_in``, ``ipopt_zU_in`` and ``dual``.

    Multipliers of grey boxes are those they hold; what is not given is zero.
    """
    free = nlp.variables.free
    # with Pyomo's signs a minimisation has zL_in >= 0 and zU_in <= 0, and CasADi's lam_x is z_U - z_L
    lam_x = -nlp.sense * (_suffix(nlp, "ipopt_zL_in", free) + _suffix(nlp, "ipopt_zU_in", free))
    lam_g = np.zeros(len(nlp.lower) + 1)  # the last entry takes those of residuals that are no constraint
    lam_g[: len(nlp.constraints)] = -nlp.sense * _suffix(nlp, "dual", nlp.constraints)
    for box in nlp.boxes:
        lam_g[box.rows] = box.model.multipliers
    return lam_x, lam_g[:-1]


def _suffix(nlp: NonlinearProgram, name: str, components: Sequence) -> np.ndarray:
    """Return the exported values of one suffix; where blocks carry it as well, the outermost one counts."""
    values = np.zeros(len(components))
    found = [
        suffix
        for suffix in nlp.model.component_objects(pyo.Suffix, active=True, descend_into=True)
        if suffix.local_name == name and suffix.export_enabled()
    ]
    for suffix in reversed(found):
        values = np.array([suffix.get(part, old) for part, old in zip(components, values, strict=True)], dtype=float)
    return values
