"""Path functions: functions of an instant at collocation points, with derivatives by the chain rule."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from flexblocks.dae.dae import DAE

from ..casadi_solver.greyboxes.kernel import Kernel, Pattern
from ..problem.signals.instant import Instant, instant_vector
from .input_parametrization import weights
from .interval import Interval, IntervalForm, collocated_states, combined, interval_symbols, with_design


def path_kernel(
    at: Instant,
    form: IntervalForm,
    *,
    values: ca.SX | None = None,
    cost: ca.SX | None = None,
    reference: ca.SX | None = None,
    points: Sequence[int] | None = None,
    integral: bool = True,
) -> Kernel:
    """Return the kernel of functions of an instant at collocation points of one interval.

    Parameters
    ----------
    at : Instant
        The symbols that the functions depend on, in addition to the arm's parameters and `reference`.
    form : IntervalForm
    values : SX (m, 1), optional
        Define m additional variables at each point: ``residual = values - variables``.
    cost : SX (1, 1), optional
        Integrated over the interval by the collocation's quadrature, or, without `integral`, summed over `points`.
    reference : SX (r, 1), optional
        Symbols of the reference values at each point.
    points : sequence of int, optional
        Numbers of the points, from 1; by default all.
    integral : bool

    Returns
    -------
    Kernel
        Local variables: those of the interval, then the m variables of each point. Parameters: the length of the
        interval and its begin [s] (fractions of a free duration), the arm's parameters, the references of each point.

    Notes
    -----
    As for the equations of motion, derivatives are taken at one instant y and transformed by the chain rule: J_w = J_y
    E and H_w = E' H_y E + sum_i g_i d2y_i/dw2 with E = dy/dw and the gradient g of the function that is differentiated
    twice.
    """
    dae, scheme, designed = at.dae, form.scheme, form.designed
    values = ca.SX(0, 1) if values is None else ca.densify(values)
    ref, has_cost = ca.SX(0, 1) if reference is None else reference, cost is not None
    chosen = tuple(range(1, scheme.degree + 1)) if points is None else tuple(points)
    m, r = values.numel(), ref.numel()

    # Symbols: the interval, the variables that take the values, the references, the instants at its points
    interval = interval_symbols(dae, form)
    step, begin, p = ca.SX.sym("step"), ca.SX.sym("begin"), ca.SX.sym("p", len(dae.p))
    path_variables, refs = ca.SX.sym("own", m * len(chosen)), ca.SX.sym("ref", r * len(chosen))
    w, constants = ca.vertcat(interval.variables, path_variables), ca.vertcat(step, begin, p, refs)
    lam, sigma = ca.SX.sym("lam", path_variables.numel()), ca.SX.sym("sigma")
    instants = _instants(dae, interval, form, step, begin)
    h, share = interval.length(step), scheme.integral[-1]

    # The length of the interval is a variable of the integrand, so a free duration needs no special treatment
    length = ca.SX.sym("length")
    y = ca.vertcat(at.vector, length, dae.p.symbol[list(designed)] if designed else ca.SX(0, 1))
    others = with_design(dae.p.symbol, designed, ca.SX.sym("unused", len(designed)))
    rate = ca.SX(0) if cost is None else cost
    local = _Local(y, others, ref, values, length * rate if integral else rate)
    # At every point, derivatives transformed to the interval's variables
    residuals, rows, total = [], [], ca.SX(0)
    gradient, hessian = ca.SX(1, w.numel()), ca.SX(w.numel(), w.numel())
    for i, j in enumerate(chosen):
        Y = ca.vertcat(instants[j - 1], h, interval.local.design)
        E = ca.jacobian(Y, w)
        variables, factors = path_variables[i * m : (i + 1) * m], lam[i * m : (i + 1) * m]
        weight = float(share[j - 1]) if integral else 1.0
        more = [p, refs[i * r : (i + 1) * r]]
        value, integrand, J, g, H = local.at(Y, *more, factors, weight * sigma)
        residuals.append(value - variables)
        rows.append(J @ E - ca.jacobian(variables, w))
        total += weight * integrand
        gradient += weight * (g @ E)
        hessian += E.T @ H @ E + _curvature(Y, w, ca.vertcat(step, begin), J.T @ factors + weight * sigma * g.T)
    jacobian, hessian = ca.vertcat(*rows, ca.SX(0, w.numel())), ca.triu(hessian)
    gradient = gradient if has_cost else ca.SX(1, w.numel())

    def function(name: str, symbols: list[ca.SX], value: ca.SX) -> ca.Function:
        return ca.Function(f"path_{name}", symbols, [value])

    def nonzeros(matrix: ca.SX) -> ca.SX:
        return matrix.nz[:] if matrix.nnz() else ca.SX(0, 1)

    return Kernel(
        n_w=w.numel(),
        n_p=constants.numel(),
        n_residual=path_variables.numel(),
        residual=function("residual", [w, constants], ca.densify(ca.vertcat(*residuals, ca.SX(0, 1)))),
        cost=function("cost", [w, constants], ca.densify(total)),
        jacobian=function("jacobian", [w, constants], nonzeros(jacobian)),
        gradient=function("gradient", [w, constants], nonzeros(gradient)),
        hessian=function("hessian", [w, constants, lam, sigma], nonzeros(hessian)),
        jacobian_pattern=Pattern.of(jacobian.sparsity()),
        gradient_pattern=Pattern.of(gradient.sparsity()),
        hessian_pattern=Pattern.of(hessian.sparsity()),
    )


class _Local:
    """Values and cost at one instant with their first and second derivatives in y."""

    def __init__(self, y: ca.SX, p: ca.SX, ref: ca.SX, values: ca.SX, cost: ca.SX) -> None:
        lam, sigma = ca.SX.sym("lam", values.numel()), ca.SX.sym("sigma")
        both = ca.dot(lam, values) + sigma * cost
        results = [values, cost, ca.jacobian(values, y), ca.jacobian(cost, y), ca.hessian(both, y)[0]]
        self._function = ca.Function("local", [y, p, ref, lam, sigma], results, {"cse": True})

    def at(self, *arguments: ca.SX) -> list[ca.SX]:
        return [ca.sparsify(result) for result in self._function.call([ca.SX(a) for a in arguments], True, False)]


def _instants(dae: DAE, interval: Interval, form: IntervalForm, step: ca.SX, begin: ca.SX) -> list[ca.SX]:
    """Return the vector of the instant at every collocation point."""
    scheme, h, start = form.scheme, interval.length(step), interval.length(begin)
    states = collocated_states(dae.tree.size, interval, form, h)
    u, du = (combined(weights(form.shape, scheme.nodes, order), interval.knots, h) for order in (0, 1))
    times = [start + h * share for share in scheme.nodes.tolist()]
    return [
        instant_vector(dae, x=x, u=u[j, :].T, du=du[j, :].T, time=time, **point)
        for j, (x, point, time) in enumerate(zip(states, interval.local.points, times, strict=True))
    ]


def _curvature(y: ca.SX, w: ca.SX, constants: ca.SX, factors: ca.SX) -> ca.SX:
    """Return sum_i factors_i d2y_i/dw2, empty where y is linear in w; the factors are held constant."""
    held = ca.SX.sym("held", y.numel())
    function = ca.Function("curvature", [w, constants, held], [ca.hessian(ca.dot(held, y), w)[0]])
    return ca.sparsify(function.call([w, constants, factors], True, False)[0])
