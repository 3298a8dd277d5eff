"""A plan moves actuators; disturbances are zero, known, or moved where a limit names them."""

import math
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.dae.with_inputs import with_inputs

ANGLE, TORQUE = "hinge.angle", "motor.torque"
AXES = tuple(f"wind.force_{axis}" for axis in "xyz")
SWING = {"start": {ANGLE: 0.0}, "goal": {ANGLE: 1.0}}
QUICK = SWING | {"duration": (0.1, 5.0), "objective": "time"}


@cache
def arm(disturbed=True, motor=True, role="disturbance", limit=2.0, gravity=0.0, beam=False):
    model = fb.Model("arm", gravity=(0.0, -gravity, 0.0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    if beam:
        loads = {"load_y": "input"} if disturbed else {}
        rod = fb.FlexibleBeam("rod", 1.0, 3.0, 500.0, discretization=fb.AssumedModes(1), bending="y", **loads)
    else:
        rod = fb.RigidLink("rod", length=1.0, mass=3.0)
    rod = model.add(rod)
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    if motor:
        model.connect(model.add(fb.TorqueSource("motor", limit=limit)).flange_b, hinge.axis)
    if disturbed:
        model.connect(rod.frame_b, model.add(fb.WorldForce("wind", role=role)).frame_a)
    return fb.assemble(model)


def planned(dae, intervals=10, options=None, **task):
    return optim.plan(dae, optim.RestToRest(**task), intervals=intervals, **(options or {}))


def test_the_shortest_time_is_that_of_the_motor():
    plan = planned(arm(), **QUICK)
    assert plan.duration == pytest.approx(math.sqrt(2.0), rel=5e-3)
    assert "wind.force_x" not in plan.pyomo_model.inputs  # no variable of the program
    # The motion is one of the whole arm.
    assert plan.trajectory.names["u"] == (TORQUE, *AXES)
    assert not any(plan.trajectory[name].any() for name in AXES)
    assert not plan.replay().trajectory["wind.force_x"].any()


@pytest.mark.parametrize("ends", ["free", "holding"])
def test_least_effort_is_that_of_the_arm_without_disturbances(ends):
    task = SWING | {"duration": 1.0, "input_ends": ends}
    plans = [planned(arm(there, limit=60.0, gravity=9.81, beam=True), **task) for there in (False, True)]
    assert plans[1].objective == pytest.approx(plans[0].objective, rel=1e-9)
    np.testing.assert_allclose(plans[1].trajectory[TORQUE], plans[0].trajectory[TORQUE], atol=1e-7)
    assert plans[1].attempts[0].iterations == plans[0].attempts[0].iterations


def test_limits_of_nothing_turn_inputs_off():
    assert planned(arm(), limits=dict.fromkeys(AXES, (0, 0)), **QUICK).duration == pytest.approx(
        math.sqrt(2.0), rel=5e-3
    )
    # A thruster that is off is none, and neither is the motor, whose work the other one does.
    both = arm(role="actuator")
    plan = planned(both, limits=dict.fromkeys(AXES, (0, 0)), **QUICK)
    assert plan.duration == pytest.approx(math.sqrt(2.0), rel=5e-3)
    pushed = planned(
        both, limits={TORQUE: (0, 0), "wind.force_x": 3.0, "wind.force_y": 3.0, "wind.force_z": (0, 0)}, **QUICK
    )
    assert not pushed.trajectory[TORQUE].any()
    assert np.abs(pushed.trajectory["wind.force_y"]).max() == pytest.approx(3.0, rel=1e-3)
    assert pushed.replay().tip_miss < 1e-2


def test_an_input_is_off_in_one_phase():
    phases = (
        optim.Phase("pushed", duration=1.0, goal={ANGLE: 0.5}, limits={TORQUE: (0, 0)}),
        optim.Phase("driven", duration=1.0, goal={ANGLE: 1.0}, limits=dict.fromkeys(AXES, (0, 0))),
    )
    problem = optim.Problem({ANGLE: 0.0}, phases, limits=dict.fromkeys(AXES, 50.0) | {TORQUE: 50.0})
    plan = optim.plan(arm(limit=None), problem, intervals=8)
    motion, first = plan.trajectory, plan.trajectory.t < 1.0
    assert not motion[TORQUE][first].any()
    assert np.abs(motion["wind.force_y"][first]).max() > 1.0
    assert not motion["wind.force_y"][~first].any()


def test_a_limit_lets_a_plan_move_a_disturbance():
    """The motor and a force across the rod's end: 2 N m and 1 N on a lever of 1 m turn it as 3 N m do."""
    plan = planned(arm(gravity=0.0), limits={"wind.force_x": 10.0, "wind.force_y": 10.0}, intervals=16, **QUICK)
    assert plan.duration < 0.9 * math.sqrt(2.0)
    assert not plan.trajectory["wind.force_z"].any()
    assert plan.trajectory.dae.u.roles[1:] == ("disturbance",) * 3  # the arm's own, as before


def test_a_known_disturbance_is_felt_from_the_start_to_the_goal():
    dae = arm(limit=60.0, gravity=9.81)
    signal = {"wind.force_y": "10 + 4*sin(3*time)"}
    plan = planned(dae, duration=1.0, input_ends="holding", prescribed=signal, **SWING)
    weight = 3.0 * 9.81 / 2
    assert plan.trajectory[TORQUE][0] == pytest.approx(weight - 10.0, rel=1e-9)
    assert plan.trajectory[TORQUE][-1] == pytest.approx((weight - 10 - 4 * math.sin(3.0)) * math.cos(1.0), rel=1e-6)
    assert plan.trajectory["wind.force_y"][-1] == pytest.approx(10 + 4 * math.sin(3.0), rel=1e-6)
    # Applied by itself, as a function of the time, it brings the arm there.
    u = {TORQUE: plan.inputs[TORQUE], "wind.force_y": lambda t: 10 + 4 * np.sin(3 * t)}
    run = fb.simulate(dae, (0.0, 1.0), u=u)
    assert run[ANGLE][-1] == pytest.approx(1.0, abs=1e-3)
    assert plan.replay().tip_miss < 1e-3


def test_what_is_known_costs_nothing_and_may_be_a_number():
    calm = planned(arm(limit=60.0, gravity=9.81), duration=1.0, **SWING)
    lifted = planned(arm(limit=60.0, gravity=9.81), duration=1.0, prescribed={"wind.force_y": 14.715}, **SWING)
    assert lifted.objective < 0.5 * calm.objective
    # With a number the duration may be free.
    quick = planned(arm(), prescribed={"wind.force_x": 0.0}, **QUICK)
    assert quick.duration == pytest.approx(math.sqrt(2.0), rel=5e-3)


def test_piecewise_constant_inputs_take_the_means_of_what_is_known():
    known = {"wind.force_y": "6*time"}
    objective = optim.Effort(rate_weight=0)
    plan = planned(arm(limit=60.0), duration=1.0, prescribed=known, objective=objective,
                   options={"inputs": "constant"}, **SWING)  # fmt: skip
    pushes = plan.inputs["wind.force_y"]
    np.testing.assert_allclose(pushes([0.05, 0.95]), [0.3, 5.7], rtol=1e-9)


@pytest.mark.parametrize(
    ("built", "task", "words"),
    [
        ({"motor": False}, {}, "no input that a plan moves: wind.force_x.*are disturbances.*role='actuator'.*limits="),
        ({}, {"limits": {TORQUE: (0, 0)}}, "no input that a plan moves: wind.force_x"),
        ({"disturbed": False}, {"limits": {TORQUE: (0, 0)}}, "no input that a plan moves; add a TorqueSource"),
        ({}, {"limits": {ANGLE: (0, 0)}}, "limits: hinge.angle = .0, 0.; must be .low, high. with low < high.*locked"),
        ({}, {"limits": {TORQUE: (1, 1)}}, "must be a number > 0 for both signs"),
        ({}, {"prescribed": {"wind.force_y": "1"}, "limits": {"wind.force_y": 2.0}}, "which is prescribed; leave the"),
        ({}, {"prescribed": {"wind.force": "1"}}, "'wind.force' is no prescribed coordinate.*Nor is it an input"),
    ],
)
def test_what_cannot_be_is_refused(built, task, words):
    with pytest.raises(fb.FlexblocksError, match=words):
        planned(arm(**built), duration=1.0, **SWING, **task)


@pytest.mark.slow
def test_plans_with_disturbances_are_saved_and_audited(tmp_path):
    plan = planned(arm(limit=60.0, beam=True), duration=1.0, **SWING)
    plan.save(tmp_path / "plan.nc")
    again = fb.load(tmp_path / "plan.nc")
    np.testing.assert_allclose(again.trajectory[ANGLE], plan.trajectory[ANGLE])
    audit = plan.audit(fb.AssumedModes(2))
    assert audit.motion.names["u"] == plan.trajectory.names["u"]
    assert np.isfinite(audit.finer.tip_miss)


def test_a_dae_with_some_of_its_inputs_keeps_its_equations():
    dae = arm(gravity=9.81)
    some = with_inputs(dae, (TORQUE,))
    assert some.u.names == (TORQUE,)
    assert with_inputs(dae, (TORQUE,)) is some
    assert with_inputs(dae, dae.u.names) is dae
    x = np.array([0.3, 0.2])
    rates = [np.array(one.forward_dynamics(x, u, [])) for one, u in ((dae, [1.5, 0, 0, 0]), (some, [1.5]))]
    np.testing.assert_allclose(*rates, rtol=1e-14)
