"""Warm starts that follow the last solution by Newton's method: IPOPT only tests them, or does the work as before."""

import casadi as ca
import numpy as np
import pyomo.environ as pyo
import pytest
from pyomo.contrib.solver.common.factory import SolverFactory

from arms.library import subudhi_morris
from flexblocks import optim
from flexblocks.optim.casadi_solver.ipopt.kkt import KktSystem


def projection():
    """The point of the unit circle, at most as high as a roof, that is nearest to (a, b)."""
    m = pyo.ConcreteModel()
    m.a, m.b = pyo.Param(initialize=2.0, mutable=True), pyo.Param(initialize=1.0, mutable=True)
    m.roof = pyo.Param(initialize=0.9, mutable=True)
    m.x, m.y = pyo.Var(initialize=0.8), pyo.Var(initialize=0.4)
    m.circle = pyo.Constraint(expr=m.x**2 + m.y**2 == 1)
    m.low = pyo.Constraint(expr=m.y <= m.roof)
    m.distance = pyo.Objective(expr=(m.x - m.a) ** 2 + (m.y - m.b) ** 2)
    m.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    return m


def solved(m, **options):
    solver = SolverFactory("casadi_persistent")
    solver.solve(m, **options)
    return solver


def again(solver, m, **options):
    result = solver.solve(m, warm_start=True, **options)
    assert result.extra_info.rebuilt is None
    return result.extra_info


def nearest(a, b):
    """The nearest point without a roof, and the multiplier of the circle."""
    r = np.hypot(a, b)
    return a / r, b / r, r - 1


def test_a_moved_parameter_is_followed_and_ipopt_only_tests():
    m = projection()
    solver = solved(m)
    for a, b in ((2.1, 1.05), (1.9, 1.2), (2.3, 0.9)):
        m.a, m.b = a, b
        info = again(solver, m)
        assert info.iteration_count == 0
        assert info.newton_steps > 0
        x, y, multiplier = nearest(a, b)
        assert (m.x.value, m.y.value) == pytest.approx((x, y), abs=1e-7)
        assert abs(m.dual[m.circle]) == pytest.approx(multiplier, abs=1e-6)


def test_without_prediction_ipopt_does_the_work():
    m = projection()
    solver = solved(m)
    m.a = 2.1
    info = again(solver, m, predict=False)
    assert info.iteration_count > 0
    assert info.newton_steps == 0
    assert (m.x.value, m.y.value) == pytest.approx(nearest(2.1, 1.0)[:2], abs=1e-7)


def test_a_bound_that_holds_is_followed_when_it_moves():
    m = projection()
    m.roof = 0.3
    solver = solved(m)
    m.roof = 0.25
    info = again(solver, m)
    assert info.newton_steps > 0
    assert m.y.value == pytest.approx(0.25, abs=1e-7)
    # d distance / d roof = -2 (b - y) - d/dy of the circle's part: with x = sqrt(1 - y^2), 2 (y - b) - 2 (x - a) y / x.
    x = np.sqrt(1 - 0.25**2)
    assert m.dual[m.low] == pytest.approx(2 * (0.25 - 1.0) - 2 * (x - 2.0) * 0.25 / x, rel=1e-5)


@pytest.mark.parametrize(("before", "after"), [(0.9, 0.3), (0.3, 0.9)], ids=["taken up", "left"])
def test_where_other_bounds_hold_ipopt_does_the_work(before, after):
    m = projection()
    m.roof = before
    solver = solved(m)
    m.roof = after
    info = again(solver, m)
    assert info.iteration_count > 0
    assert info.newton_steps == 0
    assert m.y.value == pytest.approx(min(after, nearest(2.0, 1.0)[1]), abs=1e-7)


def test_scaling_factors_change_nothing():
    m = projection()
    m.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    m.scaling_factor[m.x], m.scaling_factor[m.circle], m.scaling_factor[m.distance] = 30.0, 0.2, 7.0
    solver = solved(m)
    m.a, m.b = 2.02, 1.02
    info = again(solver, m)
    assert info.iteration_count == 0
    assert info.newton_steps > 0
    x, y, multiplier = nearest(2.02, 1.02)
    assert (m.x.value, m.y.value) == pytest.approx((x, y), abs=1e-7)
    assert abs(m.dual[m.circle]) == pytest.approx(multiplier, abs=1e-6)


def test_a_far_jump_ends_where_a_cold_start_does():
    m = projection()
    solver = solved(m)
    m.a, m.b = -2.0, -1.3  # the point farthest from there fulfils the optimality conditions too, and is much nearer
    assert again(solver, m).newton_steps == 0
    assert (m.x.value, m.y.value) == pytest.approx(nearest(-2.0, -1.3)[:2], abs=1e-7)


@pytest.mark.parametrize("prepared", [False, True])
def test_what_is_prepared_is_not_done_again(prepared):
    m = projection()
    solver = SolverFactory("casadi_persistent")
    solver.prepare()  # nothing yet
    assert solver.solve(m).extra_info.factorizations == 0
    if prepared:
        solver.prepare()
    m.a = 2.05
    info = again(solver, m)
    assert info.newton_steps > 0
    assert info.factorizations == (0 if prepared else 1)
    m.a = 2.1
    assert again(solver, m).factorizations == 0


def test_where_bounds_come_and_go_nothing_is_tried_until_they_stay():
    m = projection()
    solver = solved(m)
    followed, made = [], 0
    for roof in (0.3, 0.9, 0.31, 0.92, 0.93, 0.94):  # the nearest point is at 0.447
        m.roof, m.a = roof, m.a.value + 0.01
        info = again(solver, m)
        followed.append(info.newton_steps > 0)
        made += info.factorizations
        assert m.y.value == pytest.approx(min(roof, nearest(m.a.value, 1.0)[1]), abs=1e-7)
    assert followed == [False, False, False, False, False, True]
    assert made == 1


@pytest.mark.parametrize("neighbours", ["next", pytest.param("any", marks=pytest.mark.slow)])
def test_a_matrix_without_a_band_is_left_to_ipopt(neighbours):
    """4000 numbers, each drawn to k/4000 and to four others: the next ones, or four drawn by lot."""
    n, rng = 4000, np.random.default_rng(0)
    m = pyo.ConcreteModel()
    m.shift = pyo.Param(initialize=0.0, mutable=True)
    m.x = pyo.Var(range(n), initialize=0.0)
    others = [
        range(k + 1, min(k + 5, n)) if neighbours == "next" else map(int, rng.integers(0, n, 4)) for k in range(n)
    ]
    links = [(m.x[k] - m.x[other]) ** 2 for k, row in enumerate(others) for other in row if other != k]
    m.objective = pyo.Objective(expr=sum((m.x[k] - k / n - m.shift) ** 2 for k in range(n)) + sum(links))
    solver = solved(m)
    mean = np.mean([m.x[k].value for k in range(n)])
    m.shift = 0.5
    info = again(solver, m)
    assert (info.newton_steps > 0) == (neighbours == "next")
    assert (info.iteration_count > 0) == (neighbours == "any")
    assert np.mean([m.x[k].value for k in range(n)]) == pytest.approx(mean + 0.5, abs=1e-7)


def test_nothing_new_takes_no_step():
    m = projection()
    solver = solved(m)
    assert again(solver, m).newton_steps == 0


@pytest.mark.parametrize("compiled", [False, True])
def test_a_plan_with_a_moved_goal(compiled):
    def model(shoulder):
        problem = optim.RestToRest(
            start={"joint1.angle": 0.0, "joint2.angle": 0.0},
            goal={"joint1.angle": shoulder, "joint2.angle": 0.4},
            duration=1.5,
            limits={"motor1.torque": 4.0, "motor2.torque": 2.0},
        )
        return optim.pyomo_model(dae, problem, intervals=15)

    dae = subudhi_morris(modes=1)
    m = model(0.8)
    solver = SolverFactory("casadi_persistent", compile=compiled)
    solver.solve(m)
    for name in ("joint1.angle", "rotor1.angle"):
        m.q[15, name].fix(0.85)
    result = solver.solve(m, warm_start=True)
    assert result.extra_info.rebuilt is None
    assert result.extra_info.iteration_count == 0
    assert result.extra_info.newton_steps > 0
    cold = model(0.85)
    SolverFactory("casadi").solve(cold)
    assert pyo.value(m.objective) == pytest.approx(pyo.value(cold.objective), abs=1e-9)
    moved = [m.u[k, "motor1.torque"].value for k in m.input_mesh]
    assert moved == pytest.approx([cold.u[k, "motor1.torque"].value for k in m.input_mesh], abs=1e-6)


def kkt(n, coupled):
    """Return H and J of a chain of variables, x[k+1] - x[k] given, and one variable coupled to all or to the first."""
    H = ca.DM.eye(n + 1)
    if coupled:
        H[:, n] = 0.01
        H[n, n] = 1.0
    J = ca.DM(n - 1, n + 1)
    for k in range(n - 1):
        J[k, k], J[k, k + 1] = -1.0, 1.0
    return ca.triu(H), J


@pytest.mark.parametrize("coupled", [False, True])
def test_what_is_solved_is_the_system_of_what_is_in_play(coupled):
    H, J = kkt(12, coupled)
    in_play = np.ones(13 + 11, dtype=bool)
    in_play[[2, 7, 15]] = False
    solve = KktSystem(H.sparsity(), J.sparsity()).factored(np.array(H.nonzeros()), np.array(J.nonzeros()), in_play)
    full = np.array(ca.blockcat([[H + H.T - ca.diag(ca.diag(H)), J.T], [J, ca.DM(11, 11)]]))
    right = np.sin(1.0 + np.arange(24))
    found = solve(right)
    assert not found[~in_play].any()
    expected = np.linalg.solve(full[np.ix_(in_play, in_play)], right[in_play])
    assert found[in_play] == pytest.approx(expected, abs=1e-12)


def test_a_variable_that_is_coupled_to_everything_does_not_fill_the_factors():
    """As a pivot it would make a full matrix of 4000 rows, which is refused as too much work."""
    H, J = kkt(2000, coupled=True)
    in_play = np.ones(4000, dtype=bool)
    solve = KktSystem(H.sparsity(), J.sparsity()).factored(np.array(H.nonzeros()), np.array(J.nonzeros()), in_play)
    right = np.sin(1.0 + np.arange(4000))
    x, multipliers = np.split(solve(right), [2001])
    full = ca.triu2symm(H)
    assert np.array(full @ x + J.T @ multipliers).ravel() == pytest.approx(right[:2001], abs=1e-9)
    assert np.array(J @ x).ravel() == pytest.approx(right[2001:], abs=1e-9)
