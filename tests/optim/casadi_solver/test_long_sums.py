"""Long sums of many forms: against Pyomo's values and their differences, and pyomo-pounce."""

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
import pytest
from pyomo.contrib.solver.common.factory import SolverFactory

from flexblocks.optim.casadi_solver import TrivialConstraintError, UnsupportedModelError
from flexblocks.optim.casadi_solver.ipopt.data import read_data
from flexblocks.optim.casadi_solver.ipopt.oracle import build_oracle
from flexblocks.optim.casadi_solver.program.nlp import compile_nlp

TIGHT = {"tol": 1e-10, "bound_relax_factor": 0.0}


def gpp(n):
    """Geometric program GPP of CUTE(st): H. Mittelmann, private communication; SIF by N. Gould, January 1998.

    Its SIF file gives 1.44009e4 as the optimum for n = 250.
    """
    m = pyo.ConcreteModel("gpp")
    m.x = pyo.Var(range(n), initialize=1.0)
    m.objective = pyo.Objective(expr=sum(pyo.exp(m.x[j] - m.x[i]) for i in range(n) for j in range(i + 1, n)))
    m.sums = pyo.Constraint(range(n - 1), rule=lambda m, i: m.x[i] + m.x[i + 1] >= 0)
    m.caps = pyo.Constraint(range(n - 1), rule=lambda m, i: pyo.exp(m.x[i]) + pyo.exp(m.x[i + 1]) <= 20)
    return m


def motley(seed, n=12):
    """Long sums of many forms in objective and constraints, with Params, fixed Vars and named Expressions."""
    rng = np.random.default_rng(seed)
    m = pyo.ConcreteModel("motley")
    m.x = pyo.Var(range(n), initialize={i: float(v) for i, v in enumerate(rng.uniform(0.5, 1.5, n))})
    m.fixed = pyo.Var(range(3), initialize={0: 0.7, 1: -0.3, 2: 1.2})
    m.fixed.fix()
    m.p = pyo.Param(range(n), initialize={i: float(v) for i, v in enumerate(rng.uniform(0.5, 1.5, n))}, mutable=True)
    m.power = pyo.Param(initialize=3, mutable=True)
    x, p = m.x, m.p
    m.r = pyo.Expression(range(n), expr={i: x[i] - p[i] * x[(i + 3) % n] for i in range(n)})
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    m.pairs = pyo.Expression(expr=sum(p[i] * pyo.exp(m.fixed[0] * x[i] - x[j] / p[j]) for i, j in pairs))
    squares = sum(m.r[i] ** 2 / (1 + x[i] ** 2) for i in range(n))
    mixed = sum(pyo.sin(x[i] * x[j]) * m.fixed[1] - abs(x[i]) ** m.power + x[i] ** x[j] for i, j in pairs)
    lonely = pyo.atan(x[0] * x[1] * x[2]) + 0 * x[3] ** 2 + m.fixed[2] ** 2 * x[4] + 5
    m.objective = pyo.Objective(expr=m.pairs + 0.1 * squares + mixed / 7 + lonely, sense=pyo.maximize)
    m.again = pyo.Constraint(expr=m.pairs + x[0] * x[1] <= 1000)
    m.long = pyo.Constraint(expr=(-300, x[1] - sum(x[i] * x[j] * (i + 1) for i, j in pairs), m.p[0] * 300))
    m.short = pyo.Constraint(expr=x[0] ** 2 + x[1] ** 2 >= 0.1)
    return m


def at(oracle, data, x):
    """Objective, constraints, gradient, Jacobian, Hessian of the minimised program, and multipliers of the last."""
    f_g = ca.Function("f_g", [oracle.problem["x"], oracle.problem["p"]], [oracle.problem["f"], oracle.problem["g"]])
    f, g = f_g(x, data.p)
    lam = np.linspace(-1.0, 2.0, len(data.lower))
    gradient = oracle.derivatives["grad_f"](x, data.p)[1]
    jacobian = oracle.derivatives["jac_g"](x, data.p)[1]
    hessian = oracle.derivatives["hess_lag"](x, data.p, 0.7, lam)
    hessian = np.asarray(hessian + ca.triu(hessian, False).T)
    return float(f), np.asarray(g).ravel(), np.asarray(gradient).ravel(), np.asarray(jacobian), hessian, lam


def pyomo_values(m, nlp, data, x):
    """Objective and constraints as Pyomo evaluates them, less the constants that the program puts into its bounds."""
    for var, value in zip(nlp.variables.free, x, strict=True):
        var.set_value(float(value))
    shifts = [
        pyo.value(c.upper if c.upper is not None else c.lower) - (u if np.isfinite(u) else low)
        for c, low, u in zip(nlp.constraints, data.lower, data.upper, strict=True)
    ]
    g = np.array([pyo.value(c.body) for c in nlp.constraints]) - shifts
    return nlp.sense * pyo.value(m.objective), g


@pytest.mark.parametrize("seed", [0, 1])
def test_derivatives_are_those_of_pyomos_values(seed):
    m = motley(seed)
    nlp = compile_nlp(m)
    oracle, rng = build_oracle(nlp), np.random.default_rng(seed)
    data, x, step = read_data(nlp), rng.uniform(0.6, 1.4, len(nlp.variables.free)), 1e-6

    f, g, gradient, jacobian, hessian, lam = at(oracle, data, x)
    expected_f, expected_g = pyomo_values(m, nlp, data, x)
    assert f == pytest.approx(expected_f, rel=1e-12)
    np.testing.assert_allclose(g, expected_g, rtol=1e-11)
    for i in range(len(x)):
        up, down = (x + sign * step * np.eye(len(x))[i] for sign in (1, -1))
        (f_up, g_up), (f_down, g_down) = (pyomo_values(m, nlp, data, point) for point in (up, down))
        assert gradient[i] == pytest.approx((f_up - f_down) / (2 * step), rel=1e-6, abs=1e-6)
        np.testing.assert_allclose(jacobian[:, i], (g_up - g_down) / (2 * step), rtol=1e-6, atol=1e-5)
        slopes = [0.7 * here[2] + here[3].T @ lam for here in (at(oracle, data, up), at(oracle, data, down))]
        np.testing.assert_allclose(hessian[:, i], (slopes[0] - slopes[1]) / (2 * step), rtol=1e-6, atol=1e-5)


def test_gpp_agrees_with_pounce():
    ours, theirs = gpp(40), gpp(40)
    result = SolverFactory("casadi").solve(ours, solver_options=TIGHT)
    pyo.SolverFactory("pounce").solve(theirs, options=TIGHT)
    assert result.incumbent_objective == pytest.approx(pyo.value(theirs.objective), rel=1e-9)
    for i in ours.x:
        assert ours.x[i].value == pytest.approx(theirs.x[i].value, abs=1e-5)


def test_large_terms_and_unusual_operations():
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(40), initialize=1.0)
    wide = sum(sum(m.x[(i + k) % 40] ** 2 for k in range(12)) ** 2 for i in range(40))
    tested = sum(pyo.Expr_if(m.x[i] >= 0.5, m.x[i] ** 2, m.x[i]) for i in range(40))
    m.objective = pyo.Objective(expr=wide + tested)
    nlp = compile_nlp(m)
    x = np.linspace(0.1, 0.9, 40)
    data = read_data(nlp)
    assert at(build_oracle(nlp), data, x)[0] == pytest.approx(pyomo_values(m, nlp, data, x)[0], rel=1e-12)


def test_a_long_sum_of_fixed_variables_is_a_constant():
    m = pyo.ConcreteModel()
    m.x, m.y = pyo.Var(range(50), initialize=1.0), pyo.Var(initialize=3.0)
    m.objective = pyo.Objective(expr=sum(m.x[i] ** 2 for i in m.x) + (m.y - 2) ** 2)
    m.rule = pyo.Constraint(expr=sum(m.x[i] ** 2 for i in m.x) <= 60)
    m.x.fix()
    assert SolverFactory("casadi").solve(m).incumbent_objective == pytest.approx(50.0)
    m.x.fix(1.2)
    with pytest.raises(TrivialConstraintError, match=r"'rule' has no free variable and is 72"):
        SolverFactory("casadi").solve(m)


@pytest.mark.parametrize("term", [lambda m, i: m.x[i] ** 2 / m.none, lambda m, i: m.x[i] * pyo.log(m.none - 1)])
def test_a_term_without_a_value_is_refused(term):
    m = pyo.ConcreteModel()
    m.x, m.none = pyo.Var(range(50), initialize=1.0), pyo.Param(initialize=0.0, mutable=True)
    m.objective = pyo.Objective(expr=sum(term(m, i) for i in m.x))
    with pytest.raises(UnsupportedModelError, match=r"divides by zero|no value|no real value"):
        SolverFactory("casadi").solve(m)
