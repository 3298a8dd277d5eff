"""Maps over threads: the same digits as copy by copy, however many there are."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pytest
from pyomo.contrib.solver.common.factory import SolverFactory

from arms.pendulum import values, with_greybox
from flexblocks.optim.casadi_solver.greyboxes import threads


@pytest.fixture(params=[2, 3, 8])
def cores(request, monkeypatch) -> int:
    """So many processors, and no work too small for them."""
    monkeypatch.setattr(threads, "cores", lambda: request.param)
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    return request.param


def test_copies_side_by_side_have_the_values_of_each(cores):
    w, p = ca.SX.sym("w", 3), ca.SX.sym("p")
    function = ca.Function("f", [w, p], [ca.vertcat(ca.sin(w) * p, ca.exp(-w[0]) / w[1])])
    data = np.random.default_rng(1).uniform(0.5, 2.0, (3, 7)), np.linspace(1.0, 2.0, 7)[None]
    mapped = threads.mapped_function(function, 7)
    assert "thread" in str(mapped.get_function()) + mapped.class_name().lower()
    one_by_one = [np.asarray(function(data[0][:, k], data[1][:, k])) for k in range(7)]
    np.testing.assert_array_equal(mapped(*data), np.hstack(one_by_one))


def test_a_solve_takes_the_same_steps(cores, monkeypatch):
    iterates = []
    for number in (cores, 1):
        monkeypatch.setattr(threads, "cores", lambda number=number: number)
        m = with_greybox()
        m.objective = pyo.Objective(expr=m.dynamics.outputs["cost"])
        count = SolverFactory("casadi").solve(m).extra_info.iteration_count
        iterates.append((count, *values(m)))
    np.testing.assert_array_equal(*iterates)


def test_little_work_and_python_stay_in_one_thread(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 4)
    x = ca.SX.sym("x")
    small = ca.Function("small", [x], [x**2])
    assert threads.mapped_function(small, 8).class_name() == "Map"
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    y = ca.MX.sym("y")  # might call a function written in Python, which has one lock
    assert threads.mapped_function(ca.Function("maybe_python", [y], [y**2]), 8).class_name() == "Map"
    assert threads.mapped_function(small, 8).class_name() == "ThreadMap"
