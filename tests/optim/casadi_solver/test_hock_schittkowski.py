"""SolverFactory("casadi") on problems of Hock and Schittkowski: published optima, and pyomo-pounce as well."""

import pyomo.environ as pyo
import pyomo_pounce  # noqa: F401  (registers the solver)
import pytest

from flexblocks import optim  # noqa: F401  (registers the solver)
from oracles.hock_schittkowski import PROBLEMS

OPTIONS = {"tol": 1e-10, "bound_relax_factor": 0.0}


def solved(problem, solver):
    m = problem.model()
    m.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    m.ipopt_zL_out, m.ipopt_zU_out = (pyo.Suffix(direction=pyo.Suffix.IMPORT) for _ in range(2))
    result = pyo.SolverFactory(solver).solve(m, options=OPTIONS)
    assert pyo.check_optimal_termination(result)
    return m


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: f"HS{problem.number}")
def test_problem(problem):
    ours, theirs = solved(problem, "casadi"), solved(problem, "pounce")
    assert pyo.value(ours.f) == pytest.approx(problem.f, rel=1e-6, abs=1e-6)
    for i, x in enumerate(problem.x, 1):
        assert ours.x[i].value == pytest.approx(x, abs=2e-6 * max(1, abs(x)))  # the book prints seven digits of some
    assert pyo.value(ours.f) == pytest.approx(pyo.value(theirs.f), abs=1e-6)
    for i in ours.x:
        assert ours.x[i].value == pytest.approx(theirs.x[i].value, abs=1e-6)
        for suffix in ("ipopt_zL_out", "ipopt_zU_out"):
            found, expected = (getattr(m, suffix).get(m.x[i], 0.0) for m in (ours, theirs))
            assert found == pytest.approx(expected, abs=1e-6)
    for i in ours.c:
        assert ours.dual[ours.c[i]] == pytest.approx(theirs.dual[theirs.c[i]], abs=1e-6)


def test_every_kind_is_there():
    """At least twenty problems, among them a maximisation, equations, ranges, bounds and one without constraints."""
    models = [problem.model() for problem in PROBLEMS]
    constraints = [list(m.c.values()) for m in models]
    assert len(models) >= 20
    assert any(m.f.sense == pyo.maximize for m in models)
    assert any(not own for own in constraints)
    assert any(c.equality for own in constraints for c in own)
    assert any(c.has_lb() and c.has_ub() and not c.equality for own in constraints for c in own)
    assert any(m.x[1].has_lb() and m.x[1].has_ub() for m in models)
    degrees = {c.body.polynomial_degree() for own in constraints for c in own}
    assert {1, 2} <= degrees
