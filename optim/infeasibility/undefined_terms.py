"""Terms of the objective and path values that are NaN or infinite, or whose slopes are, at the values of the Vars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock

from ..casadi_solver import CasadiGreyBox
from ..model.trajectories import transcribed_problem


def undefined_terms(m: Any) -> list[str]:
    """Return what of a problem has no finite value or slope at the present values of the Vars, each once."""
    return list(dict.fromkeys(_undefined(m)))


def _undefined(m: Any) -> Iterator[str]:
    terms = {term.label: term for _, term in transcribed_problem(m).objective.terms}
    for block in m.component_data_objects(ExternalGreyBoxBlock, descend_into=(pyo.Block, ExternalGreyBoxBlock)):
        box = block.get_external_model()
        if not isinstance(box, CasadiGreyBox) or not (box.has_cost or block.local_name == "path_values"):
            continue
        box.set_input_values([variable.value for variable in block.inputs.values()])
        if box.has_cost:
            values, slopes = box.evaluate_outputs(), box.evaluate_jacobian_outputs()
            if not (np.isfinite(values).all() and np.isfinite(slopes.data).all()):
                label = block.local_name.rstrip("_0123456789")
                yield f"objective: {terms.get(label, block.local_name)}"
        else:
            slopes = box.evaluate_jacobian_equality_constraints()
            undefined = ~np.isfinite(box.evaluate_equality_constraints())
            undefined[slopes.row[~np.isfinite(slopes.data)]] = True
            names = box.equality_constraint_names()
            yield from (f"path: {names[i].partition(' at point')[0]}" for i in np.flatnonzero(undefined))
