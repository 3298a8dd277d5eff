"""MatrixConstraint: the rows of a sparse matrix, against the same constraints written out."""

import math

import pyomo.environ as pyo
import pytest
from pyomo.contrib.solver.common.factory import SolverFactory
from pyomo.core.base.matrix_constraint import MatrixConstraint

import flexblocks.optim.casadi_solver  # noqa: F401  (registers the solvers)

DATA, INDICES, POINTERS = [1.0, 2.0, -1.0, 1.0, 1.0], [0, 1, 1, 2, 0], [0, 2, 4, 5]
LOWER, UPPER = [1.0, None, -math.inf], [1.0, 0.25, math.inf]


def program():
    m = pyo.ConcreteModel()
    m.x = pyo.Var([0, 1, 2], initialize=1.0)
    m.objective = pyo.Objective(expr=sum((m.x[i] - i) ** 2 for i in m.x))
    m.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    return m


def by_matrix(data=None):
    m = program()
    m.rows = MatrixConstraint(data or DATA, INDICES, POINTERS, LOWER, UPPER, list(m.x.values()))
    return m


def written_out(first=1.0):
    m = program()
    m.rows = pyo.ConstraintList()
    m.rows.add(first * m.x[0] + 2 * m.x[1] == 1)
    m.rows.add(-m.x[1] + m.x[2] <= 0.25)
    return m


def solution(m):
    return [var.value for var in m.x.values()] + list(m.dual.values())


def test_agrees_with_the_constraints_written_out():
    ours, expected = by_matrix(), written_out()
    for m in (ours, expected):
        SolverFactory("casadi").solve(m, solver_options={"tol": 1e-11})
    assert solution(ours)[:5] == pytest.approx(solution(expected), abs=1e-8)
    assert len(ours.dual) == 2  # the row without bounds makes none


def test_fixed_variables_and_deactivated_rows():
    m, expected = by_matrix(), written_out()
    for model, first in ((m, 0), (expected, 1)):
        model.x[1].fix(0.4)
        model.rows[first + 1].deactivate()
        SolverFactory("casadi").solve(model, solver_options={"tol": 1e-11})
    assert solution(m) == pytest.approx(solution(expected), abs=1e-8)
    assert m.x[2].value == pytest.approx(2.0)


def test_a_reference_to_constraints_counts_once():
    m = written_out()
    m.first_of_them = pyo.Reference(m.rows[:])
    result = SolverFactory("casadi").solve(m, solver_options={"tol": 1e-11})
    expected = written_out()
    SolverFactory("casadi").solve(expected, solver_options={"tol": 1e-11})
    assert result.incumbent_objective == pytest.approx(pyo.value(expected.objective), abs=1e-9)
    assert solution(m) == pytest.approx(solution(expected), abs=1e-8)
