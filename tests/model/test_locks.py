"""Locked coordinates: the dynamics and the holding forces of the arm that has them free."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.linkages import FourBar
from arms.random_arms import arms
from flexblocks import models, optim
from flexblocks.errors import NameUnknownError, ParameterError

GOAL = {"joint2.angle": 1.0}


def output(dae: fb.DAE, name: str, x: np.ndarray, u: np.ndarray) -> float:
    return float(dae.output(x, u, [])[dae.y.index(name)])


@settings(max_examples=4)
@given(arms(links=3), st.data(), st.integers(0, 2**32 - 1))
def test_locked_arm_moves_as_the_free_one_that_is_held(arm, data, seed):
    """Partition of M a + h = Q: what is locked has no acceleration, and takes the rest of its equation."""
    free = fb.assemble(arm.model)
    n = free.tree.size
    q, v, _, u = arm.random_state(free, seed)
    chosen = data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=3))
    held, moving = sorted(chosen), [i for i in range(n) if i not in chosen]
    v[held] = 0.0
    names = [free.q_names[i] for i in held]
    locked = fb.assemble(arm.model, locked=dict(zip(names, q[held], strict=True)))
    assert locked.q_names == tuple(free.q_names[i] for i in moving)
    M = free.mass_matrix(q, []).full()
    rest = (free.input_force(np.r_[q, v], u, []) - free.inverse_dynamics(q, v, 0 * v, [])).full().ravel()
    a = np.zeros(n)
    a[moving] = np.linalg.solve(M[np.ix_(moving, moving)], rest[moving])
    x = np.r_[q[moving], v[moving]]
    scale = np.abs(a).max(initial=1.0)
    np.testing.assert_allclose(
        locked.forward_dynamics(x, u, []).full().ravel()[len(moving) :], a[moving], atol=1e-9 * scale
    )
    forces = M @ a - rest
    told = [name for name in locked.y.names if ".holding_" in name]
    assert len(told) == len(held)
    by_lock = {lock.effort[0]: f"{lock.block}.{lock.coordinate}" for lock in locked.tree.locks}
    for name in told:
        i = names.index(by_lock[name])
        assert output(locked, name, x, u) == pytest.approx(forces[held[i]], abs=1e-9 * np.abs(forces).max(initial=1.0))
        assert locked.y.units[locked.y.index(name)] == {"rad": "N m", "m": "N"}[free.x.units[held[i]]]


def test_locked_joint_of_the_demo_arm_by_name():
    model = models.subudhi_morris_2002()
    dae = fb.assemble(model, locked={"joint1.angle": 0.3})
    assert "joint1.angle" not in dae.x.names
    assert dict(dae.locked) == {"joint1.angle": 0.3}
    # The first link is a cantilever at this angle: turned by it, the payload is where it is at angle zero.
    start = dae.output(dae.x.start, [0, 0], []).full().ravel()
    tip = [start[dae.y.index(f"payload.{axis}")] for axis in "xy"]
    np.testing.assert_allclose(tip, [np.cos(0.3), np.sin(0.3)], atol=1e-12)
    # What holds a shaft on a spring is the spring's torque.
    x = dae.x.values({"rotor1.angle": 0.31})
    assert output(dae, "joint1.holding_torque", x, [0, 0]) == pytest.approx(-100.0 * 0.01, rel=1e-9)


def test_lock_of_a_shared_coordinate_holds_all_that_turns_with_it():
    """A geared rotor straight on a joint: the brake on the joint feels the motor's torque, geared."""
    model = fb.Model("geared")
    for block in (
        fb.Ground("ground"),
        fb.TorqueSource("motor"),
        fb.Gear("gear", ratio=50.0),
        fb.Rotor("rotor", inertia=1e-4),
        fb.Revolute("joint"),
        fb.RigidLink("link", length=1.0, mass=2.0),
    ):
        model.add(block)
    model.connect("motor.flange_b", "rotor.flange_a")
    model.connect("rotor.flange_b", "gear.flange_a")
    model.connect("gear.flange_b", "joint.axis")
    model.connect("ground.frame_b", "joint.frame_a")
    model.connect("joint.frame_b", "link.frame_a")
    dae = fb.assemble(model, locked={"joint.angle": -0.7})
    assert dae.tree.size == 0
    assert output(dae, "joint.holding_torque", np.zeros(0), [0.2]) == pytest.approx(-10.0, rel=1e-12)


def test_locked_crank_of_a_four_bar_is_a_structure():
    """The coupler bends; the multipliers and the brake carry the weight, as the motor does in equilibrium."""
    model = FourBar(rigidity=50.0).model()
    free = fb.assemble(model)
    crank = free.q_names[0]
    angle = float(free.x.start[0])
    point = fb.equilibrium(free, {crank: angle})
    locked = fb.assemble(model, locked={crank: angle})
    still = fb.equilibrium(locked, u={"motor.torque": 0.0})
    np.testing.assert_allclose(still.x[: locked.tree.size], point.x[1 : free.tree.size], atol=1e-8)
    held = output(locked, f"{crank.partition('.')[0]}.holding_torque", still.x, still.u)
    assert abs(held) > 0.1
    assert held == pytest.approx(point.u[0], rel=1e-6)


def test_a_lock_keeps_the_shapes_of_beams():
    """Modes come from the reference configuration, locked or not, so that the two arms stay comparable."""
    model = models.subudhi_morris_2002()
    free, locked = fb.assemble(model), fb.assemble(model, locked={"joint2.angle": 1.2})
    held = fb.equilibrium(free, {"joint2.angle": 1.2})
    kept = [i for i, name in enumerate(free.q_names) if name != "joint2.angle"]
    n = free.tree.size
    M = free.mass_matrix(held.x[:n], []).full()[np.ix_(kept, kept)]
    np.testing.assert_allclose(locked.mass_matrix(held.x[kept], []).full(), M, atol=1e-12)


@pytest.mark.slow
def test_plans_with_a_lock_are_saved_and_audited(tmp_path):
    dae = fb.assemble(models.subudhi_morris_2002(), locked={"joint1.angle": 0.0, "rotor1.angle": 0.0})
    plan = optim.plan(dae, optim.RestToRest(start={"joint2.angle": 0.0}, goal=GOAL, duration=2.0), intervals=20)
    assert plan.trajectory["joint2.angle"][-1] == pytest.approx(1.0)
    assert np.ptp(plan.trajectory["joint1.holding_torque"]) > 0.01
    plan.save(tmp_path / "plan.nc")
    again = fb.load(tmp_path / "plan.nc")
    assert dict(again.transcribed.dae.locked) == dict(dae.locked)
    np.testing.assert_array_equal(again.trajectory.x, plan.trajectory.x)


@pytest.mark.parametrize(
    ("locked", "kind", "message"),
    [
        ({"joint1.angel": 0.3}, NameUnknownError, "no coordinate 'joint1.angel'.*Did you mean joint1.angle"),
        ({"joint1.angle": float("nan")}, ParameterError, "joint1.angle = nan; must be a finite number"),
        ({"joint1.angle": "0.3"}, ParameterError, "joint1.angle = '0.3'; must be a finite number"),
        ("joint1.angle", ParameterError, "locked = 'joint1.angle'; must be a dict"),
        ({"der(joint1.angle)": 0.0}, NameUnknownError, "no coordinate"),
    ],
)
def test_refusals(locked, kind, message):
    with pytest.raises(kind, match=message):
        fb.assemble(models.subudhi_morris_2002(), locked=locked)


def test_a_slide_is_not_locked_beyond_its_range():
    model = models.theodore_ghosal_1995("RP")
    slide = next(name for name in fb.assemble(model).q_names if name.endswith("displacement"))
    with pytest.raises(ParameterError, match="must be within"):
        fb.assemble(model, locked={slide: -5.0})
