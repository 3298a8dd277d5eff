"""Kernel: one local CasADi function with its exact sparse derivatives."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import casadi as ca
import numpy as np

from .errors import GreyBoxError


@dataclass(frozen=True)
class Pattern:
    """Rows and columns of the structural nonzeros of a local matrix, in CasADi's (column-major) order."""

    row: np.ndarray
    col: np.ndarray

    @classmethod
    def of(cls, sparsity: ca.Sparsity) -> Pattern:
        row, col = sparsity.get_triplet()
        return cls(np.array(row, dtype=np.int64), np.array(col, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class Kernel:
    """A local function f(w, p) -> (residual, cost) and its derivatives as dense columns of nonzeros.

    The matrices are differentiated here, once and on local symbols, because mapping a local derivative is cheaper than
    differentiating a map.

    Attributes
    ----------
    n_w, n_p, n_residual : int
        Lengths of the local variables, parameters and residual.
    residual, cost : casadi.Function
        ``(w, p) -> residual`` (n_residual x 1) and ``(w, p) -> cost`` (1 x 1).
    jacobian, gradient : casadi.Function
        ``(w, p) ->`` nonzeros of d residual / d w and of d cost / d w.
    hessian : casadi.Function
        ``(w, p, lam, sigma) ->`` nonzeros of the upper triangle of the Hessian of lam' residual + sigma cost.
    jacobian_pattern, gradient_pattern, hessian_pattern : Pattern
        Where these nonzeros are.
    """

    n_w: int
    n_p: int
    n_residual: int
    residual: ca.Function
    cost: ca.Function
    jacobian: ca.Function
    gradient: ca.Function
    hessian: ca.Function
    jacobian_pattern: Pattern
    gradient_pattern: Pattern
    hessian_pattern: Pattern


def differentiate(w, p, residual, cost, name: str = "kernel") -> Kernel:
    """Return the Kernel of expressions `residual` (n x 1) and `cost` (1 x 1) in the symbols `w` and `p` (SX or MX)."""
    symbol = type(w)
    residual, cost = ca.densify(residual), ca.densify(cost)
    lam, sigma = symbol.sym("lam", residual.numel()), symbol.sym("sigma")
    jacobian = ca.jacobian(residual, w)
    gradient = ca.jacobian(cost, w)
    hessian = ca.triu(ca.hessian(ca.dot(lam, residual) + sigma * cost, w)[0])

    def function(suffix: str, inputs, output) -> ca.Function:
        return ca.Function(f"{name}_{suffix}", inputs, [output])

    def nonzeros(matrix):
        return ca.vec(matrix.nz[:]) if matrix.nnz() else symbol(0, 1)

    return Kernel(
        n_w=w.numel(),
        n_p=p.numel(),
        n_residual=residual.numel(),
        residual=function("residual", [w, p], residual),
        cost=function("cost", [w, p], cost),
        jacobian=function("jacobian", [w, p], nonzeros(jacobian)),
        gradient=function("gradient", [w, p], nonzeros(gradient)),
        hessian=function("hessian", [w, p, lam, sigma], nonzeros(hessian)),
        jacobian_pattern=Pattern.of(jacobian.sparsity()),
        gradient_pattern=Pattern.of(gradient.sparsity()),
        hessian_pattern=Pattern.of(hessian.sparsity()),
    )


def kernel_of(function: ca.Function) -> Kernel:
    """Return the Kernel of a CasADi function with input ``w`` (and ``p``) and outputs ``residual`` and/or ``cost``.

    An MX function is expanded to SX where that is possible.

    Raises
    ------
    GreyBoxError
        The inputs or outputs have other names or shapes.
    """
    where = f"Function '{function.name()}'"
    inputs, outputs = function.name_in(), function.name_out()
    if "w" not in inputs or not set(inputs) <= {"w", "p"}:
        raise GreyBoxError(f"{where} has the inputs {inputs}; must be 'w' and optionally 'p'. Name them accordingly.")
    if not outputs or not set(outputs) <= {"residual", "cost"}:
        raise GreyBoxError(
            f"{where} has the outputs {outputs}; must be 'residual', 'cost' or both. Name them accordingly."
        )
    for name in (*inputs, *outputs):
        shape = function.size_in(name) if name in inputs else function.size_out(name)
        if shape[1] > 1 or (name == "cost" and shape != (1, 1)):
            wanted = "a scalar" if name == "cost" else "a column vector"
            raise GreyBoxError(
                f"{where}: '{name}' has the shape {shape}; must be {wanted}. Reshape it with casadi.vec."
            )
    with suppress(RuntimeError):  # some functions, such as interpolants, have no SX form; MX works too, more slowly
        function = function.expand()
    symbol = ca.SX if function.is_a("SXFunction") else ca.MX
    w = symbol.sym("w", function.numel_in("w"))
    p = symbol.sym("p", function.numel_in("p") if "p" in inputs else 0)
    value = function(**{name: {"w": w, "p": p}[name] for name in inputs})
    return differentiate(w, p, value.get("residual", symbol(0, 1)), value.get("cost", symbol(1, 1)), function.name())
