"""Loads at rest picked up in motion: momentum that closed loops and driven coordinates share, against closed forms."""

from dataclasses import replace

import numpy as np
import pytest

import flexblocks as fb
from arms.linkages import RIGID, parallelogram
from arms.loads import TIP_INERTIA, add_load
from flexblocks import optim


def impact_plan(dae, name, light, heavy, angles=(0.8, 1.4, 2.4), intervals=20):
    """Return the plan of a motion at 3 rad/s into a load at rest, and the rates before and after."""
    angle, (start, there, goal) = dae.q_names[0], angles
    passing = {angle: there, f"der({angle})": 3.0}
    phases = (
        optim.Phase("reach", None, 0.5, passing=passing, p={name: light}),
        optim.Phase("carry", {angle: goal}, 0.5, p={name: heavy}, pick_up="impact"),
    )
    plan = optim.plan(dae, optim.Problem({angle: start}, phases), intervals=intervals)
    reach, carry = (plan.pyomo_model.phase[name] for name in ("reach", "carry"))
    before, after = (
        np.array([b.v[k, each].value for each in dae.q_names]) for b, k in ((reach, intervals), (carry, 0))
    )
    replay = plan.replay()
    at = int(np.argmin(np.abs(replay.trajectory.t - 0.5)))
    replayed = np.array([replay.trajectory[f"der({each})"][at] for each in dae.q_names])
    np.testing.assert_allclose(replayed, after, atol=2e-4)
    assert replay.tip_miss < 1e-5
    return plan, before, after


@pytest.mark.slow
def test_a_load_picked_up_by_a_closed_loop_slows_all_of_it():
    """A four-bar has one degree of freedom: its inertia there, by hand, times the rate of the crank is kept."""
    dae = fb.assemble(RIGID.model(), symbolic=("rocker.mass",))
    light, heavy = 0.6, 2.4
    plan, before, after = impact_plan(dae, "rocker.mass", light, heavy)
    M_light, M_heavy = (float(replace(RIGID, rocker_mass=mass).lagrange()(1.4, 3.0, 0.0)[3]) for mass in (light, heavy))
    assert before[0] == 3.0
    assert after[0] == pytest.approx(M_light / M_heavy * 3.0, rel=1e-6)
    assert after[0] < 0.7 * 3.0
    # All joints turn as the crank does: none opens the loop.
    np.testing.assert_allclose(after / after[0], before / before[0], rtol=1e-5)
    assert any(abs(impulse.value) > 1e-3 for impulse in plan.pyomo_model.phase["carry"].impulses.values())


def test_closures_that_depend_on_each_other():
    """Three equal cranks under a bar: two loops, of which each alone keeps the bar level."""
    model = parallelogram(cranks=3, gravity=(0.0, 0.0, 0.0))
    motor = model.add(fb.TorqueSource("motor"))
    model.connect(motor.flange_b, "hinge0.axis")
    dae = fb.assemble(model, symbolic=("bar.mass",))
    _, before, after = impact_plan(dae, "bar.mass", 1.0, 3.0, angles=(-2.2, -1.6, -0.9))
    assert {"bar.loop_force_y", "bar.loop_force_y[2]"} <= set(dae.y.names)
    cranks = 3 * 0.3 * 0.2**2 / 3
    assert after[0] == pytest.approx((cranks + 1.0 * 0.2**2) / (cranks + 3.0 * 0.2**2) * 3.0, rel=1e-6)
    np.testing.assert_allclose(after / after[0], before / before[0], rtol=1e-5)


@pytest.mark.slow
def test_a_moving_table_keeps_its_rate_and_pushes_the_load():
    """The load at rest takes angular momentum of the arm about the hinge, and what the table's rate gives it."""
    model = fb.Model("arm on a moving table")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    table, motor = model.add(fb.Prismatic("table", axis=(1, 0, 0))), model.add(fb.TorqueSource("motor"))
    add_load(model, hinge, mass=1.0, inertia=TIP_INERTIA)
    model.connect(ground.frame_b, table.frame_a)
    model.connect(table.frame_b, hinge.frame_a)
    model.connect(motor.flange_b, hinge.axis)
    dae = fb.assemble(model, symbolic=("payload.mass",), prescribed="table.displacement")
    passing = {"hinge.angle": 1.0, "der(hinge.angle)": 2.0}
    phases = (
        optim.Phase("reach", None, 0.5, passing=passing, p={"payload.mass": 0.2}),
        optim.Phase("carry", {"hinge.angle": 1.8}, 0.5, p={"payload.mass": 1.4}, pick_up="impact"),
    )
    start = {"hinge.angle": 0.0}
    problem = optim.Problem(start, phases, prescribed={"table.displacement": "0.6*time"})
    plan = optim.plan(dae, problem, intervals=10)
    b = plan.pyomo_model.phase["carry"]
    spin = [(TIP_INERTIA + mass * 0.25) for mass in (0.2, 1.4)]
    # Momentum along the turning tip, of whose direction the table's has the share -sin(angle)
    expected = (spin[0] * 2.0 - (0.2 - 1.4) * 0.5 * np.sin(1.0) * 0.6) / spin[1]
    assert b.v[0, "hinge.angle"].value == pytest.approx(expected, rel=1e-7)
    assert b.v[0, "table.displacement"].value == pytest.approx(0.6)
    replay = plan.replay()
    assert replay.trajectory["der(hinge.angle)"][np.searchsorted(replay.trajectory.t, 0.5)] == pytest.approx(
        expected, rel=1e-4
    )
    assert replay.tip_miss < 1e-5
