"""The suffix scaling_factor: IPOPT works on the scaled program, the user sees the model."""

import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
import pytest
from pyomo.contrib.solver.common.factory import SolverFactory

from flexblocks.optim.casadi_solver import SolverOptionError
from oracles.textbook_programs import hs071

OPTIONS = {"tol": 1e-10, "bound_relax_factor": 0.0, "nlp_scaling_method": "none"}


def with_suffixes(m):
    for name in ("dual", "rc", "ipopt_zL_out", "ipopt_zU_out"):
        setattr(m, name, pyo.Suffix(direction=pyo.Suffix.IMPORT))
    return m


def scaled(m):
    m.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    m.scaling_factor[m.x[1]], m.scaling_factor[m.x[2]] = 10.0, 0.2
    m.scaling_factor[m.product], m.scaling_factor[m.sphere] = 0.04, 3.0
    m.scaling_factor[m.objective] = 7.0
    return m


def everything(m):
    found = {f"{suffix.name} {part.name}": number for suffix in m.component_objects(pyo.Suffix, active=True)
             if suffix.import_enabled() for part, number in suffix.items()}  # fmt: skip
    return found | {var.name: var.value for var in m.x.values()} | {"objective": pyo.value(m.objective)}


@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
def test_the_answer_is_that_of_the_model(sense):
    plain, other = with_suffixes(hs071(sense)), scaled(with_suffixes(hs071(sense)))
    for m in (plain, other):
        result = SolverFactory("casadi").solve(m, solver_options=OPTIONS)
    assert result.incumbent_objective == pytest.approx(pyo.value(other.objective), abs=1e-8)
    assert everything(other) == pytest.approx(everything(plain), abs=1e-6)


def badly_scaled():
    """min (1e6 a)^2 + (1e-6 b - 1)^4 subject to 1e6 a + 1e-6 b = 2, with a near 1e-6 and b near 1e6."""
    m = with_suffixes(pyo.ConcreteModel("badly scaled"))
    m.x = pyo.Var(["a", "b"], initialize=0.0)
    m.objective = pyo.Objective(expr=1e8 * ((1e6 * m.x["a"]) ** 2 + (1e-6 * m.x["b"] - 1) ** 4))
    m.rule = pyo.Constraint(expr=1e6 * m.x["a"] + 1e-6 * m.x["b"] == 2)
    return m


def test_factors_reach_ipopt():
    """One unit of infeasibility, objective and step is what the factors make of it, in IPOPT's log."""
    m = badly_scaled()
    m.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    m.scaling_factor[m.x["a"]], m.scaling_factor[m.x["b"]] = 1e6, 1e-6
    m.scaling_factor[m.objective] = 1e-8
    seen = []
    log = SolverFactory("casadi").solve(m, solver_options=OPTIONS, tee=True, iteration_callback=seen.append).solver_log
    first = next(line for line in log.splitlines() if line.startswith("   0 "))
    assert float(first.split()[1]) == pytest.approx(1.0)  # (0 - 1)^4, not 1e8
    assert float(first.split()[2]) == pytest.approx(2.0)
    assert seen[0].objective == pytest.approx(1e8)  # the callback reports the model
    assert seen[0].infeasibility == pytest.approx(2.0)
    a, b = 1e6 * m.x["a"].value, 1e-6 * m.x["b"].value
    assert a + b == pytest.approx(2.0, abs=1e-9)
    assert 2 * a == pytest.approx(4 * (b - 1) ** 3, abs=1e-6)
    assert m.dual[m.rule] == pytest.approx(1e8 * 2 * a, rel=1e-6)


def test_factors_of_blocks_and_of_all():
    """A factor for a container holds for its members, one for None for all else; inner blocks come first."""
    m = pyo.ConcreteModel()
    m.b = pyo.Block()
    m.b.x, m.y = pyo.Var([1, 2], initialize=1.0), pyo.Var(initialize=1.0)
    m.objective = pyo.Objective(expr=m.b.x[1] ** 2 + m.b.x[2] ** 2 + m.y**2)
    m.rule = pyo.Constraint(expr=m.b.x[1] + 2 * m.b.x[2] + m.y == 3)
    m.scaling_factor, m.b.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT), pyo.Suffix()
    m.scaling_factor[None] = 2.0
    m.b.scaling_factor[m.b.x] = 5.0
    log = SolverFactory("casadi").solve(m, solver_options=OPTIONS, tee=True).solver_log
    first = next(line for line in log.splitlines() if line.startswith("   0 "))
    assert [float(number) for number in first.split()[1:3]] == pytest.approx([6.0, 2.0])
    assert [m.b.x[1].value, m.b.x[2].value, m.y.value] == pytest.approx([0.5, 1.0, 0.5], abs=1e-8)


def test_new_factors_count_at_the_next_solve():
    solver, m = SolverFactory("casadi"), scaled(with_suffixes(hs071()))
    solver.solve(m, solver_options=OPTIONS)
    before = everything(m)
    m.scaling_factor[m.objective] = 100.0
    for i, start in enumerate((1, 5, 5, 1), 1):
        m.x[i].value = start
    result = solver.solve(m, solver_options=OPTIONS, tee=True)
    first = next(line for line in result.solver_log.splitlines() if line.startswith("   0 "))
    assert float(first.split()[1]) == pytest.approx(100 * 16.1, rel=0.02)
    assert everything(m) == pytest.approx(before, abs=1e-6)


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_factor_that_is_none(factor):
    m = scaled(hs071())
    m.scaling_factor[m.x[3]] = factor
    with pytest.raises(SolverOptionError, match=r"scaling_factor of 'x\[3\]' is"):
        SolverFactory("casadi").solve(m)


def test_inactive_or_local_suffix_does_not_scale():
    """IPOPT's log starts with the objective of the model, and a factor of 0 is not looked at."""
    for off in ("local", "inactive"):
        m = scaled(hs071())
        m.scaling_factor[m.x[3]] = 0.0
        if off == "local":
            m.scaling_factor.direction = pyo.Suffix.LOCAL
        else:
            m.scaling_factor.deactivate()
        log = SolverFactory("casadi").solve(m, solver_options=OPTIONS, tee=True).solver_log
        first = next(line for line in log.splitlines() if line.startswith("   0 "))
        assert float(first.split()[1]) == pytest.approx(16.1, rel=0.02)
        assert pyo.value(m.objective) == pytest.approx(17.0140173, abs=1e-6)


def test_user_scaling_is_the_suffix_alone():
    """IPOPT's name for what other interfaces need as an option; without it, IPOPT scales the program in addition."""
    found = []
    for method in ("user-scaling", "none", "gradient-based"):
        m = badly_scaled()
        m.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
        m.scaling_factor[m.x["a"]], m.scaling_factor[m.x["b"]] = 1e6, 1e-6
        m.scaling_factor[m.objective] = 1e-4
        seen = []
        options = OPTIONS | {"nlp_scaling_method": method}
        SolverFactory("casadi").solve(m, solver_options=options, iteration_callback=seen.append)
        found.append([iteration.objective for iteration in seen])
    assert found[0] == found[1] != found[2]
