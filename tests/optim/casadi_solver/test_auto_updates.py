"""auto_updates of the persistent solver: what is not looked for has to be announced."""

import pyomo.environ as pyo
import pytest
from pyomo.contrib.solver.common.factory import SolverFactory

import flexblocks.optim.casadi_solver  # noqa: F401  (registers the solvers)


def program():
    m = pyo.ConcreteModel()
    m.x, m.y = pyo.Var(bounds=(-4, 4), initialize=1.0), pyo.Var(bounds=(-4, 4), initialize=1.0)
    m.power = pyo.Param(initialize=2, mutable=True)
    m.shift = pyo.Param(initialize=1.0, mutable=True)
    m.bowl = pyo.Expression(expr=(m.x - m.shift) ** 2)
    m.objective = pyo.Objective(expr=m.bowl + (m.y + 0.5) ** m.power + m.y)
    m.sum = pyo.Constraint(expr=m.x + m.y >= -3)
    m.z = pyo.Var(initialize=2.0)
    m.z.fix()
    m.use = pyo.Constraint(expr=m.x * m.z <= 6)
    return m


def new_constraint(m):
    m.more = pyo.Constraint(expr=m.x**2 <= 0.25)


def written_anew(m):
    m.sum.set_value(m.x + m.y >= 2)


def another_objective(m):
    m.objective.deactivate()
    m.other = pyo.Objective(expr=(m.x - 2) ** 2 + m.y**2)


def objective_written_anew(m):
    m.objective.expr = (m.x - 2.5) ** 2 + m.y**2


def expression_written_anew(m):
    m.bowl.expr = (m.x - 2.5) ** 2


def unfixed(m):
    m.z.unfix()
    m.z.setlb(1.0)
    m.shift = 3.5


def exponent(m):
    m.power = 4


CHANGES = {
    "check_for_new_or_removed_constraints": (new_constraint, lambda s, m: s.add_constraints([m.more])),
    "update_constraints": (written_anew, lambda s, m: (s.remove_constraints([m.sum]), s.add_constraints([m.sum]))),
    "check_for_new_objective": (another_objective, lambda s, m: s.set_objective(m.other)),
    "update_objective": (objective_written_anew, lambda s, m: s.set_objective(m.objective)),
    "update_named_expressions": (expression_written_anew, lambda s, m: s.set_objective(m.objective)),
    "update_vars": (unfixed, lambda s, m: s.update_variables([m.z])),
    "update_parameters": (exponent, lambda s, m: s.update_parameters()),
}


def solved_anew(m):
    other = m.clone()
    SolverFactory("casadi").solve(other)
    return [other.x.value, other.y.value]


@pytest.mark.parametrize("kind", CHANGES)
def test_what_is_turned_off_has_to_be_announced(kind):
    change, announce = CHANGES[kind]
    m, solver = program(), SolverFactory("casadi_persistent")
    assert solver.config.auto_updates[kind]
    solver.solve(m)
    setattr(solver.config.auto_updates, kind, False)
    change(m)
    assert solver.solve(m).extra_info.rebuilt is None
    announce(solver, m)
    result = solver.solve(m)
    assert result.extra_info.rebuilt is not None
    assert [m.x.value, m.y.value] == pytest.approx(solved_anew(m), abs=1e-5)
    assert solver.solve(m).extra_info.rebuilt is None


@pytest.mark.parametrize("kind", CHANGES)
def test_everything_is_looked_for_otherwise(kind):
    m, solver = program(), SolverFactory("casadi_persistent")
    solver.solve(m)
    before = [m.x.value, m.y.value]
    CHANGES[kind][0](m)
    assert solver.solve(m).extra_info.rebuilt is not None
    assert [m.x.value, m.y.value] == pytest.approx(solved_anew(m), abs=1e-5)
    assert [m.x.value, m.y.value] != pytest.approx(before, abs=1e-2)


def test_data_are_read_whatever_is_turned_off():
    m, solver = program(), SolverFactory("casadi_persistent")
    solver.solve(m)
    for kind in solver.config.auto_updates:
        setattr(solver.config.auto_updates, kind, False)
    m.shift = -1.0
    m.y.setlb(0.25)
    m.z.fix(1.5)
    assert solver.solve(m).extra_info.rebuilt is None
    assert [m.x.value, m.y.value] == pytest.approx([-1.0, 0.25], abs=1e-5)
