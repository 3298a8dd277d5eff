"""Oracle of a nonlinear program: objective, constraints and exact sparse derivatives as CasADi functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..greyboxes.mapped_kernel import MappedKernel, scatter
from ..greyboxes.threads import mapped_function
from ..program.nlp import NonlinearProgram


@dataclass(frozen=True)
class Oracle:
    """The oracle of a program as `casadi.nlpsol` takes it: functions and derivatives of x (n,) and p (n_p,).

    Attributes
    ----------
    problem : dict
        Keys x, p, f, g.
    derivatives : dict
        Keys grad_f, jac_g, hess_lag.
    """

    problem: dict[str, ca.MX]
    derivatives: dict[str, ca.Function]


def build_oracle(nlp: NonlinearProgram) -> Oracle:
    """Return the oracle of a program.

    The parameter vector p holds the values of the fixed variables that follow the free ones in the terms' columns, then
    the parameters of every term's copies in turn.
    """
    terms, n_fixed = nlp.terms, len(nlp.variables.fixed)
    m, n = nlp.pattern.shape
    # Symbols, and the local variables and parameters of every mapped kernel among them
    x = ca.MX.sym("x", n)
    p = ca.MX.sym("p", n_fixed + sum(term.copies * term.kernel.n_p for term in terms))
    fixed, term_parameters = ca.vertsplit(p, [0, n_fixed, p.numel()])
    sigma, lam = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", m)
    inputs = _local_inputs(terms, ca.vertcat(x, fixed), term_parameters)
    gradient, weights = ca.DM(nlp.gradient), ca.DM(nlp.weights)
    linear = ca.MX(nlp.pattern, ca.MX(ca.DM(nlp.entries)))

    def mapped(name: str, k: int, *more) -> ca.MX:
        return ca.vec(mapped_function(getattr(terms[k].kernel, name), terms[k].copies)(*inputs[k], *more))

    # Objective: the linear part, and the costs in it
    costs = {k: ca.sum1(mapped("cost", k)) for k, term in enumerate(terms) if term.has_cost}
    f = nlp.constant + ca.dot(gradient, x)
    f += sum(weights[k] * cost for k, cost in costs.items() if terms[k].in_objective)

    # Constraints: the linear part, and residuals and costs scattered into their rows
    residuals = [mapped("residual", k) for k in range(len(terms))]
    residuals += [cost for k, cost in costs.items() if terms[k].cost_row >= 0]
    rows = [term.rows.ravel() for term in terms]
    rows += [np.array([terms[k].cost_row]) for k in costs if terms[k].cost_row >= 0]
    g = ca.mtimes(linear, x)
    if terms:
        row = np.concatenate(rows)
        g += scatter(row, np.zeros_like(row), (m, 1))(ca.vertcat(*residuals))

    # Derivatives, assembled from the local ones; with the names that nlpsol requires
    derivatives = {
        "grad_f": ca.Function(
            "nlp_grad_f",
            [x, p],
            [ca.MX(1, 1), _gradient(terms, gradient, weights, mapped)],
            ["x", "p"],
            ["f", "grad_f_x"],
        ),
        "jac_g": ca.Function(
            "nlp_jac_g", [x, p], [ca.MX(m, 1), _jacobian(terms, linear, mapped)], ["x", "p"], ["g", "jac_g_x"]
        ),
        "hess_lag": ca.Function(
            "nlp_hess_l",
            [x, p, sigma, lam],
            [_hessian(terms, n, sigma * weights, lam, mapped)],
            ["x", "p", "lam_f", "lam_g"],
            ["triu_hess_gamma_x_x"],
        ),
    }
    return Oracle({"x": x, "p": p, "f": ca.densify(f), "g": g}, derivatives)  # dense even if the objective cancels


def _local_inputs(terms: Sequence[MappedKernel], columns: ca.MX, constants: ca.MX) -> list[tuple[ca.MX, ca.MX]]:
    """Gather w (n_w x K) and p (n_p x K) of every term."""
    inputs, start = [], 0
    for term in terms:
        n_w, n_p, copies = term.kernel.n_w, term.kernel.n_p, term.copies
        w = ca.reshape(columns.nz[term.columns.ravel().tolist()], n_w, copies) if n_w else ca.MX(0, copies)
        inputs.append((w, ca.reshape(constants[start : start + n_p * copies], n_p, copies)))
        start += n_p * copies
    return inputs


def _gradient(terms, gradient, weights, mapped) -> ca.MX:
    total, n = ca.MX(gradient), gradient.numel()
    for k, term in enumerate(terms):
        if term.in_objective:
            row = _free(term.gradient_indices(), n)
            total += weights[k] * ca.densify(scatter(row, np.zeros_like(row), (n, 1))(mapped("gradient", k)))
    return total


def _jacobian(terms, linear: ca.MX, mapped) -> ca.MX:
    (m, n), (row, col) = linear.shape, linear.sparsity().get_triplet()
    rows, cols, values = (
        [np.array(row, dtype=np.int64)],
        [np.array(col, dtype=np.int64)],
        [ca.vec(linear.nz[:]) if linear.nnz() else ca.MX(0, 1)],
    )
    for k, term in enumerate(terms):
        row, col = term.jacobian_indices()
        rows.append(row)
        cols.append(_free(col, n))
        values.append(mapped("jacobian", k))
        if term.cost_row >= 0:
            col = _free(term.gradient_indices(), n)
            rows.append(np.full_like(col, term.cost_row))
            cols.append(col)
            values.append(mapped("gradient", k))
    return scatter(np.concatenate(rows), np.concatenate(cols), (m, n))(ca.vertcat(*values))


def _hessian(terms, n: int, factors: ca.MX, lam: ca.MX, mapped) -> ca.MX:
    rows, cols, weights, values = [], [], [], []
    padded = ca.vertcat(lam, 0)  # residuals that are not constraints read the zero at -1
    for k, term in enumerate(terms):
        row, col, weight = term.hessian_indices()
        rows.append(_free(row, n))
        cols.append(_free(col, n))
        weights.append(weight)
        local = np.where(term.rows < 0, lam.numel(), term.rows).ravel().tolist()
        multipliers = (
            ca.reshape(padded.nz[local], term.kernel.n_residual, term.copies) if local else ca.MX(0, term.copies)
        )
        factor = lam[term.cost_row] if term.cost_row >= 0 else factors[k] if term.in_objective else ca.MX(0)
        values.append(mapped("hessian", k, multipliers, ca.repmat(factor, 1, term.copies)))
    if not terms:
        return ca.MX(n, n)
    plan = scatter(np.concatenate(rows), np.concatenate(cols), (n, n), np.concatenate(weights))
    return plan(ca.vertcat(*values))


def _free(columns: np.ndarray, n: int) -> np.ndarray:
    """Mark the columns of fixed variables as dropped."""
    return np.where(columns < n, columns, -1)
