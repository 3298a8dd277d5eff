"""Controllers in C beside the sampled loops of `simulate`: equal in double, close in float."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.c_controller import Beside, CController
from arms.driven import rotor, upright_arm
from arms.equation_arms import ARMS
from flexblocks import control, export
from flexblocks.control.naming import prefixed

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")

LOOPS = {"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}
WITH_Z = ARMS["current, algebraic variable"]
MOTORS = ["motor1.torque", "motor2.torque"]
pd = control.PD(LOOPS, kp=[20.0, 5.0], kd=[1.0, 0.2])
pid = control.PID(LOOPS, kp=[10.0, 3.0], ki=[5.0, 1.0], kd=[0.5, 0.1])
lqr = control.LQR(dict.fromkeys(LOOPS, 10.0) | {"elastic_energy": 1.0}, references=("joint1.angle",))


def kalman(measured: list[str], equations: str = "linear") -> control.Kalman:
    process = dict.fromkeys(MOTORS, 1e-2)
    return control.Kalman(measured, process=process, noise=1e-6, equations=equations)  # pyright: ignore[reportArgumentType]


def extended() -> control.SampledKalman:
    return control.SampledKalman([*LOOPS], process=dict.fromkeys(MOTORS, 1e-2), noise=1e-3)


@cache
def cart() -> fb.DAE:
    """A mass on a slide with friction and an accelerometer: what is measured depends on the force at once."""
    model = fb.Model("cart")
    slide, force = model.add(fb.Prismatic("slide", axis=(1, 0, 0), damping=3.0)), model.add(fb.ForceSource("motor"))
    mass, sensor = model.add(fb.LumpedMass("cart", mass=2.0)), model.add(fb.Accelerometer("sensor"))
    model.connect(model.add(fb.Ground("ground")).frame_b, slide.frame_a)
    model.connect(slide.frame_b, mass.frame_a, sensor.frame_a)
    model.connect(force.flange_b, slide.axis)
    return fb.assemble(model)


CART_KALMAN = control.Kalman(
    ["slide.displacement", "sensor.acceleration_x"], process={"motor.force": 1.0}, noise=[1e-4, 1e-4]
)
CART_LQG = control.LQG(control.LQR({"slide.displacement": 100.0}, references=("slide.displacement",)), CART_KALMAN)


@dataclass(frozen=True)
class Spring(control.Law):
    """A law of a user's own, with arithmetic of its own: a spring that hardens, where it is pulled."""

    def bind(self, dae: fb.DAE, actuators: Any) -> control.Bound:
        del actuators
        q = dae.x.symbol[dae.x.index("joint1.angle")]
        pulled = ca.if_else(q > 0.01, q**3 + ca.sign(q) * ca.atan2(q, 2.0), ca.fabs(q) - ca.exp(-q) / 3)
        return control.Bound({"motor1.torque": -pulled})


@cache
def rigid() -> fb.DAE:
    return upright_arm(modes=0, damping=0.01)


def symbolic() -> fb.DAE:
    model = fb.Model("arm", gravity=(0.0, -9.81, 0.0))
    ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor1"))
    joint = model.add(fb.Revolute("joint1"))
    link = model.add(fb.RigidLink("link1", length=0.5, mass=0.4, center=0.25, inertia=0.01))
    load = model.add(fb.Payload("payload", mass=0.2, inertia=0.002))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    return fb.assemble(model, symbolic=("payload.mass",))


def cascade() -> fb.DAE:
    inner = control.PD({"joint1.angle": "motor1.torque"}, 20.0, 0.5)
    return control.close_loop(upright_arm(damping=0.01), inner)


Case = tuple[Callable[[], fb.DAE], control.Sampled, dict[str, Any]]
CASES: dict[str, Case] = {
    "PID, saturated, anti-windup, a part of a sample late": (
        lambda: upright_arm(damping=0.01, limit=1.5), control.Sampled(pid, 0.002, delay=0.0008), {},
    ),
    "PID, two samples late": (lambda: upright_arm(damping=0.01), control.Sampled(pid, 0.002, delay=0.004), {}),
    "PD, a sample and a part late": (lambda: upright_arm(damping=0.01), control.Sampled(pd, 0.002, delay=0.003), {}),
    "LQR, all states measured": (
        lambda: upright_arm(damping=0.01), control.Sampled(lqr, 0.004), {"measured": list(upright_arm().x.names)},
    ),
    "LQG of encoders and the position of the load": (
        lambda: upright_arm(damping=0.01), control.Sampled(control.LQG(lqr, kalman([*LOOPS, "payload.x"])), 0.004), {},
    ),
    "LQG with a nonlinear observer, late, saturated": (
        lambda: upright_arm(damping=0.01, limit=2.0),
        control.Sampled(control.LQG(lqr, kalman([*LOOPS], "nonlinear")), 0.002, delay=0.003), {},
    ),
    "computed torque and feedforward": (
        rigid, control.Sampled(control.ComputedTorque(100.0, 20.0) + control.Feedforward(), 0.001), {},
    ),
    "PD and gravity compensation of the rigid arm": (
        lambda: upright_arm(damping=0.01), control.Sampled(pd + control.GravityCompensation(model=rigid()), 0.001), {},
    ),
    "shaped references": (
        lambda: upright_arm(damping=0.01), control.Sampled(control.Shaped(pd, control.ZV(25.0, 0.1)), 0.005), {},
    ),
    "PD of a position of the load": (
        lambda: upright_arm(damping=0.01),
        control.Sampled(control.PD({"payload.y": "motor1.torque"}, 5.0, 1.0), 0.002), {},
    ),
    "a law of the user's own": (lambda: upright_arm(damping=0.01), control.Sampled(Spring(), 0.002), {}),
    "a loop around a loop": (
        cascade, control.Sampled(control.PD({"payload.y": "reference.joint1.angle"}, 0.4), 0.005), {},
    ),
    "a parameter that stays open": (
        symbolic, control.Sampled(control.ComputedTorque(100.0, 20.0), 0.001), {"p": {"payload.mass": 0.5}},
    ),
    "LQG that measures a force at once, by an accelerometer": (cart, control.Sampled(CART_LQG, 0.05), {}),
    "extended Kalman filter in discrete time": (
        lambda: upright_arm(damping=0.01), control.Sampled(control.OutputFeedback(lqr, extended()), 0.004), {},
    ),
    "an arm with an algebraic variable": (
        lambda: WITH_Z, control.Sampled(control.PD({WITH_Z.q_names[0]: WITH_Z.u.names[0]}, 2.0), 0.002), {},
    ),
}  # fmt: skip


# Compilers take long over observers that solve for a step.
LONG = ("extended Kalman filter in discrete time", "LQG with a nonlinear observer, late, saturated")
# Nothing that the others do not show of the code; of its use, more.
MORE = (
    "PID, two samples late",
    "LQG of encoders and the position of the load",
    "PD and gravity compensation of the rigid arm",
    "PD of a position of the load",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG + MORE)) for name in CASES]
)
def test_c_equals_the_sampled_loop_to_the_last_digit_in_double_and_to_1e_4_in_float(name: str, tmp_path: Path) -> None:
    arm, law, more = CASES[name]
    beside = Beside(law, arm(), **more)
    assert np.ptp(beside.expected[:, 0]) > 1e-3
    assert np.array_equal(beside.found("double", tmp_path / "ctl"), beside.expected)
    single = beside.found("float", tmp_path / "single")
    # Covariances lose more digits than what follows from them.
    counts = [i for i, name in enumerate(beside.names) if ".covariance[" not in name]
    assert np.all(np.abs(single - beside.expected)[:, counts] <= 1e-4 * np.abs(beside.expected).max(axis=0)[counts])
    assert not np.array_equal(single, beside.expected)


def test_inputs_are_clipped_at_the_limits_of_the_arm(tmp_path: Path) -> None:
    beside = Beside(control.Sampled(control.PD({"wheel.angle": "motor.torque"}, 100.0), 0.01), rotor(limit=0.5))
    found = beside.found("double", tmp_path / "ctl")
    assert np.abs(found[:, 0]).max() == 0.5
    assert np.abs(found[:, 1]).max() > 10.0  # the command that is held
    assert np.array_equal(found, beside.expected)


def test_limits_are_left_out_where_they_are_not_enforced(tmp_path: Path) -> None:
    law = control.PD({"wheel.angle": "motor.torque"}, 100.0)
    made = control.controller(law, rotor(limit=0.5), 0.01, limits=False)
    source = export.controller(law, rotor(limit=0.5), 0.01, tmp_path / "ctl", limits=False)[1]
    assert CController(made, source, "double").step(np.zeros(1), np.ones(1)) == pytest.approx([100.0])


@pytest.mark.parametrize(
    ("arm", "law", "period"),
    [
        (lambda: upright_arm(damping=0.01), control.LQG(lqr, kalman([*LOOPS, "payload.x"])), 0.004),
        (cart, CART_LQG, 0.05),
    ],
)
def test_an_observer_alone_estimates_what_it_estimates_in_a_loop(
    arm: Callable[[], fb.DAE], law: control.OutputFeedback, period: float, tmp_path: Path
) -> None:
    """It receives the inputs that the loop applies, and what is measured; its estimates at a sample are the loop's."""
    dae, loop = arm(), Beside(control.Sampled(law, period), arm())
    made = control.controller(law.observer, dae, period)
    assert made.measured.names == (*law.observer.measured, *dae.u.names)
    assert len(made.references) == 0
    source = export.controller(law.observer, dae, period, tmp_path / "ctl")[1]
    code, measure, run = CController(made, source, "double"), made.measure(), loop.run
    expected = dict(zip(made.outputs.names, made.states.start, strict=False))
    before = np.zeros(len(dae.u))
    for k in range(len(loop.references)):
        inputs = [run[name][k] for name in dae.u.names]
        # What is measured is before the tick; the inputs that it receives act from there on.
        told = measure(run.x[k, : len(dae.x)], [], before, []).full().ravel()
        told[-len(inputs) :] = before = inputs
        for name, value in zip(made.outputs.names, code.step(told, np.zeros(0)), strict=True):
            assert value == pytest.approx(expected[name], rel=1e-12, abs=1e-15)
            expected[name] = run[prefixed("estimate", name.replace("observed.", ""))][k]


def test_c_does_with_what_sensors_tell_what_the_loop_with_these_sensors_does(tmp_path: Path) -> None:
    """Encoders with resolution, noise and a delay: the controller in C receives what the law saw of them."""
    arm, period = upright_arm(damping=0.01), 0.004
    law = control.Sampled(control.LQG(lqr, kalman([*LOOPS])), period)
    encoders = [control.Sensor(name, resolution=1e-4, noise=1e-4, delay=0.001) for name in LOOPS]
    loop = control.close_loop(arm, law, sensors=encoders)
    t = period * np.arange(31)
    run = fb.simulate(loop, t, u={"reference.joint1.angle": 0.2}, seed=3, rtol=1e-6)
    made = control.controller(law, arm, period)
    code = CController(made, export.controller(law, arm, period, tmp_path / "ctl")[1], "double")
    seen = np.array([run[f"sensor.{name}"] for name in made.measured.names])
    assert np.abs(seen - [run[name] for name in made.measured.names]).max() > 1e-4
    found = [code.step(told, np.array([0.2])) for told in seen.T[:-1]]
    assert np.array_equal(np.array(found).T, [run[name][:-1] for name in made.outputs.names])
