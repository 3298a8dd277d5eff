"""How a solve ends: what is returned, what is raised, and that an exception leaves the model as it was."""

import casadi as ca
import pyomo.environ as pyo
import pytest
from pyomo.common.errors import InfeasibleConstraintException
from pyomo.contrib.solver.common.factory import SolverFactory
from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition
from pyomo.contrib.solver.common.util import NoOptimalSolutionError, NoSolutionError
from pyomo.opt import TerminationCondition as LegacyTermination

from flexblocks.optim.casadi_solver import (
    CasadiGreyBox,
    NotOptimalError,
    SolverOptionError,
    TrivialConstraintError,
    UnsupportedModelError,
    attach,
)
from oracles.textbook_programs import hs071, infeasible

ASK_NOTHING = {"raise_exception_on_nonoptimal_result": False, "load_solutions": False}


def violated_by_fixed():
    m = hs071()
    m.sphere.deactivate()
    m.x.fix(1.0)
    return m


def crossed_bounds():
    m = hs071()
    m.x[2].setlb(4.5)
    m.x[2].setub(4.0)
    return m


def crossed_constraint():
    m = hs071()
    m.low = pyo.Param(initialize=5, mutable=True)
    m.range = pyo.Constraint(expr=(m.low, m.x[1] * m.x[2], 4))
    return m


def cancelled_constraint():
    m = hs071()
    m.never = pyo.Constraint(expr=m.x[1] * m.x[2] - m.x[1] * m.x[2] >= 1)
    return m


def box_on_fixed():
    m = hs071()
    w = ca.SX.sym("w", 2)
    box = CasadiGreyBox(ca.Function("f", [w], [w[0] - w[1] - 1], ["w"], ["residual"]), [[0, 1]], name="gap")
    m.fixed = pyo.Var([1, 2], initialize=1.0)
    m.fixed.fix()
    attach(m, "box", box, m.fixed.values())
    return m


INFEASIBLE = [violated_by_fixed, crossed_bounds, crossed_constraint, cancelled_constraint, box_on_fixed]


@pytest.mark.parametrize("build", INFEASIBLE)
def test_a_model_infeasible_as_it_stands_gives_results_when_asked_so(build):
    result = SolverFactory("casadi").solve(build(), **ASK_NOTHING)
    assert result.termination_condition == TerminationCondition.provenInfeasible
    assert result.solution_status == SolutionStatus.noSolution
    assert result.incumbent_objective is None
    assert result.objective_bound is None
    assert result.extra_info.iteration_count == 0
    assert result.timing_info.wall_time >= 0
    with pytest.raises(NoSolutionError, match=r"no free variable|lower bound|'gap"):
        result.solution_loader.load_vars()
    for asked in ({}, {"load_solutions": False}, {"raise_exception_on_nonoptimal_result": False}):
        with pytest.raises(TrivialConstraintError) as caught:
            SolverFactory("casadi").solve(build(), **asked)
        for kind in (NoOptimalSolutionError, NoSolutionError, InfeasibleConstraintException):
            assert isinstance(caught.value, kind)


def test_the_legacy_interface_gives_results_as_well():
    result = pyo.SolverFactory("casadi").solve(violated_by_fixed(), load_solutions=False)
    assert result.solver.termination_condition == LegacyTermination.infeasible


def state(m):
    """Everything of the model that a solve may change."""
    variables = [(var.name, var.value, var.stale) for var in m.component_data_objects(pyo.Var)]
    return variables, *([(part.name, value) for part, value in suffix.items()] for suffix in (m.dual, m.rc))


def stops(iteration):
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("build", "options", "error"),
    [
        (hs071, {"iteration_limit": 2}, NotOptimalError),
        (hs071, {"time_limit": 0}, NotOptimalError),
        (infeasible, {}, NotOptimalError),
        (hs071, {"iteration_callback": stops}, ZeroDivisionError),
        (hs071, {"solver_options": {"nonsense": 1}}, SolverOptionError),
        *((build, {}, TrivialConstraintError) for build in INFEASIBLE),
    ],
)
def test_an_exception_leaves_the_model_as_it_was(build, options, error):
    m = build()
    m.dual, m.rc = (pyo.Suffix(direction=pyo.Suffix.IMPORT) for _ in range(2))
    some = next(m.component_data_objects(pyo.Constraint))
    m.dual[some] = 17.0
    for var in m.component_data_objects(pyo.Var):
        m.rc[var] = 3.0
    boxes = [block.get_external_model() for block in m.component_data_objects(pyo.Block) if block.local_name == "box"]
    for box in boxes:
        box.set_input_values([0.5, 0.25])
        box.set_equality_constraint_multipliers([4.0])
    before = state(m)
    with pytest.raises(error) as caught:
        SolverFactory("casadi").solve(m, **options)
    assert state(m) == before
    for box in boxes:
        assert box.evaluate_equality_constraints() == pytest.approx([-0.75])
        assert box.multipliers == pytest.approx([4.0])
    if error is NotOptimalError:  # the last iterate is there for who wants it
        caught.value.results.solution_loader.load_vars()


def test_the_last_iterate_is_loaded_when_no_exception_is_asked_for():
    m, other = hs071(), hs071()
    SolverFactory("casadi").solve(m, iteration_limit=2, raise_exception_on_nonoptimal_result=False)
    with pytest.raises(NotOptimalError) as caught:
        SolverFactory("casadi").solve(other, iteration_limit=2)
    caught.value.results.solution_loader.load_vars()
    values = [var.value for var in m.x.values()]
    assert values == [var.value for var in other.x.values()]
    assert values != [var.value for var in hs071().x.values()]


def test_without_an_optimum_there_is_no_incumbent():
    for build, options in ((infeasible, {}), (hs071, {"iteration_limit": 1})):
        result = SolverFactory("casadi").solve(build(), **options, raise_exception_on_nonoptimal_result=False)
        assert result.incumbent_objective is None


def test_a_time_limit_of_zero_ends_before_the_first_iteration():
    result = SolverFactory("casadi").solve(hs071(), time_limit=0, raise_exception_on_nonoptimal_result=False)
    assert result.termination_condition == TerminationCondition.maxTimeLimit
    assert result.extra_info.iteration_count == 0


def test_what_is_no_constructed_model_is_refused():
    abstract = pyo.AbstractModel("plant")
    abstract.x = pyo.Var(initialize=1.0)
    abstract.cost = pyo.Objective(rule=lambda m: (m.x - 2) ** 2)
    for solver in (SolverFactory("casadi"), pyo.SolverFactory("casadi")):
        with pytest.raises(UnsupportedModelError, match=r"'plant' is abstract.*create_instance"):
            solver.solve(abstract)
    instance = abstract.create_instance()
    SolverFactory("casadi").solve(instance)
    assert instance.x.value == pytest.approx(2.0)
    for nothing in (None, 3, "model", pyo.Var()):
        with pytest.raises(UnsupportedModelError, match="must be a ConcreteModel or one of its blocks"):
            SolverFactory("casadi").solve(nothing)
