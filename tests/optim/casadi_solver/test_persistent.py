"""SolverFactory("casadi_persistent"): a re-solve gives what a new solver gives, and says whether it made anything."""

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pytest
from pyomo.contrib.solver.common.base import PersistentSolverBase
from pyomo.contrib.solver.common.factory import SolverFactory

from arms.library import subudhi_morris
from flexblocks import optim
from flexblocks.optim.casadi_solver import (
    CasadiGreyBox,
    CasadiPersistentSolver,
    NotOptimalError,
    TrivialConstraintError,
    UnsupportedModelError,
    attach,
)

OPTIONS = {"tol": 1e-10, "bound_relax_factor": 0.0}


def dispatch():
    """Params and fixed Vars in every place: bounds, coefficients, constants, in and out of what is nonlinear."""
    m = pyo.ConcreteModel("dispatch")
    m.x = pyo.Var(["a", "b", "c"], bounds=(0, 10), initialize=1.0)
    m.y = pyo.Var(initialize=0.5)
    m.hour = pyo.Var(initialize=2.0)
    m.hour.fix()
    m.price = pyo.Param(["a", "b", "c"], initialize={"a": 1.0, "b": 4.0, "c": 3.0}, mutable=True)
    m.demand = pyo.Param(initialize=6.0, mutable=True)
    m.curve = pyo.Param(initialize=0.3, mutable=True)
    m.power = pyo.Param(initialize=2, mutable=True)
    x, y = m.x, m.y
    m.loss = pyo.Expression(expr=m.curve * m.hour * x["a"] * x["b"] + pyo.sin(m.curve * m.hour) * y)
    m.mix = pyo.Expression(expr=m.price["a"] * x["a"] - m.hour * (x["b"] - m.curve) / m.demand)
    m.cost = pyo.Objective(
        expr=sum(m.price[i] * x[i] + m.curve * x[i] ** m.power for i in x) + m.loss + (y - m.hour) ** 2
    )
    m.balance = pyo.Constraint(expr=x["a"] + m.hour * x["b"] + x["c"] / m.price["b"] == m.demand + m.curve)
    m.range = pyo.Constraint(expr=(-m.demand, m.mix + 0.1 * y**2, m.demand / 3 - 2.6))
    m.exp = pyo.Constraint(expr=pyo.exp(-m.curve * x["c"]) + y <= m.hour * m.demand / 8)
    m.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    m.rc = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    return m


def solution(m):
    """Values, duals and reduced costs by name, then the objective."""
    found = {var.name: var.value for var in m.component_data_objects(pyo.Var)}
    found |= {f"dual {con.name}": dual for con, dual in m.dual.items()}
    found |= {f"rc {var.name}": cost for var, cost in m.rc.items() if not var.fixed}
    return found | {"objective": pyo.value(m.cost)}


def prepared(build=dispatch):
    solver, m = SolverFactory("casadi_persistent"), build()
    result = solver.solve(m, solver_options=OPTIONS)
    assert result.extra_info.rebuilt == "first solve"
    return solver, m


def assert_same_as_new(solver, m, **kwargs):
    """Re-solve; compare with a new solver; return the result of the re-solve."""
    result = solver.solve(m, solver_options=OPTIONS, **kwargs)
    found = solution(m)
    SolverFactory("casadi").solve(m, solver_options=OPTIONS)
    expected = solution(m)
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, abs=1e-6)
    assert result.incumbent_objective == pytest.approx(expected["objective"], abs=1e-7)
    return result


def _bound(m):
    m.x["a"].setub(0.1)


def _no_bound(m):
    m.x["c"].setlb(None)


def _price(m):
    m.price["a"] = 5.0


def _demand(m):
    m.demand = 9.0


def _curve(m):
    m.curve = 0.9


def _fixed_value(m):
    m.hour.fix(2.7)


def _start(m):
    m.x["a"].value, m.y.value = 7.0, -3.0


def _newly_fixed(m):
    m.x["b"].fix(2.9)


def _everything(m):
    for change in (_bound, _price, _demand, _curve, _fixed_value, _start):
        change(m)


@pytest.mark.parametrize("warm_start", [False, True])
@pytest.mark.parametrize(
    "change",
    [_bound, _no_bound, _price, _demand, _curve, _fixed_value, _start, _newly_fixed, _everything],
    ids=lambda change: change.__name__[1:],
)
def test_numbers_change_without_making_anything(change, warm_start):
    solver, m = prepared()
    before = solution(m)
    change(m)
    result = assert_same_as_new(solver, m, warm_start=warm_start)
    assert result.extra_info.rebuilt is None
    if change is not _start:
        assert solution(m)["objective"] != pytest.approx(before["objective"], abs=1e-4)


def _new_constraint(m):
    m.more = pyo.Constraint(expr=m.x["a"] <= 0.3)


def _deactivated(m):
    m.balance.deactivate()


def _deactivated_block(m):
    m.range.deactivate()


def _new_expression(m):
    m.range.set_value((-1, m.x["a"] - m.x["b"], 0.2))


def _named_expression(m):
    m.loss.set_value(5 * m.x["a"] ** 2)


def _linear_named_expression(m):
    m.mix.set_value(m.curve - m.x["b"])


def _swapped_objective(m):
    m.cost.deactivate()
    m.other = pyo.Objective(expr=m.cost.expr + m.x["c"] ** 2)


def _changed_objective(m):
    m.cost.set_value(m.cost.expr + m.x["a"] ** 2)


def _sense(m):
    m.y.setlb(-1.0)
    m.cost.sense = pyo.maximize


def _unfixed(m):
    m.hour.setlb(1.0)
    m.hour.setub(3.0)
    m.hour.unfix()


def _exponent(m):
    m.power = 3


def _domain(m):
    m.y.domain = pyo.NonPositiveReals


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_new_constraint, "constraint 'more' added"),
        (_deactivated, "constraints removed"),
        (_new_expression, "expression of 'range'"),
        (_named_expression, "expression of 'loss'"),
        (_linear_named_expression, "expression of 'mix'"),
        (_swapped_objective, "another objective"),
        (_changed_objective, "expression of 'cost'"),
        (_sense, "sense of the objective"),
        (_unfixed, "Var 'hour' unfixed"),
        (_exponent, "an exponent"),
        (_domain, "domain of Var 'y'"),
    ],
    ids=lambda part: part.__name__[1:] if callable(part) else "",
)
def test_structure_changes_are_noticed(change, why):
    solver, m = prepared()
    change(m)
    assert assert_same_as_new(solver, m).extra_info.rebuilt == why
    assert solver.solve(m, solver_options=OPTIONS).extra_info.rebuilt is None


def test_fixed_and_free_again_and_fixed_elsewhere():
    solver, m = prepared()
    for value in (0.8, 1.3):
        m.x["c"].fix(value)
        assert assert_same_as_new(solver, m).extra_info.rebuilt is None
        assert m.x["c"].value == value
    m.x["c"].unfix()
    assert assert_same_as_new(solver, m).extra_info.rebuilt is None
    m.hour.unfix()
    m.hour.setlb(1.5)
    assert assert_same_as_new(solver, m).extra_info.rebuilt == "Var 'hour' unfixed"
    m.hour.fix(2.2)  # free in the program by now, so that this is only a bound
    assert assert_same_as_new(solver, m).extra_info.rebuilt is None


def test_equation_that_lost_its_variables_is_checked():
    solver, m = prepared()
    for name, value in (("a", 0.5), ("b", 1.0), ("c", 4.0)):
        m.x[name].fix(value)
    with pytest.raises(TrivialConstraintError, match="'balance' has no free variable"):
        solver.solve(m)
    m.demand = 0.5 + 2.0 + 1.0 - 0.3
    m.range.deactivate()
    assert_same_as_new(solver, m)


def test_constraint_of_constants_only_is_checked_at_every_solve():
    m = dispatch()
    m.rule = pyo.Constraint(expr=m.hour * m.curve + pyo.sin(m.hour) <= m.demand)
    solver, m = prepared(lambda: m)
    m.curve = 4.0
    with pytest.raises(TrivialConstraintError, match=r"'rule' has no free variable and is 8\.9"):
        solver.solve(m)
    m.curve = 0.2
    assert assert_same_as_new(solver, m).extra_info.rebuilt is None


def test_param_that_lost_its_value():
    solver, m = prepared()
    m.demand.clear()
    with pytest.raises(UnsupportedModelError, match="demand"):
        solver.solve(m)
    m.demand = float("nan")
    with pytest.raises(UnsupportedModelError, match="Constraint 'balance' has the bounds"):
        solver.solve(m)


def test_refused_model_leaves_nothing_behind():
    solver, m = prepared()
    m.second = pyo.Objective(expr=m.y)
    with pytest.raises(UnsupportedModelError, match="2 active objectives"):
        solver.solve(m)
    m.second.deactivate()
    m.n = pyo.Var(domain=pyo.Binary)
    m.rule = pyo.Constraint(expr=m.n + m.y <= 4)
    with pytest.raises(UnsupportedModelError, match="Var 'n'"):
        solver.solve(m)
    m.n.fix(1)
    assert_same_as_new(solver, m)


def test_two_models_in_turn():
    solver, m = prepared()
    other = dispatch()
    other.demand = 8.0
    assert assert_same_as_new(solver, other).extra_info.rebuilt == "another model"
    assert assert_same_as_new(solver, m).extra_info.rebuilt == "another model"


def test_options_between_solves():
    solver, m = prepared()
    m.demand = 7.0
    result = solver.solve(m, iteration_limit=1, raise_exception_on_nonoptimal_result=False)
    assert (result.extra_info.rebuilt, result.extra_info.iteration_count) == (None, 1)
    with pytest.raises(NotOptimalError, match="Maximum_Iterations"):
        solver.solve(m, iteration_limit=1)
    seen = []
    result = solver.solve(m, iteration_callback=seen.append)
    assert len(seen) == result.extra_info.iteration_count + 1
    assert assert_same_as_new(solver, m).extra_info.rebuilt is None
    assert len(seen) == result.extra_info.iteration_count + 1  # the callback belonged to one solve


def test_results_of_an_earlier_solve_stay():
    solver, m = prepared()
    first = solver.solve(m, load_solutions=False, solver_options=OPTIONS)
    before = first.solution_loader.get_vars()[m.x["a"]]
    m.price["a"] = 4.0
    solver.solve(m, solver_options=OPTIONS)
    assert m.x["a"].value != pytest.approx(before, abs=1e-3)
    first.solution_loader.load_vars()
    assert m.x["a"].value == before


def test_warm_start_saves_iterations():
    solver, m = prepared()
    m.demand = 6.1
    warm = solver.solve(m, warm_start=True)
    for var in m.x.values():
        var.value = 1.0
    m.y.value = 0.5
    cold = SolverFactory("casadi").solve(m)
    assert warm.extra_info.iteration_count <= 4 < cold.extra_info.iteration_count
    assert warm.incumbent_objective == pytest.approx(cold.incumbent_objective, abs=1e-6)


def chain():
    w, p = ca.SX.sym("w", 2), ca.SX.sym("p")
    function = ca.Function(
        "chain", [w, p], [w[1] - w[0] - p * ca.cos(w[0]), (w[0] - 2) ** 2], ["w", "p"], ["residual", "cost"]
    )
    m = pyo.ConcreteModel("chain")
    m.x = pyo.Var(range(6), initialize=0.3)
    m.x[0].fix(0.1)
    m.weight = pyo.Param(initialize=1.0, mutable=True)
    m.u = pyo.Var(initialize=0.0, bounds=(-2, 2))
    box = CasadiGreyBox(function, [[k, k + 1] for k in range(4)], p=[0.2], n_inputs=5)
    attach(m, "box", box, [m.x[k] for k in range(5)])
    m.tie = pyo.Constraint(expr=m.x[5] == m.weight * m.x[4] + m.u)
    m.cost = pyo.Objective(expr=m.weight * m.box.outputs["cost"] + m.x[5] ** 2 + m.weight * m.u**2)
    m.dual, m.rc = (pyo.Suffix(direction=pyo.Suffix.IMPORT) for _ in range(2))
    return m


def test_grey_boxes():
    solver, m = prepared(chain)
    m.box.get_external_model().parameters = [0.4]
    m.x[0].fix(0.6)
    m.weight = 2.5
    assert assert_same_as_new(solver, m).extra_info.rebuilt is None
    assert assert_same_as_new(solver, m, warm_start=True).extra_info.iteration_count <= 2
    m.box.outputs["cost"].setub(100.0)
    assert assert_same_as_new(solver, m).extra_info.rebuilt == "grey boxes"
    m.x[0].unfix()
    m.x[0].setub(0.5)
    assert assert_same_as_new(solver, m).extra_info.rebuilt == "Var 'x[0]' unfixed"
    m.box.deactivate()
    m.box.outputs["cost"].setlb(1.0)
    assert assert_same_as_new(solver, m).extra_info.rebuilt == "grey boxes"


def test_persistent_interface_of_pyomo():
    solver, m = CasadiPersistentSolver(), dispatch()
    assert isinstance(solver, PersistentSolverBase)
    assert solver.is_persistent()
    solver.set_instance(m)
    assert solver.solve(m).extra_info.rebuilt is None
    m.price["a"] = 3.0
    solver.update_parameters()
    solver.update_variables(list(m.x.values()))
    assert assert_same_as_new(solver, m).extra_info.rebuilt is None
    m.rule = pyo.Constraint(expr=m.y <= 1)
    solver.add_constraints([m.rule])
    assert assert_same_as_new(solver, m).extra_info.rebuilt == "constraints added"
    legacy = pyo.SolverFactory("casadi_persistent", warm_start=True)
    assert pyo.check_optimal_termination(legacy.solve(m))
    m.y.setub(0.5)
    assert pyo.check_optimal_termination(legacy.solve(m))
    assert m.y.value == pytest.approx(0.5, abs=1e-6)


def test_linear_program_with_changing_matrix():
    rng = np.random.default_rng(3)
    m = pyo.ConcreteModel("lp")
    m.x = pyo.Var(range(6), bounds=(0, 5))
    m.A = pyo.Param(range(4), range(6), mutable=True, initialize=1.0)
    m.c = pyo.Param(range(6), mutable=True, initialize=1.0)
    m.b = pyo.Param(range(4), mutable=True, initialize=1.0)
    m.rows = pyo.Constraint(range(4), rule=lambda m, i: sum(m.A[i, j] * m.x[j] for j in m.x) <= m.b[i])
    m.cost = pyo.Objective(expr=sum(m.c[j] * m.x[j] for j in m.x) + 2 * m.b[0], sense=pyo.maximize)
    m.dual, m.rc = (pyo.Suffix(direction=pyo.Suffix.IMPORT) for _ in range(2))
    solver = SolverFactory("casadi_persistent")
    solver.solve(m)
    for _ in range(5):
        for param, low in ((m.A, 0.1), (m.c, 0.5), (m.b, 2.0)):
            for key in param:
                param[key] = float(rng.uniform(low, 4))
        assert assert_same_as_new(solver, m).extra_info.rebuilt is None


def test_plan_with_another_goal():
    """Start and goal of a plan are fixed Vars: moving the goal makes nothing anew."""
    dae = subudhi_morris()

    def planned(goal):
        return optim.pyomo_model(
            dae,
            optim.RestToRest(
                start={"joint1.angle": 0.0, "joint2.angle": 0.0},
                goal={"joint1.angle": goal, "joint2.angle": 0.5},
                duration=2.0,
            ),
            intervals=15,
        )

    solver, m, expected = SolverFactory("casadi_persistent"), planned(1.5), planned(1.55)
    cold = solver.solve(m)
    for k, name in m.q:
        if k == 15:
            m.q[k, name].fix(expected.q[k, name].value)
    warm = solver.solve(m, warm_start=True)
    SolverFactory("casadi").solve(expected)
    assert warm.extra_info.rebuilt is None
    assert warm.extra_info.iteration_count <= 4 < cold.extra_info.iteration_count
    assert warm.incumbent_objective == pytest.approx(pyo.value(expected.objective), rel=1e-6)
    assert [var.value for var in m.u.values()] == pytest.approx([var.value for var in expected.u.values()], abs=1e-6)
