"""Grey box: K copies of one CasADi function on Pyomo variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike
from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock, ExternalGreyBoxModel
from pyomo.core.base.block import BlockData
from pyomo.core.base.var import VarData
from scipy.sparse import coo_matrix

from .errors import GreyBoxError
from .kernel import Kernel, kernel_of
from .mapped_kernel import MappedKernel


class CasadiGreyBox(ExternalGreyBoxModel):
    """K copies of one CasADi function f(w, p), each on its own choice of the box's input variables.

    Parameters
    ----------
    function : casadi.Function or Kernel
        Inputs ``w`` (n_w x 1, local variables) and optionally ``p`` (n_p x 1, constants); outputs ``residual`` (n_r x
        1, held at zero) and/or ``cost`` (scalar). The costs of all copies are summed into the output ``cost``. Or a
        `Kernel`: the same with derivatives supplied by the caller.
    index : int array (K, n_w)
        ``index[k, i]`` is the position, among the box's inputs, of local variable i of copy k. Copies may share inputs.
    p : float array (n_p,) or (K, n_p), optional
        Values of the constants, shared by all copies or one row a copy. May be changed later through
        :attr:`parameters`; the next solve takes the new values.
    name : str
        Prefix of the names of the equality constraints, ``name.residual_name[k]``.
    residual_names : sequence of str, optional
        Names of the n_r residuals; default ``residual1`` and so on.
    n_inputs : int, optional
        Number of input variables; default the highest index plus one.
    input_names : sequence of str, optional
        Names of the inputs; default ``w[0]`` and so on.
    ipopt_options : dict, optional
        Options of IPOPT, under their own names, that models with these equations need. Those of the solver take
        precedence.
    magnitudes : float array (n_inputs,), optional
        Typical magnitudes of the inputs, > 0. If any box of a model has them, the solver scales the program by them:
        variables to magnitude one, then every row by its gradient at the start, and the objective by its value there.
    deviations : float array (n_inputs,), optional
        By how much the inputs differ from the start at a point beside it, where costs are as large as is usual. They
        may be zero at the start.

    Raises
    ------
    GreyBoxError
        The names or shapes of the function, the index or the parameters do not fit together.

    Notes
    -----
    ``SolverFactory("casadi")`` maps the derivatives of the one local function; any other solver that supports Pyomo's
    grey boxes can use the methods of `ExternalGreyBoxModel`. Hessians are lower triangles, as Pyomo requires.
    """

    def __init__(
        self,
        function: ca.Function | Kernel,
        index: ArrayLike,
        p: ArrayLike | None = None,
        *,
        name: str = "greybox",
        residual_names: Sequence[str] | None = None,
        n_inputs: int | None = None,
        input_names: Sequence[str] | None = None,
        ipopt_options: Mapping[str, Any] | None = None,
        magnitudes: ArrayLike | None = None,
        deviations: ArrayLike | None = None,
    ):
        self.name = name
        self.ipopt_options = dict(ipopt_options or {})
        self.kernel: Kernel = function if isinstance(function, Kernel) else kernel_of(function)
        self.index = _checked_index(index, self.kernel.n_w, name)
        self.copies: int = len(self.index)
        if isinstance(function, Kernel):
            self._has_cost = len(function.gradient_pattern) > 0
        else:
            self._has_cost = "cost" in function.name_out()
        highest = int(self.index.max(initial=-1)) + 1
        count = len(input_names) if input_names is not None else highest if n_inputs is None else n_inputs
        if count < highest:
            raise GreyBoxError(f"Grey box '{name}' has {count} inputs, but its index array goes up to {highest - 1}.")
        self._input_names = [f"w[{i}]" for i in range(count)] if input_names is None else list(input_names)
        n_residual = self.kernel.n_residual
        locals_ = [f"residual{i + 1}" for i in range(n_residual)] if residual_names is None else list(residual_names)
        if len(locals_) != n_residual:
            raise GreyBoxError(f"Grey box '{name}': {len(locals_)} residual names for {n_residual} residuals.")
        self._constraint_names = [f"{name}.{local}[{k}]" for k in range(self.copies) for local in locals_]
        self.magnitudes = None if magnitudes is None else _checked_inputs("magnitudes", magnitudes, count, name)
        self.deviations = (
            np.zeros(count) if deviations is None else _checked_inputs("deviations", deviations, count, name)
        )
        self._inputs = np.zeros(count)
        self._multipliers = np.zeros(len(self._constraint_names))
        self._cost_multiplier = 0.0
        rows = np.arange(self.copies * n_residual).reshape(self.copies, n_residual)
        self._mapped_kernel = MappedKernel(self.kernel, self.index, rows)
        self.parameters = np.zeros(self.kernel.n_p) if p is None and not self.kernel.n_p else p

    @property
    def has_cost(self) -> bool:
        """Whether the function has an output ``cost``."""
        return self._has_cost

    @property
    def parameters(self) -> np.ndarray:
        """Constants of every copy (K, n_p). Set it to an array (n_p,) or (K, n_p)."""
        return self._parameters

    @parameters.setter
    def parameters(self, values: ArrayLike | None) -> None:
        shape = (self.copies, self.kernel.n_p)
        if values is None:
            raise GreyBoxError(f"Grey box '{self.name}' needs values for its {shape[1]} parameters; pass p=...")
        array = np.asarray(values, dtype=float)
        if array.shape not in (shape, shape[1:]):
            raise GreyBoxError(
                f"Grey box '{self.name}': parameters have the shape {array.shape}; must be {shape[1:]} or {shape}."
            )
        if not np.isfinite(array).all():
            raise GreyBoxError(f"Grey box '{self.name}': parameters contain NaN or infinity; must be finite.")
        self._parameters = np.broadcast_to(array, shape).copy()

    @property
    def multipliers(self) -> np.ndarray:
        """Multipliers of the equality constraints (K n_r,), as last set; after a solve those of the solution."""
        return self._multipliers

    # --- Pyomo's protocol: names, points and multipliers

    def input_names(self) -> list[str]:
        return self._input_names

    def equality_constraint_names(self) -> list[str]:
        return self._constraint_names

    def output_names(self) -> list[str]:
        return ["cost"] if self._has_cost else []

    def set_input_values(self, input_values: ArrayLike) -> None:
        self._inputs = np.array(input_values, dtype=float)

    def set_equality_constraint_multipliers(self, eq_con_multiplier_values: ArrayLike) -> None:
        self._multipliers = np.array(eq_con_multiplier_values, dtype=float)

    def set_output_constraint_multipliers(self, output_con_multiplier_values: ArrayLike) -> None:
        self._cost_multiplier = float(np.sum(output_con_multiplier_values))

    # --- values and derivatives at the inputs last set

    def evaluate_equality_constraints(self) -> np.ndarray:
        return self._mapped(self.kernel.residual)

    def evaluate_outputs(self) -> np.ndarray:
        return np.array([self._mapped(self.kernel.cost).sum()] if self._has_cost else [])

    def evaluate_jacobian_equality_constraints(self) -> coo_matrix:
        row, col = self._mapped_kernel.jacobian_indices()
        shape = (len(self._constraint_names), len(self._inputs))
        return _summed(self._mapped(self.kernel.jacobian), row, col, shape)

    def evaluate_jacobian_outputs(self) -> coo_matrix:
        shape = (len(self.output_names()), len(self._inputs))
        if not self._has_cost:
            return coo_matrix(shape)
        col = self._mapped_kernel.gradient_indices()
        return _summed(self._mapped(self.kernel.gradient), np.zeros_like(col), col, shape)

    def evaluate_hessian_equality_constraints(self) -> coo_matrix:
        return self._hessian(self._multipliers.reshape(self.copies, -1).T, 0.0)

    def evaluate_hessian_outputs(self) -> coo_matrix:
        return self._hessian(np.zeros((self.kernel.n_residual, self.copies)), self._cost_multiplier)

    def _hessian(self, lam: np.ndarray, sigma: float) -> coo_matrix:
        row, col, weight = self._mapped_kernel.hessian_indices()
        values = weight * self._mapped(self.kernel.hessian, lam, np.full((1, self.copies), sigma))
        return _summed(values, col, row, (len(self._inputs), len(self._inputs)))

    def _mapped(self, function: ca.Function, *more) -> np.ndarray:
        """Evaluate a kernel function on all copies; return its outputs copy by copy in one column."""
        if not function.numel_out(0):
            return np.zeros(0)
        values = function.map(self.copies)(self._inputs[self.index].T, self._parameters.T, *more)
        return np.asarray(values).ravel(order="F")


def attach(parent: BlockData, name: str, greybox: CasadiGreyBox, inputs: Sequence[VarData]) -> ExternalGreyBoxBlock:
    """Add `greybox` to the Pyomo block `parent` as the component `name`, on existing variables.

    Parameters
    ----------
    parent : BlockData
        A model or block.
    name : str
        Name of the new component.
    greybox : CasadiGreyBox
    inputs : sequence of VarData
        The variables that the box's index array refers to, in that order.

    Returns
    -------
    ExternalGreyBoxBlock
        Its ``outputs["cost"]`` is the summed cost, for use in an objective, if the function has one.

    Raises
    ------
    GreyBoxError
        The number of variables is not the number of inputs.
    """
    inputs = list(inputs)
    if len(inputs) != greybox.n_inputs():
        raise GreyBoxError(
            f"Grey box '{name}': got {len(inputs)} variables; must be {greybox.n_inputs()}, one for each of its inputs."
        )
    block: Any = ExternalGreyBoxBlock()
    parent.add_component(name, block)
    block.set_external_model(greybox, inputs=inputs)
    return block


def _checked_index(index: ArrayLike, n_w: int, name: str) -> np.ndarray:
    array = np.asarray(index)
    if array.ndim != 2 or array.shape[1] != n_w or not len(array) or not np.issubdtype(array.dtype, np.integer):
        raise GreyBoxError(
            f"Grey box '{name}': index has the shape {array.shape} and type {array.dtype}; must be (copies, {n_w}) "
            "integers, one row a copy."
        )
    if array.min(initial=0) < 0:
        raise GreyBoxError(f"Grey box '{name}': index contains {array.min()}; positions count from 0.")
    return array.astype(np.int64)


def _checked_inputs(what: str, values: ArrayLike, count: int, name: str) -> np.ndarray:
    """Return values of the inputs; magnitudes are positive."""
    array = np.asarray(values, dtype=float)
    is_positive = what == "magnitudes"
    if array.shape != (count,) or not np.isfinite(array).all() or (is_positive and not (array > 0).all()):
        kind = "finite numbers > 0" if is_positive else "finite numbers"
        raise GreyBoxError(f"Grey box '{name}': {what} must be {count} {kind}, one for each input.")
    return array


def _summed(values: np.ndarray, row: np.ndarray, col: np.ndarray, shape: tuple[int, int]) -> coo_matrix:
    """Sparse matrix of triplets, duplicates added up (Pyomo's interface compares structures between calls)."""
    matrix = coo_matrix((values, (row, col)), shape=shape)
    matrix.sum_duplicates()
    return matrix
