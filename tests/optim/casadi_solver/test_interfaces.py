"""What a Pyomo user expects of a solver, through both of Pyomo's interfaces."""

import os
import signal

import pyomo.environ as pyo
import pytest
from pyomo.contrib.solver.common.base import SolverBase
from pyomo.contrib.solver.common.factory import SolverFactory
from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition
from pyomo.core.expr.numeric_expr import MaxExpression, MinExpression
from pyomo.opt import TerminationCondition as LegacyTermination

from flexblocks.optim.casadi_solver import CasadiSolver, TrivialConstraintError
from oracles.textbook_programs import hs071, infeasible, unbounded

NAME = "casadi"


def test_registered_in_both():
    new, legacy = SolverFactory(NAME), pyo.SolverFactory(NAME)
    assert isinstance(new, SolverBase)
    assert new.name == NAME
    assert new.available()
    assert legacy.available()
    assert not new.is_persistent()
    assert new.version() >= (3, 7)
    assert isinstance(new, CasadiSolver)


def test_options_of_the_solver_and_of_the_solve():
    new = SolverFactory(NAME, solver_options={"max_iter": 1})
    result = new.solve(hs071(), raise_exception_on_nonoptimal_result=False)
    assert result.termination_condition == TerminationCondition.iterationLimit
    result = new.solve(hs071(), solver_options={"max_iter": 50})
    assert result.solution_status == SolutionStatus.optimal
    legacy = pyo.SolverFactory(NAME, options={"max_iter": 1})
    assert legacy.solve(hs071()).solver.termination_condition == LegacyTermination.maxIterations
    legacy.options["max_iter"] = 50
    assert legacy.solve(hs071()).solver.termination_condition == LegacyTermination.optimal


@pytest.mark.parametrize(
    ("build", "kwargs", "condition"),
    [
        (infeasible, {}, LegacyTermination.infeasible),
        (unbounded, {}, LegacyTermination.unbounded),
        (hs071, {"timelimit": 1e-9}, LegacyTermination.maxTimeLimit),
        (hs071, {"options": {"max_iter": 2}}, LegacyTermination.maxIterations),
    ],
)
def test_legacy_termination_conditions(build, kwargs, condition):
    result = pyo.SolverFactory(NAME).solve(build(), **kwargs)
    assert result.solver.termination_condition == condition
    assert not pyo.check_optimal_termination(result)


def test_solution_loaded_later():
    m = hs071()
    for suffix in ("dual", "rc", "ipopt_zL_out", "ipopt_zU_out"):
        setattr(m, suffix, pyo.Suffix(direction=pyo.Suffix.IMPORT))
    result = SolverFactory(NAME).solve(m, load_solutions=False)
    assert [var.value for var in m.x.values()] == [1, 5, 5, 1]
    assert not m.dual
    result.solution_loader.load_vars()
    assert m.x[2].value == pytest.approx(4.7429994, abs=1e-6)
    assert not m.dual
    result.solution_loader.load_import_suffixes()
    assert m.dual[m.sphere] == pytest.approx(-0.161468564, abs=1e-6)
    assert m.rc[m.x[1]] == pytest.approx(1.0878712, abs=1e-5)  # x1 is at its lower bound
    assert m.ipopt_zL_out[m.x[1]] == pytest.approx(1.0878712, abs=1e-5)
    assert m.ipopt_zU_out[m.x[1]] == 0
    loaded = result.solution_loader.get_vars([m.x[2]])
    assert list(loaded.keys()) == [m.x[2]]


def test_legacy_solution_loaded_later():
    m = hs071()
    result = pyo.SolverFactory("casadi").solve(m, load_solutions=False)
    assert m.x[2].value == 5
    m.solutions.load_from(result)
    assert m.x[2].value == pytest.approx(4.7429994, abs=1e-6)


def test_largest_and_smallest():
    """Pyomo's nodes max and min, with variables, fixed variables and numbers among their arguments."""
    m = pyo.ConcreteModel()
    m.x = pyo.Var([1, 2], initialize={1: 3.0, 2: -2.0})
    m.floor = pyo.Var(initialize=-0.5)
    m.floor.fix()
    m.objective = pyo.Objective(
        expr=(m.x[1] - 2) ** 2 + (m.x[2] + 1) ** 2 - MinExpression((m.x[1], 1.5)) + MaxExpression((m.x[2], m.floor))
    )
    SolverFactory(NAME).solve(m)
    assert [m.x[1].value, m.x[2].value] == pytest.approx([2.0, -1.0], abs=1e-6)
    assert pyo.value(m.objective.expr) == pytest.approx(-2.0, abs=1e-6)


def test_param_between_solves():
    """min (x - 3k)^2 + y^2 with x - y = k: x = 2k, in k the Param of the objective and of the right-hand side."""
    m = pyo.ConcreteModel()
    m.x, m.y = pyo.Var(), pyo.Var()
    m.k = pyo.Param(initialize=1.0, mutable=True)
    m.objective = pyo.Objective(expr=(m.x - 3 * m.k) ** 2 + m.y**2)
    m.rule = pyo.Constraint(expr=m.x - m.y == m.k)
    solver = pyo.SolverFactory(NAME)
    for k in (1.0, -2.0, 0.0):
        m.k = k
        solver.solve(m)
        assert (m.x.value, m.y.value) == pytest.approx((2 * k, k), abs=1e-7)


def test_interruption_keeps_the_last_iterate():
    m, seen = hs071(), []

    def interrupt(iteration):
        seen.append(iteration)
        if iteration.number == 3:
            os.kill(os.getpid(), signal.SIGINT)

    solver = SolverFactory(NAME)
    result = solver.solve(m, iteration_callback=interrupt, raise_exception_on_nonoptimal_result=False)
    assert result.termination_condition == TerminationCondition.interrupted
    assert pyo.value(m.objective) == pytest.approx(seen[-1].objective, rel=1e-9)
    assert solver.solve(m).solution_status == SolutionStatus.optimal


def _crossed_var(m):
    m.x[3].setlb(3.0)
    m.x[3].setub(2.5)


def _crossed_constraint(m):
    m.least, m.most = pyo.Param(initialize=5.0, mutable=True), pyo.Param(initialize=4.5, mutable=True)
    m.range = pyo.Constraint(expr=(m.least, m.x[1] * m.x[2], m.most))


@pytest.mark.parametrize(
    ("change", "what"), [(_crossed_var, r"Var 'x\[3\]'"), (_crossed_constraint, "Constraint 'range'")]
)
def test_crossed_bounds_are_named(change, what):
    m = hs071()
    change(m)
    with pytest.raises(TrivialConstraintError, match=f"{what}: its lower bound is 0.5 above its upper"):
        SolverFactory(NAME).solve(m)


def test_warm_start_from_suffixes():
    m = hs071()
    m.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT_EXPORT)
    for bound in "LU":
        setattr(m, f"ipopt_z{bound}_out", pyo.Suffix(direction=pyo.Suffix.IMPORT))
        setattr(m, f"ipopt_z{bound}_in", pyo.Suffix(direction=pyo.Suffix.EXPORT))
    solver = SolverFactory("casadi")
    cold = solver.solve(m)
    m.ipopt_zL_in.update(m.ipopt_zL_out)
    m.ipopt_zU_in.update(m.ipopt_zU_out)
    assert solver.solve(m, warm_start=True).extra_info.iteration_count <= 2 < cold.extra_info.iteration_count
    m.dual[m.sphere], m.dual[m.product] = 300.0, -200.0  # what is given counts: bad multipliers take longer
    assert solver.solve(m, warm_start=True).extra_info.iteration_count > 2


def test_tee_and_time(capsys):
    result = pyo.SolverFactory(NAME).solve(hs071(), tee=True)
    assert "EXIT: Optimal Solution Found" in capsys.readouterr().out
    assert set(result.timing_info) >= {"build", "functions", "solve", "evaluation", "wall_time"}
