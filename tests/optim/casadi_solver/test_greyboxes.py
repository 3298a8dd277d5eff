"""CasadiGreyBox: Pyomo's protocol, and the solver's way through it."""

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
import pytest
from pyomo.contrib.solver.common.factory import SolverFactory as NewSolverFactory

from arms.pendulum import H, N, algebraic, box, columns, pendulum_step, values, variables, with_greybox
from flexblocks.optim.casadi_solver import CasadiGreyBox, GreyBoxError, TrivialConstraintError, attach


def solve(model, **kwargs):
    return NewSolverFactory("casadi").solve(model, solver_options={"tol": 1e-10}, **kwargs)


def test_agrees_with_the_same_model_written_out():
    grey, plain = with_greybox(), algebraic()
    grey.objective = pyo.Objective(expr=3 + 2 * grey.dynamics.outputs["cost"] + 0.1 * grey.torque[3] ** 2)
    plain.objective = pyo.Objective(expr=3 + 2 * plain.cost + 0.1 * plain.torque[3] ** 2)
    results = solve(grey), solve(plain)
    np.testing.assert_allclose(values(grey), values(plain), atol=1e-7)
    assert results[0].incumbent_objective == pytest.approx(results[1].incumbent_objective, abs=1e-9)
    assert pyo.value(grey.objective) == pytest.approx(pyo.value(plain.objective), abs=1e-9)
    assert grey.dynamics.outputs["cost"].value == pytest.approx(pyo.value(plain.cost), abs=1e-9)
    by_pounce = algebraic()
    by_pounce.objective = pyo.Objective(expr=3 + 2 * by_pounce.cost + 0.1 * by_pounce.torque[3] ** 2)
    pyo.SolverFactory("pounce").solve(by_pounce, options={"tol": 1e-10})
    np.testing.assert_allclose(values(grey), values(by_pounce), atol=1e-6)


@pytest.mark.parametrize("use", ["bounded", "constraint", "nonlinear"])
def test_cost_used_otherwise_becomes_a_variable(use):
    """Largest angle on the way for a given cost: the output cannot be eliminated."""
    objectives = []
    for m in (with_greybox(), algebraic()):
        cost = m.dynamics.outputs["cost"] if hasattr(m, "dynamics") else m.cost
        if use == "nonlinear":
            m.objective = pyo.Objective(expr=(cost - 7) ** 2 - m.angle[N // 2], sense=pyo.minimize)
        else:
            m.objective = pyo.Objective(expr=m.angle[N // 2], sense=pyo.maximize)
            if use == "constraint" or not hasattr(m, "dynamics"):
                m.limit = pyo.Constraint(expr=cost <= 7)
            else:
                cost.setub(7)
        result = solve(m)
        objectives.append(result.incumbent_objective)
        if use != "nonlinear":
            assert pyo.value(cost) == pytest.approx(7, abs=1e-6)
        assert pyo.value(m.objective) == pytest.approx(result.incumbent_objective, abs=1e-8)
    assert objectives[0] == pytest.approx(objectives[1], abs=1e-6)


def test_fixed_cost_is_a_constraint():
    m = with_greybox()
    m.dynamics.outputs["cost"].fix(7.0)
    m.objective = pyo.Objective(expr=m.angle[N // 2], sense=pyo.maximize)
    solve(m)
    black_box = m.dynamics.get_external_model()
    assert black_box.evaluate_outputs()[0] == pytest.approx(7, abs=1e-7)
    assert np.abs(black_box.evaluate_equality_constraints()).max() < 1e-8


def test_parameters_change_for_a_re_solve():
    m = with_greybox()
    m.objective = pyo.Objective(expr=m.dynamics.outputs["cost"])
    solve(m)
    before = pyo.value(m.objective)
    m.dynamics.get_external_model().parameters = np.tile([0.0, H], (N, 1))
    solve(m)
    assert pyo.value(m.objective) != pytest.approx(before, rel=0.05)
    m.dynamics.get_external_model().parameters = (2.0, H)
    solve(m)
    assert pyo.value(m.objective) == pytest.approx(before, abs=1e-8)


def test_multipliers_are_left_for_a_warm_start():
    m = with_greybox()
    m.objective = pyo.Objective(expr=m.dynamics.outputs["cost"])
    cold = solve(m)
    assert np.abs(m.dynamics.get_external_model().multipliers).max() > 1e-3
    warm = NewSolverFactory("casadi").solve(
        m,
        solver_options={
            "warm_start_init_point": "yes",
            "mu_init": 1e-9,
            **{f"warm_start_{name}": 1e-9 for name in ("bound_push", "bound_frac", "mult_bound_push")},
        },
    )
    assert warm.extra_info.iteration_count <= 1 < cold.extra_info.iteration_count


def test_copies_with_all_variables_fixed_are_checked_and_dropped():
    m = with_greybox()
    m.objective = pyo.Objective(expr=m.dynamics.outputs["cost"])
    solve(m)
    found = values(m)
    for var in columns(m)[: 3 * 5]:
        var.fix()
    solve(m)
    np.testing.assert_allclose(values(m), found, atol=1e-6)
    m.angle[1].fix(0.7)
    with pytest.raises(
        TrivialConstraintError, match=r"Grey box 'dynamics': 'step\.angle\[[01]\]' has no free variable"
    ):
        solve(m)


def test_one_variable_in_two_places_of_a_copy():
    """Both halves of the local Hessian land on the same diagonal entry."""
    w = ca.SX.sym("w", 2)
    function = ca.Function("f", [w], [w[0] * w[1] - 3 * w[0]], ["w"], ["cost"])
    m = pyo.ConcreteModel()
    m.x = pyo.Var(initialize=10.0)
    shared = CasadiGreyBox(function, [[0, 0]])
    attach(m, "f", shared, [m.x])
    m.objective = pyo.Objective(expr=m.f.outputs["cost"])
    result = solve(m)
    assert m.x.value == pytest.approx(1.5)
    assert result.extra_info.iteration_count == 1  # Newton's method on a parabola
    shared.set_output_constraint_multipliers([1.0])
    assert shared.evaluate_hessian_outputs().toarray() == pytest.approx(np.array([[2.0]]))


def test_function_without_sx_form():
    grid = np.linspace(-3, 3, 25)
    table = ca.interpolant("table", "bspline", [grid], (grid - 1) ** 2)
    w = ca.MX.sym("w", 1)
    m = pyo.ConcreteModel()
    m.x = pyo.Var([0, 1, 2], initialize=0.0, bounds=(-2, 2))
    greybox = CasadiGreyBox(ca.Function("f", [w], [table(w)], ["w"], ["cost"]), [[0], [1], [2]])
    attach(m, "box", greybox, list(m.x.values()))
    m.objective = pyo.Objective(expr=m.box.outputs["cost"])
    solve(m)
    assert [var.value for var in m.x.values()] == pytest.approx([1, 1, 1], abs=1e-3)


@pytest.mark.parametrize("kind", [ca.SX, ca.MX])
def test_protocol_against_finite_differences(kind):
    rng = np.random.default_rng(1)
    index = rng.permuted(np.tile(np.arange(9), (5, 1)), axis=1)[:, :6]
    p = rng.uniform(0.5, 2, (5, 2))
    greybox = CasadiGreyBox(pendulum_step(kind), index, p=p, n_inputs=10)
    x, lam = rng.normal(size=10), rng.normal(size=10)

    def at(point):
        greybox.set_input_values(point)
        return greybox.evaluate_equality_constraints(), greybox.evaluate_outputs()

    def derivatives(point):
        at(point)
        greybox.set_equality_constraint_multipliers(lam)
        greybox.set_output_constraint_multipliers([1.7])
        return greybox.evaluate_jacobian_equality_constraints(), greybox.evaluate_jacobian_outputs()

    def difference(function, step=1e-6):
        return np.array([(function(x + e) - function(x - e)) / (2 * step) for e in step * np.eye(10)]).T

    jacobian, gradient = (matrix.toarray() for matrix in derivatives(x))
    assert (greybox.n_inputs(), greybox.n_equality_constraints(), greybox.n_outputs()) == (10, 10, 1)
    np.testing.assert_allclose(jacobian, difference(lambda point: at(point)[0]), atol=1e-8)
    np.testing.assert_allclose(gradient, difference(lambda point: at(point)[1]), atol=1e-8)
    derivatives(x)
    lower = greybox.evaluate_hessian_equality_constraints(), greybox.evaluate_hessian_outputs()
    assert all((matrix.row >= matrix.col).all() for matrix in lower)
    full = [matrix.toarray() + np.tril(matrix.toarray(), -1).T for matrix in lower]
    expected = difference(lambda point: derivatives(point)[0].T @ lam)
    np.testing.assert_allclose(full[0], expected, atol=1e-8)
    np.testing.assert_allclose(full[1], difference(lambda point: 1.7 * derivatives(point)[1].toarray()[0]), atol=1e-8)


def test_kernel_with_derivatives_of_ones_own():
    made = box().kernel
    m, plain = variables(), with_greybox()
    index = np.arange(6) + 3 * np.arange(N)[:, None]
    attach(m, "dynamics", CasadiGreyBox(made, index, p=(2.0, H)), columns(m))
    for model in (m, plain):
        model.objective = pyo.Objective(expr=model.dynamics.outputs["cost"])
        solve(model)
    np.testing.assert_allclose(values(m), values(plain), atol=1e-10)


def test_names():
    greybox = box(residual_names=("angle", "rate"))
    assert greybox.equality_constraint_names()[:3] == ["step.angle[0]", "step.rate[0]", "step.angle[1]"]
    assert greybox.output_names() == ["cost"]
    assert greybox.input_names()[-1] == f"w[{3 * N + 2}]"


W = ca.SX.sym("w", 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CasadiGreyBox(ca.Function("f", [W], [W], ["x"], ["residual"]), [[0, 1]]), r"inputs \['x'\]"),
        (lambda: CasadiGreyBox(ca.Function("f", [W], [W], ["w"], ["y"]), [[0, 1]]), r"outputs \['y'\]"),
        (lambda: CasadiGreyBox(ca.Function("f", [W], [W], ["w"], ["cost"]), [[0, 1]]), "'cost' has the shape"),
        (lambda: CasadiGreyBox(ca.Function("f", [W], [W], ["w"], ["residual"]), [[0, 1, 2]]), r"must be \(copies, 2\)"),
        (lambda: CasadiGreyBox(ca.Function("f", [W], [W], ["w"], ["residual"]), [[0, -1]]), "contains -1"),
        (lambda: box(p=None), "needs values for its 2 parameters"),
        (lambda: box(p=[1.0]), r"shape \(1,\); must be \(2,\) or \(12, 2\)"),
        (lambda: box(p=[1.0, np.nan]), "NaN"),
        (lambda: box(n_inputs=7), "has 7 inputs, but its index array goes up to 38"),
        (lambda: box(residual_names=["one"]), "1 residual names for 2 residuals"),
        (lambda: attach(pyo.ConcreteModel(), "box", box(), []), "got 0 variables; must be 39"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(GreyBoxError, match=message):
        make()
