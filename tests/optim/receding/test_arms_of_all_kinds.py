"""Model predictive control of arms with closed loops, cylinders, winches and motors with currents."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, models, optim
from flexblocks.dae.dae import DAE
from flexblocks.optim.receding.interpreted.iteration import Sample
from flexblocks.optim.receding.interpreted.memory import Plan

START = {"joint1.angle": 1.0}


def four_bar(spatial: bool = False) -> DAE:
    """Return a four-bar with a flexible coupler in the vertical plane; in space, half of its six closures follow."""
    axis, gravity = ((0, -1, 0), (0, 0, -9.81)) if spatial else ((0, 0, 1), (0, -9.81, 0))
    model = fb.Model("four-bar", gravity=gravity)
    ground, far = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("far", (0.9, 0.0, 0.0)))
    angles = (1.0, -0.55, -1.99, -1.54)
    joint1, joint2, joint3, joint4 = (
        model.add(fb.Revolute(f"joint{i + 1}", axis=axis, start=angle)) for i, angle in enumerate(angles)
    )
    motor, rotor = model.add(fb.TorqueSource("motor", limit=8.0)), model.add(fb.Rotor("rotor", inertia=0.01))
    crank = model.add(fb.RigidLink("crank", length=0.3, mass=0.5))
    coupler = model.add(
        fb.FlexibleBeam(
            "coupler", length=0.8, linear_density=0.8, flexural_rigidity=20.0, damping_ratio=0.005,
            discretization=fb.AssumedModes(1), **({"bending": "z"} if spatial else {}),
        )
    )  # fmt: skip
    rocker = model.add(fb.RigidLink("rocker", length=0.6, mass=0.6))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, joint1.axis)
    model.connect(ground.frame_b, far.frame_a, joint1.frame_a)
    model.connect(joint1.frame_b, crank.frame_a)
    model.connect(crank.frame_b, joint2.frame_a)
    model.connect(joint2.frame_b, coupler.frame_a)
    model.connect(coupler.frame_b, joint3.frame_a)
    model.connect(joint3.frame_b, rocker.frame_a)
    model.connect(far.frame_b, joint4.frame_a)
    model.connect(joint4.frame_b, rocker.frame_b)
    return fb.assemble(model)


def crane(servo: bool) -> DAE:
    """Return a slewing boom of 8 m on a hydraulic cylinder, an ideal one or one with a servo valve."""
    model = fb.Model("crane", gravity=(0, 0, -9.81))
    ground, slew = model.add(fb.Ground("ground")), model.add(fb.Revolute("slew", axis=(0, 0, 1)))
    motor, rotor = model.add(fb.TorqueSource("motor", limit=3e4)), model.add(fb.Rotor("rotor", inertia=500.0))
    luff = model.add(fb.Revolute("luff", axis=(0, -1, 0), start=0.4))
    boom = model.add(
        fb.FlexibleBeam(
            "boom", length=8.0, linear_density=60.0, flexural_rigidity=8e6, flexural_rigidity_z=8e6, bending="yz",
            damping_ratio=0.02, discretization=fb.AssumedModes(1),
        )
    )  # fmt: skip
    load = model.add(fb.Payload("load", mass=300.0))
    foot, eye = (
        model.add(fb.FixedTransform(name, at)) for name, at in (("foot", (0.8, 0, -0.6)), ("eye", (2.0, 0, 0)))
    )
    kind = {"supply_pressure": 2e7, "rated_flow": 2e-3, "null_opening": 0.02} if servo else {"max_speed": 0.2}
    ram = model.add(fb.HydraulicCylinder("ram", 0.015, 0.01, retracted=1.2, extended=2.8, friction=2e4, **kind))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, slew.axis)
    model.connect(ground.frame_b, slew.frame_a)
    model.connect(slew.frame_b, luff.frame_a, foot.frame_a)
    model.connect(luff.frame_b, boom.frame_a, eye.frame_a)
    model.connect(boom.frame_b, load.frame_a)
    model.connect(foot.frame_b, ram.frame_a)
    model.connect(eye.frame_b, ram.frame_b)
    return fb.assemble(model)


@pytest.mark.parametrize("spatial", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plane", "space"])
def test_a_linkage_with_a_flexible_coupler_follows_whole_turns(spatial: bool) -> None:
    """Without a fall-back; its terminal cost is the regulator's on the motions that loops leave."""
    dae = four_bar(spatial)
    task = optim.Tracking({"joint1.angle": lambda t: 1.0 + 3.0 * t}, tolerance=1e-3)
    mpc = optim.MPC(dae, task, 0.01, 0.6, 10, at=START)
    assert mpc.cost_to_go_left_out is not None
    assert mpc.cost_to_go_left_out < 1e-9
    motion = fb.simulate(control.close_loop(dae, mpc), np.linspace(0.0, 2.5, 251), x0=START)
    assert not any(mpc.report(motion).fallbacks.values())
    assert np.abs(motion["joint1.angle"] - 1.0 - 3.0 * motion.t)[100:].max() < 5e-3


@pytest.mark.parametrize("speed", [0.0, 5.0])
def test_plans_of_the_stabilising_law_are_motions_that_come_to_rest(speed: float) -> None:
    """Whatever vibrates at their beginning, though intervals are much longer than its period."""
    dae = four_bar()
    mpc = optim.MPC(dae, optim.Tracking({"joint1.angle": 1.3}, tolerance=1e-3), 0.01, 1.2, 8, at=START)
    iteration = mpc._setup.interpreted
    x = fb.simulate(dae, (0.0, 0.05), x0=START | {"der(joint1.angle)": speed}).x[-1]
    memory = Plan(iteration.sizes)
    iteration._reset(memory, x, Sample(dae.p.start, perf_counter, np.inf))
    horizon, nothing = iteration.horizon, np.zeros(len(mpc.objective.paths))
    references = horizon.look_ahead(memory, nothing)
    assert horizon.linearized(memory, x, references, Sample(dae.p.start, perf_counter, np.inf)).defect < 1e-5
    assert np.abs(memory.xs[-1][5:]).max() < 0.05


@pytest.mark.parametrize("servo", [False, True], ids=["ideal", "servo"])
def test_a_boom_on_a_cylinder_slews_and_luffs(servo: bool) -> None:
    """Torques and valves, angles and pressures are of sizes that are far apart."""
    dae = crane(servo)
    start = dict(zip(dae.x.names, fb.simulate(dae, (0.0, 5.0)).x[-1], strict=True))
    start |= {name: 0.0 for name in start if name.startswith("der(")}
    goals = {"slew.angle": 0.2, "luff.angle": start["luff.angle"] + 0.1}
    mpc = optim.MPC(dae, optim.Tracking(goals, tolerance=1e-3), 0.02, 2.0, 15, at=start)
    assert mpc.cost_to_go_left_out is not None
    assert mpc.cost_to_go_left_out < 1e-3
    motion = fb.simulate(control.close_loop(dae, mpc), np.linspace(0.0, 5.0, 51), x0=start)
    assert not mpc.report(motion).lost
    for name, goal in goals.items():
        assert abs(motion[name][-1] - goal) < 1e-3


def test_the_current_of_a_motor_is_no_disturbance() -> None:
    """It follows the voltage within a tenth of a sample; what holds the arm is its resistance times the current."""
    model = fb.Model("geared arm", gravity=(0, -9.81, 0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", axis=(0, 0, 1)))
    motor, rotor = model.add(fb.DCMotor("motor", 1.0, 1e-3, 0.05, limit=24.0)), model.add(fb.Rotor("rotor", 1e-4))
    gear, link = model.add(fb.Gear("gear", ratio=50.0)), model.add(fb.RigidLink("link", length=0.6, mass=0.5))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, gear.flange_a)
    model.connect(gear.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    dae = fb.assemble(model)
    mpc = optim.MPC(dae, optim.Tracking({"joint.angle": 0.5}, tolerance=1e-3), 0.01, 0.6, 10)
    motion = fb.simulate(control.close_loop(dae, mpc), np.linspace(0.0, 2.0, 201))
    held = 1.0 * 0.5 * 9.81 * 0.3 * np.cos(0.5) / (50.0 * 0.05)
    assert abs(motion["joint.angle"][-1] - 0.5) < 1e-5
    assert abs(motion["motor.voltage"][-1] - held) < 1e-3 * held
    assert not any(mpc.report(motion).fallbacks.values())


@pytest.mark.slow
def test_a_crane_moves_its_load_by_winches_and_brings_it_to_rest() -> None:
    dae = fb.assemble(models.hoist_crane())
    start = dict(zip(dae.x.names, fb.equilibrium(dae).x, strict=True))
    by = {"load_x.displacement": 0.0, "load_y.displacement": 3.0, "load_z.displacement": 0.5}
    goals = {name: start[name] + way for name, way in by.items()}
    mpc = optim.MPC(dae, optim.Tracking(goals, tolerance=0.05), 0.1, 8.0, 20, at=start)
    motion = fb.simulate(control.close_loop(dae, mpc), np.linspace(0.0, 30.0, 301), x0=start)
    assert not any(mpc.report(motion).fallbacks.values())
    for name, goal in goals.items():
        assert np.abs(motion[name][-50:] - goal).max() < 0.01


@pytest.mark.slow
def test_the_boom_of_a_concrete_pump_follows_a_circle() -> None:
    """Four cylinders with servo valves, the third on a loop; the tip is 21 m away."""
    dae = fb.assemble(models.concrete_pump())
    point = fb.equilibrium(dae)
    start = dict(zip(dae.x.names, point.x, strict=True))
    at = fb.simulate(dae, (0.0, 1e-3), x0=start)
    x, y = float(at["line4_tip.x"][0]), float(at["line4_tip.y"][0])
    circle = {
        "line4_tip.x": lambda t: x - 0.5 * (1 - np.cos(0.5 * t)),
        "line4_tip.y": lambda t: y + 0.5 * np.sin(0.5 * t),
    }
    mpc = optim.MPC(dae, optim.Tracking(circle, tolerance=0.01), 0.05, 4.0, 20, at=start)
    motion = fb.simulate(control.close_loop(dae, mpc), np.linspace(0.0, 12.0, 241), x0=start)
    assert not any(mpc.report(motion).fallbacks.values())
    for name, path in circle.items():
        assert np.abs(motion[name] - [path(t) for t in motion.t])[80:].max() < 5e-3
