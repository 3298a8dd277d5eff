"""Magnitudes of the rows of a model: what a violation has to be compared with, as the solver scales them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock
from pyomo.core.expr.calculus.derivatives import differentiate
from pyomo.core.expr.visitor import identify_variables


class RowMagnitudes:
    """The magnitudes of variables, and the norms of the gradients of rows by variables in these.

    As the solver scales a program (`casadi_solver.ipopt.magnitude_scaling`), but where the variables are now. What has
    no declared magnitude, as Vars of the user's own, and rows without a gradient have 1.

    Parameters
    ----------
    m : pyomo.environ.ConcreteModel
    """

    def __init__(self, m: Any) -> None:
        self._of: dict[int, float] = {}
        for block in grey_boxes(m):
            declared = getattr(block.get_external_model(), "magnitudes", None)
            if declared is not None:
                self._of |= zip(map(id, block.inputs.values()), declared.tolist(), strict=True)

    def of_variable(self, variable: Any) -> float:
        return self._of.get(id(variable), 1.0)

    def of_constraint(self, constraint: Any) -> float:
        variables = list(identify_variables(constraint.body, include_fixed=False))
        slopes = np.array(differentiate(constraint.body, wrt_list=variables), dtype=float)
        sizes = np.array([self.of_variable(each) for each in variables])
        return float(_or_one(np.sqrt([np.sum((slopes * sizes) ** 2)]))[0])

    def of_box(self, block: Any) -> np.ndarray:
        """Return those of the residuals (m,) of a grey box that has the present values as its inputs."""
        jacobian = block.get_external_model().evaluate_jacobian_equality_constraints()
        sizes = np.array([0.0 if each.fixed else self.of_variable(each) for each in block.inputs.values()])
        squares = (jacobian.data * sizes[jacobian.col]) ** 2
        return _or_one(np.sqrt(np.bincount(jacobian.row, squares, minlength=jacobian.shape[0])))


def grey_boxes(m: Any) -> list[Any]:
    return list(m.component_data_objects(ExternalGreyBoxBlock, descend_into=(pyo.Block, ExternalGreyBoxBlock)))


def _or_one(norms: np.ndarray) -> np.ndarray:
    return np.where((norms > 0) & np.isfinite(norms), norms, 1.0)
