"""Collocated equations of motion of one interval, with derivatives by the chain rule through the collocation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.constrained_accelerations import stabilized
from flexblocks.dynamics.algorithms.generalized_forces import state_rates
from flexblocks.dynamics.algorithms.prescribed_motion import reduced_jacobian

from ..casadi_solver.greyboxes.kernel import Kernel, Pattern
from ..problem.signals.instant import instant_vector
from .input_parametrization import weights
from .interval import IntervalForm, collocated_states, combined, interval_symbols, with_design
from .quasi_static import ALL_MOVE, StaticModes


@dataclass(frozen=True)
class PointEquations:
    """Residual r(y, p, closing) of the equations of motion at one point, with its derivatives.

    y are the instant's x, a, dw, z, f and u (see `instant_vector`), then the design parameters; their entries of p are
    ignored. The two factors `closing` [1/s, 1/s2] are those with which open loops close, see `stabilised`.
    """

    residual: ca.Function
    jacobian: ca.Function
    hessian: ca.Function
    size: int


@lru_cache(maxsize=8)
def point_equations(dae: DAE, designed: tuple[int, ...] = (), static: StaticModes = ALL_MOVE) -> PointEquations:
    """Return the equations of motion at a point: inverse dynamics, first-order states, algebraic equations, closures.

    Loop closures are imposed on acceleration level, stabilised. Quasi-static modes have no acceleration.
    """
    # Symbols of one point
    a, dw = ca.SX.sym("a", dae.tree.size), ca.SX.sym("dw", len(dae.x) - 2 * dae.tree.size)
    x, z, u, p = dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol
    q, *others = dae.posture_symbols
    (force,) = dae.interpreted.inverse_dynamics.call([q, dae.v, a, *others], True, False)
    f, J = ca.SX.sym("f", len(dae.tree.loops.multipliers)), dae.expressions.constraint_jacobian
    # Residuals: balance of forces, first-order states, algebraic variables, loops, modes without acceleration
    felt = reduced_jacobian(dae.tree, J) if dae.prescribed else J
    balance = force - dae.expressions.applied - felt.T @ f
    still = ca.sparsify(ca.SX(ca.DM(static.amounts(dae.tree.size)))) @ a if static.names else ca.SX(0, 1)
    closing = ca.SX.sym("closing", 2)
    closures = J @ a - stabilized(
        dae.expressions.constraint, *dae.expressions.constraint_rates, dae.v, ca.vertsplit(closing)
    )
    r = ca.vertcat(balance, state_rates(dae.tree, x, z, u) - dw, dae.expressions.algebraic, closures, still)
    # Design parameters are variables; their entries among the constants are ignored
    design = p[list(designed)] if designed else ca.SX(0, 1)
    p = with_design(p, designed, ca.SX.sym("unused", len(designed)))
    y = ca.vertcat(instant_vector(dae, x=x, a=a, dw=dw, z=z, f=f, u=u), design)
    lam = ca.SX.sym("lam", r.numel())
    return PointEquations(
        residual=ca.Function("residual", [y, p, closing], [ca.densify(r)]),
        jacobian=ca.Function("jacobian", [y, p, closing], [ca.jacobian(r, y)]),
        hessian=ca.Function("hessian", [y, p, closing, lam], [ca.hessian(ca.dot(lam, r), y)[0]]),
        size=r.numel(),
    )


@lru_cache(maxsize=8)
def interval_kernel(dae: DAE, form: IntervalForm) -> Kernel:
    """Return the residuals of one interval as a function of its variables, with parameters (step, p, closing).

    The step is the interval's length [s] or, for a free duration, its fraction of that local variable. Design
    parameters are local variables too. With the two factors `closing` open loops close.

    Residuals: the equations of motion at every collocation point, then continuity, the states at the end less those of
    the last point.

    Notes
    -----
    States and inputs at a point are linear in the variables, y_j = E_j w. The derivatives of the equations of motion
    are therefore taken at one point and transformed by the chain rule, J_w = J_y E_j and H_w = sum E_j' H_y E_j. For
    the two-link arm with 8 coordinates and 3 points this takes a third of the instructions of differentiating the whole
    interval. With a free duration y_j is nonlinear in w, which adds its curvature: H_w += sum_i (J_y' lam)_i d2y_i/dw2.

    The differentiated expressions share their subexpressions already. Common-subexpression elimination of the
    derivatives takes four times as long as computing them and saves 4 % of the instructions.
    """
    # Symbols of the interval, and the states and inputs at its points
    scheme, equations = form.scheme, point_equations(dae, form.designed, form.static)
    interval = interval_symbols(dae, form)
    step, p, closing = ca.SX.sym("step"), ca.SX.sym("p", len(dae.p)), ca.SX.sym("closing", 2)
    h = interval.length(step)
    lam = ca.SX.sym("lam", equations.size * scheme.degree + len(dae.x))
    w = interval.variables
    states = collocated_states(dae.tree.size, interval, form, h)
    inputs = combined(weights(form.shape, scheme.nodes), interval.knots, h)

    # Equations at every point, their derivatives transformed to the interval's variables
    residuals, rows, hessian = [], [], ca.SX(w.numel(), w.numel())
    for j, (x, point) in enumerate(zip(states, interval.local.points, strict=True)):
        y = ca.vertcat(instant_vector(dae, x=x, u=inputs[j, :].T, **point), interval.local.design)
        E = ca.jacobian(y, w)
        multipliers = lam[j * equations.size : (j + 1) * equations.size]
        residuals += equations.residual.call([y, p, closing], True, False)
        (J,) = equations.jacobian.call([y, p, closing], True, False)
        (H,) = equations.hessian.call([y, p, closing, multipliers], True, False)
        rows.append(ca.sparsify(J) @ E)
        hessian += E.T @ ca.sparsify(H) @ E + _curvature(y, w, step, ca.sparsify(J).T @ multipliers)
    # Continuity: the states at the end are those of the last point
    gap = interval.end - states[-1]
    residual, jacobian = ca.vertcat(*residuals, gap), ca.vertcat(*rows, ca.jacobian(gap, w))
    hessian += _curvature(gap, w, step, lam[equations.size * scheme.degree :])
    return _kernel(w, ca.vertcat(step, p, closing), lam, residual, jacobian, ca.triu(hessian))


def _curvature(y: ca.SX, w: ca.SX, step: ca.SX, factors: ca.SX) -> ca.SX:
    """Return sum_i factors_i d2y_i/dw2, empty where y is linear in w; the factors are held constant."""
    held = ca.SX.sym("held", y.numel())
    function = ca.Function("curvature", [w, step, held], [ca.hessian(ca.dot(held, y), w)[0]])
    (hessian,) = function.call([w, step, factors], True, False)
    return ca.sparsify(hessian)


def _kernel(w: ca.SX, p: ca.SX, lam: ca.SX, residual: ca.SX, jacobian: ca.SX, hessian: ca.SX) -> Kernel:
    def function(name: str, symbols: list[ca.SX], value: ca.SX) -> ca.Function:
        return ca.Function(f"interval_{name}", symbols, [value])

    def nonzeros(matrix: ca.SX) -> ca.SX:
        return matrix.nz[:] if matrix.nnz() else ca.SX(0, 1)

    none = ca.SX(1, w.numel())
    return Kernel(
        n_w=w.numel(),
        n_p=p.numel(),
        n_residual=residual.numel(),
        residual=function("residual", [w, p], residual),
        cost=function("cost", [w, p], ca.densify(ca.SX(1, 1))),
        jacobian=function("jacobian", [w, p], nonzeros(jacobian)),
        gradient=function("gradient", [w, p], nonzeros(none)),
        hessian=function("hessian", [w, p, lam, ca.SX.sym("sigma")], nonzeros(hessian)),
        jacobian_pattern=Pattern.of(jacobian.sparsity()),
        gradient_pattern=Pattern.of(none.sparsity()),
        hessian_pattern=Pattern.of(hessian.sparsity()),
    )
