"""Pyomo's own tests of solvers (pyomo/contrib/solver/tests/solvers/test_solvers.py, part of its wheel) on ours.

The module lists the solvers that it tests. Ours are entered in those lists, but for integer variables and SOS
constraints; everything else stays as it is, and only the tests of ours are collected.
"""

import sys
import types
import unittest
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SUITE = "pyomo.contrib.solver.tests.solvers.test_solvers"
#: What is changed in Pyomo's module, by the text that it replaces. The ends that it grants to IPOPT, such as
#: locallyInfeasible where another solver has to prove infeasibility, it grants to ours, which is IPOPT, too. The legacy
#: interface is called as the new one is: only solvers with an older namesake there are called "_v2".
CHANGES = {
    "def _load_tests(": """from flexblocks.optim.casadi_solver import CasadiSolver

for solvers in (all_solvers, nlp_solvers, qcp_solvers, qp_solvers, dual_solvers):
    solvers += [("casadi", CasadiSolver)]


def _load_tests(""",
    "isinstance(opt, Ipopt)": "isinstance(opt, (Ipopt, CasadiSolver))",
    "pyo.SolverFactory(name + '_v2')": "pyo.SolverFactory(name)",
}
FEWEST_TESTS = 45  # 49 in Pyomo 6.10.1


def suite() -> types.ModuleType:
    """Pyomo's module with our solvers in its lists."""
    spec = find_spec(SUITE)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    for old, new in CHANGES.items():
        assert old in source, f"Pyomo's suite has changed: '{old}' is not in it"
        source = source.replace(old, new)
    module = types.ModuleType("pyomos_own_suite")
    sys.modules[module.__name__] = module
    exec(compile(source, spec.origin, "exec"), vars(module))
    return module


def cases() -> list[unittest.TestCase]:
    """The tests of our solvers."""
    loader = unittest.defaultTestLoader
    everything = [case for group in loader.loadTestsFromModule(suite()) for case in group]
    return [case for case in everything if "casadi" in case.id()]


def test_pyomos_own_suite():
    ours = cases()
    assert len(ours) >= FEWEST_TESTS
    result = unittest.TestResult()
    unittest.TestSuite(ours).run(result)
    assert result.testsRun == len(ours)
    assert not result.skipped
    wrong = [f"{case.id()}\n{trace}" for case, trace in result.failures + result.errors]
    assert not wrong, "\n\n".join(wrong)
