"""SolverFactory("casadi") on ordinary Pyomo models, against pyomo-pounce."""

import math
import os
import signal

import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
import pytest
from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock, ExternalGreyBoxModel
from pyomo.contrib.solver.common.factory import SolverFactory as NewSolverFactory
from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition
from pyomo.dae import ContinuousSet, DerivativeVar
from pyomo.opt import TerminationCondition as LegacyTermination

from flexblocks.optim.casadi_solver import (
    NotOptimalError,
    SolverOptionError,
    TrivialConstraintError,
    UnsupportedModelError,
)
from oracles.textbook_programs import (
    hs071,
    infeasible,
    linear,
    overdetermined,
    quadratic,
    rosenbrock,
    shared,
    unbounded,
    undefined,
)


def solve(model, **kwargs):
    """Solve through the new interface."""
    return NewSolverFactory("casadi").solve(model, **kwargs)


@pytest.mark.parametrize(
    "build",
    [hs071, lambda: hs071(pyo.maximize), rosenbrock, linear, quadratic, shared],
    ids=["hs071", "hs071-max", "rosenbrock", "linear", "quadratic", "shared"],
)
def test_agrees_with_pounce(build):
    models = []
    for name in ("casadi", "pounce"):
        model = build()
        model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
        model.ipopt_zL_out = pyo.Suffix(direction=pyo.Suffix.IMPORT)
        model.ipopt_zU_out = pyo.Suffix(direction=pyo.Suffix.IMPORT)
        result = pyo.SolverFactory(name).solve(model, options={"tol": 1e-10, "bound_relax_factor": 0.0})
        assert result.solver.termination_condition == LegacyTermination.optimal
        models.append(model)
    ours, theirs = models
    assert pyo.value(ours.objective) == pytest.approx(pyo.value(theirs.objective), abs=1e-6)
    for kind in (pyo.Var, pyo.Constraint):
        for mine in ours.component_data_objects(kind):
            other = theirs.find_component(mine.name)
            if kind is pyo.Constraint:
                assert ours.dual[mine] == pytest.approx(theirs.dual[other], abs=1e-6)
                continue
            assert mine.value == pytest.approx(other.value, abs=1e-6)
            for suffix in ("ipopt_zL_out", "ipopt_zU_out"):
                found, expected = getattr(ours, suffix)[mine], getattr(theirs, suffix).get(other, 0.0)
                assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
def test_duals_are_derivatives_of_the_objective(sense):
    m = pyo.ConcreteModel()
    m.x, m.y = pyo.Var(bounds=(None, 3)), pyo.Var()
    m.limit = pyo.Param(initialize=2.0, mutable=True)
    m.objective = pyo.Objective(expr=(1 if sense == pyo.minimize else -1) * ((m.x - 5) ** 2 + m.y**2), sense=sense)
    m.rule = pyo.Constraint(expr=m.x + m.y == m.limit)
    m.dual, m.rc = pyo.Suffix(direction=pyo.Suffix.IMPORT), pyo.Suffix(direction=pyo.Suffix.IMPORT)
    solve(m)
    dual, rc, before = m.dual[m.rule], m.rc[m.x], pyo.value(m.objective)
    m.limit = 2.0 + 1e-5
    solve(m)
    assert dual == pytest.approx((pyo.value(m.objective) - before) / 1e-5, rel=1e-3)
    m.limit = 2.0
    m.x.setub(3 + 1e-5)
    solve(m)
    assert rc == pytest.approx((pyo.value(m.objective) - before) / 1e-5, rel=1e-3)


def test_both_interfaces_and_their_results():
    m = hs071()
    legacy = pyo.SolverFactory("casadi").solve(m, tee=False, options={"max_iter": 50})
    assert legacy.solver.termination_condition == LegacyTermination.optimal
    assert set(legacy.timing_info) >= {"build", "functions", "solve", "evaluation", "wall_time"}
    new = solve(hs071(), solver_options={"tol": 1e-9})
    assert new.termination_condition == TerminationCondition.convergenceCriteriaSatisfied
    assert new.solution_status == SolutionStatus.optimal
    assert new.incumbent_objective == pytest.approx(17.0140171, abs=1e-6)
    assert new.extra_info.iteration_count > 0
    assert new.extra_info.return_status == "Solve_Succeeded"


def test_solution_is_not_loaded_unasked():
    m = hs071()
    result = solve(m, load_solutions=False)
    assert m.x[2].value == 5
    assert result.solution_loader.get_vars()[m.x[2]] == pytest.approx(4.742999, abs=1e-5)
    assert result.solution_loader.get_duals([m.sphere])[m.sphere] == pytest.approx(-0.161468, abs=1e-5)


def test_tee_prints_the_log(capsys):
    result = solve(hs071(), tee=True)
    assert "EXIT: Optimal Solution Found" in capsys.readouterr().out
    assert "EXIT: Optimal Solution Found" in result.solver_log
    solve(hs071())
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("build", "options", "condition"),
    [
        (infeasible, {}, TerminationCondition.locallyInfeasible),
        (unbounded, {}, TerminationCondition.unbounded),
        (undefined, {}, TerminationCondition.error),
        (hs071, {"max_iter": 2}, TerminationCondition.iterationLimit),
        (hs071, {"max_wall_time": 1e-9}, TerminationCondition.maxTimeLimit),
    ],
)
def test_termination_conditions(build, options, condition):
    m = build()
    result = solve(m, solver_options=options, raise_exception_on_nonoptimal_result=False)
    assert result.termination_condition == condition
    with pytest.raises(NotOptimalError, match=result.extra_info.return_status) as caught:
        solve(build(), solver_options=options)
    assert caught.value.results.termination_condition == condition


def test_more_equations_than_variables_do_not_pass_for_a_solution():
    result = solve(overdetermined(), raise_exception_on_nonoptimal_result=False)
    assert result.solution_status != SolutionStatus.optimal


def test_limits_are_options():
    result = solve(hs071(), iteration_limit=1, raise_exception_on_nonoptimal_result=False)
    assert result.termination_condition == TerminationCondition.iterationLimit
    assert result.extra_info.iteration_count == 1
    result = solve(hs071(), time_limit=1e-9, raise_exception_on_nonoptimal_result=False)
    assert result.termination_condition == TerminationCondition.maxTimeLimit


def test_unknown_option_is_refused():
    with pytest.raises(SolverOptionError, match="nonsense"):
        solve(hs071(), solver_options={"nonsense": 1})


def test_fixed_variables_are_constants():
    m = hs071()
    m.x[1].fix(1.2)
    m.x[2].fix(7.0)  # outside its bounds, which bind only a free variable
    m.sphere.deactivate()
    solve(m)
    assert (m.x[1].value, m.x[2].value) == (1.2, 7.0)
    assert 1.2 * 7 * m.x[3].value * m.x[4].value == pytest.approx(25, abs=1e-6)


def test_everything_fixed():
    m = hs071()
    m.sphere.deactivate()
    for i, value in enumerate((1, 3, 3, 3), start=1):
        m.x[i].fix(value)
    result = solve(m)
    assert result.incumbent_objective == pytest.approx(24.0)
    m.x[4].fix(1.0)
    with pytest.raises(
        TrivialConstraintError, match=r"'product' has no free variable and is 9; must be in \[25, inf\]"
    ):
        solve(m)


@pytest.mark.parametrize(
    "cancel",
    [
        lambda x: x[1] - x[1],
        lambda x: 0 * x[1] ** 2,
        lambda x: x[1] ** 2 - x[1] ** 2,
        lambda x: x[1] * x[2] - x[1] * x[2],
        lambda x: pyo.exp(x[1]) - pyo.exp(x[1]),
        lambda x: sum(0 * pyo.sin(x[1]) for _ in range(100)),
    ],
)
def test_an_objective_that_cancels(cancel):
    m = hs071()
    m.objective.expr = cancel(m.x) + 3
    assert NewSolverFactory("casadi").solve(m).incumbent_objective == pytest.approx(3.0)
    assert pyo.value(m.product.body) >= 25 - 1e-6
    assert pyo.value(m.sphere.body) == pytest.approx(40.0)


def test_no_objective_finds_a_feasible_point():
    m = hs071()
    m.objective.deactivate()
    result = solve(m)
    assert result.incumbent_objective is None
    assert result.objective_bound is None
    assert sum(m.x[i].value ** 2 for i in m.x) == pytest.approx(40, abs=1e-6)


def test_variable_without_value_starts_at_zero_within_bounds():
    m = pyo.ConcreteModel()
    m.x, m.y, m.z = pyo.Var(bounds=(2, 5)), pyo.Var(), pyo.Var(domain=pyo.NonPositiveReals, bounds=(None, -3))
    m.objective = pyo.Objective(expr=m.x**2 + m.y**2 + m.z**2)
    solve(m, solver_options={"max_iter": 0, "bound_push": 1e-12, "bound_frac": 1e-12}, iteration_limit=0,
          raise_exception_on_nonoptimal_result=False)  # fmt: skip
    assert (m.x.value, m.y.value, m.z.value) == pytest.approx((2, 0, -3), abs=1e-6)


def test_range_constraint_at_both_ends():
    m = pyo.ConcreteModel()
    m.x, m.y = pyo.Var(initialize=0), pyo.Var(initialize=0)
    m.range = pyo.Constraint(expr=pyo.inequality(-1, m.x + m.y**2 + 1, 2))
    m.y.fix(0.5)
    m.objective = pyo.Objective(expr=m.x)
    solve(m)
    assert m.x.value == pytest.approx(-2.25)
    m.objective.sense = pyo.maximize
    solve(m)
    assert m.x.value == pytest.approx(0.75)


def test_conditions_and_extremes():
    m = pyo.ConcreteModel()
    m.x = pyo.Var(initialize=-1.0, bounds=(-3, 3))
    m.objective = pyo.Objective(
        expr=pyo.Expr_if(m.x >= 0.5, pyo.log(m.x) + 5, (m.x + 2) ** 2) + pyo.Expr_if(1 > 0, 1, m.x)
    )
    result = solve(m)  # the logarithm of the branch not taken spoils neither value nor derivative
    assert m.x.value == pytest.approx(-2)
    assert result.incumbent_objective == pytest.approx(1)


def test_deep_chain_of_named_expressions():
    """Single shooting: 3000 nested Expressions, each used three times by the next one."""
    m = pyo.ConcreteModel()
    m.u = pyo.Var(initialize=0.2, bounds=(-3, 3))
    m.t = pyo.Expression(range(3001))
    m.v = pyo.Expression(range(3001))
    m.t[0], m.v[0] = m.u, m.u
    for k in range(3000):
        m.t[k + 1] = m.t[k] + 1e-3 * m.u
        m.v[k + 1] = m.v[k] + 1e-3 * (m.u - m.v[k] * m.v[k])
    m.objective = pyo.Objective(expr=(m.v[3000] - 0.7) ** 2)
    m.time = pyo.Constraint(expr=m.t[3000] <= 12)
    solve(m)
    u = v = m.u.value  # Pyomo itself would evaluate the tree, 2**3000 nodes
    for _ in range(3000):
        v += 1e-3 * (u - v * v)
    assert v == pytest.approx(0.7, abs=1e-4)


def test_differential_equations_must_be_discretized():
    """Else their derivatives are free variables, and x' = -x ends anywhere; discretized, it ends at 1/e."""
    model = pyo.ConcreteModel()
    model.t = ContinuousSet(bounds=(0, 1))
    model.x = pyo.Var(model.t)
    model.rate = DerivativeVar(model.x, wrt=model.t)
    model.decay = pyo.Constraint(model.t, rule=lambda m, t: m.rate[t] == -m.x[t])
    model.x[0].fix(1.0)
    model.end = pyo.Objective(expr=model.x[1] ** 2)
    with pytest.raises(UnsupportedModelError, match="DerivativeVar 'rate' is not discretised"):
        solve(model)
    pyo.TransformationFactory("dae.collocation").apply_to(model, nfe=3, ncp=3)
    solve(model)
    assert model.x[1].value == pytest.approx(math.exp(-1), abs=1e-5)


def test_integer_variables_are_refused_by_name():
    m = hs071()
    m.n = pyo.Var(domain=pyo.Binary)
    solve(m)  # not in use
    m.rule = pyo.Constraint(expr=m.n + m.x[1] <= 4)
    with pytest.raises(UnsupportedModelError, match="Var 'n' has the domain Binary"):
        solve(m)
    m.n.fix(1)
    solve(m)


class Foreign(ExternalGreyBoxModel):
    """A grey box that is no CasADi function."""

    def input_names(self):
        return ["x"]


def _two_objectives(m):
    m.second = pyo.Objective(expr=m.x[1])


def _special_ordered_set(m):
    m.sos = pyo.SOSConstraint(var=m.x, sos=1)


def _foreign_grey_box(m):
    m.box = ExternalGreyBoxBlock()
    m.box.set_external_model(Foreign(), inputs=[m.x[1]])


def _missing_value(m):
    m.k = pyo.Param(mutable=True)
    m.rule = pyo.Constraint(expr=m.k * m.x[1] <= 4)


def _division_by_zero(m):
    m.k = pyo.Param(mutable=True, initialize=0)
    m.rule = pyo.Constraint(expr=m.x[1] / m.k + m.x[2] ** 2 <= 4)


def _division_by_fixed_zero(m):
    m.y = pyo.Var(initialize=0)
    m.y.fix()
    m.rule = pyo.Constraint(expr=(m.x[3] + m.x[2] ** 2) / m.y <= 4)


def _complex_constant(m):
    m.x[1].fix(-2.0)
    m.rule = pyo.Constraint(expr=m.x[2] ** 2 + m.x[1] ** 0.5 <= 4)


def _external_function(m):
    m.f = pyo.ExternalFunction(lambda x: x)
    m.rule = pyo.Constraint(expr=m.f(m.x[1]) <= 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_two_objectives, r"2 active objectives \(objective, second\)"),
        (_special_ordered_set, "SOSConstraint 'sos'"),
        (_foreign_grey_box, "Grey box 'box' holds a Foreign"),
        (_missing_value, "Constraint 'rule': 'k' is constant but has no value"),
        (_division_by_zero, "Constraint 'rule': The constant expression .*k.* division by zero"),
        (_division_by_fixed_zero, "Constraint 'rule': .* divides by zero"),
        (_complex_constant, "Constraint 'rule': The constant expression .* has no real value"),
        (_external_function, "Constraint 'rule': ExternalFunctionExpression"),
    ],
)
def test_refusals_say_where(change, message):
    m = hs071()
    change(m)
    with pytest.raises(UnsupportedModelError, match=message):
        solve(m)


def test_iteration_callback_reports_and_stops():
    seen = []
    solve(hs071(pyo.maximize), iteration_callback=seen.append)
    assert [one.number for one in seen] == list(range(len(seen)))
    assert seen[-1].objective == pytest.approx(-17.0140171, abs=1e-5)
    assert seen[0].infeasibility > 1 > 1e-6 > seen[-1].infeasibility
    result = solve(hs071(), iteration_callback=lambda one: one.number == 3, raise_exception_on_nonoptimal_result=False)
    assert result.termination_condition == TerminationCondition.interrupted
    assert result.extra_info.iteration_count == 3


def test_error_in_the_callback_comes_through():
    def fail(iteration):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        solve(hs071(), iteration_callback=fail)


def test_control_c_keeps_the_last_iterate():
    m, seen, before = hs071(), [], signal.getsignal(signal.SIGINT)

    def interrupt(iteration):
        seen.append(iteration)
        if iteration.number == 4:
            os.kill(os.getpid(), signal.SIGINT)

    result = solve(m, iteration_callback=interrupt, raise_exception_on_nonoptimal_result=False)
    assert result.termination_condition == TerminationCondition.interrupted
    assert len(seen) <= 6
    assert pyo.value(m.objective) == pytest.approx(seen[-1].objective, rel=1e-9)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(NotOptimalError, match="User_Requested_Stop"):
        solve(m, iteration_callback=lambda iteration: os.kill(os.getpid(), signal.SIGINT))


def test_warm_start_takes_multipliers():
    m = hs071()
    m.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT_EXPORT)
    m.ipopt_zL_out = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    m.ipopt_zU_out = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    m.ipopt_zL_in = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    m.ipopt_zU_in = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    cold = solve(m)
    m.ipopt_zL_in.update(m.ipopt_zL_out)
    m.ipopt_zU_in.update(m.ipopt_zU_out)
    warm = solve(
        m,
        solver_options={
            "warm_start_init_point": "yes",
            "mu_init": 1e-9,
            **{
                f"warm_start_{name}": 1e-9
                for name in ("bound_push", "bound_frac", "mult_bound_push", "slack_bound_push")
            },
        },
    )
    assert warm.extra_info.iteration_count <= 2 < cold.extra_info.iteration_count
    assert m.dual[m.sphere] == pytest.approx(-0.161468, abs=1e-5)


def test_values_are_finite_after_failure():
    m = undefined()
    result = solve(m, raise_exception_on_nonoptimal_result=False)
    assert result.solution_status != SolutionStatus.optimal
    assert math.isfinite(m.x.value)
