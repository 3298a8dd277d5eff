"""Force-torque sensors: against weights at rest, and the rate of momentum along a motion; reactions in plans."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim

AXES = "xyz"


@cache
def arm(size: float = 1.0, mass: float = 1.0, floating: bool = False, planar: bool = False) -> fb.DAE:
    """A rigid and a flexible link in space on a sensor, on the ground or on a free body of three times their mass."""
    model = fb.Model("arm on a sensor", gravity=(0.0, 0.0, 0.0 if floating or planar else -9.81))
    place = model.add(fb.Ground("ground")).frame_b
    if floating:
        base = model.add(fb.FreeMotion("base"))
        model.connect(place, base.frame_a)
        body = model.add(fb.RigidBody("hull", mass=6 * mass, inertia=mass * size**2 * np.eye(3)))
        model.connect(base.frame_b, body.frame_a)
        place = base.frame_b
    sensor = model.add(fb.ForceSensor("sensor"))
    model.connect(place, sensor.frame_a)
    place = sensor.frame_b
    for i, axis in ((1, (0, 0, 1)), (2, (0, 0, 1) if planar else (0, 1, 0))):
        motor, joint = model.add(fb.TorqueSource(f"motor{i}")), model.add(fb.Revolute(f"joint{i}", axis=axis))
        if i == 1 or planar:
            link = fb.RigidLink(f"link{i}", length=size, mass=mass, inertia=mass * size**2 / 12 * np.diag([0.1, 1, 1]))
        else:
            rigidity = 20 * mass * size**2
            kind = fb.AssumedModes(1, tip="free")
            link = fb.FlexibleBeam(f"link{i}", size, linear_density=mass / size, bending="yz",
                                   flexural_rigidity=rigidity, discretization=kind)  # fmt: skip
        link = model.add(link)
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    model.connect(place, model.add(fb.Payload("payload", mass / 2)).frame_a)
    model.add(fb.TotalMomentum("total"))
    return fb.assemble(model)


def vector(motion, stem: str) -> np.ndarray:
    return np.column_stack([motion[f"{stem}_{axis}"] for axis in AXES])


@pytest.mark.parametrize(
    ("size", "mass"),
    [(1.0, 1.0), pytest.param(20.0, 2e3, marks=pytest.mark.slow)],
)
def test_the_reaction_is_the_rate_of_momentum(size, mass):
    """Newton and Euler for the whole arm, by differences along a simulated motion."""
    dae, time = arm(size, mass), np.sqrt(size)
    t = time * np.linspace(0.0, 0.02, 9)
    torque = 5 * mass * size
    start = {
        "joint1.angle": 0.3,
        "joint2.angle": -0.4,
        "der(joint1.angle)": 1.5 / time,
        "der(joint2.angle)": -0.8 / time,
    }
    motion = fb.simulate(
        dae, t, x0=start, u={"motor1.torque": torque, "motor2.torque": -torque}, rtol=1e-10, atol=1e-12
    )
    p, c = vector(motion, "total.momentum"), vector(motion, "total.center")
    about_origin = vector(motion, "total.angular_momentum") + np.cross(c, p)
    weight = motion["total.mass"][0] * np.array([0.0, 0.0, -9.81])
    middle, h = 4, t[1] - t[0]

    def rate(values: np.ndarray) -> np.ndarray:  # sixth order
        v = values[middle - 3 : middle + 4]
        return np.array([-1, 9, -45, 0, 45, -9, 1]) @ v / (60 * h)

    force = weight - rate(p)
    moment = np.cross(c[middle], weight) - rate(about_origin)
    np.testing.assert_allclose(vector(motion, "sensor.force")[middle], force, atol=1e-4 * np.abs(force).max())
    np.testing.assert_allclose(vector(motion, "sensor.torque")[middle], moment, atol=1e-4 * np.abs(moment).max())


@pytest.mark.slow
def test_reaction_on_a_floating_base():
    """What the arm exerts is what accelerates the hull."""
    dae = arm(floating=True)
    t = np.linspace(0.0, 0.004, 9)
    motion = fb.simulate(dae, t, u={"motor1.torque": 2.0, "motor2.torque": -1.0}, rtol=1e-10, atol=1e-12)
    h, middle = t[1] - t[0], 4
    place = np.column_stack([motion[f"hull.{axis}"] for axis in AXES])
    acceleration = (place[middle + 1] - 2 * place[middle] + place[middle - 1]) / h**2
    np.testing.assert_allclose(vector(motion, "sensor.force")[middle], 6.0 * acceleration, rtol=1e-3, atol=1e-3)


def test_plans_limit_the_reaction_or_weigh_it():
    """A planar arm: the torque on the base below a limit that the fastest-effort motion exceeds, or least of all."""
    dae = arm(planar=True)
    start, goal = {"joint1.angle": 0.0, "joint2.angle": 0.5}, {"joint1.angle": 0.8, "joint2.angle": -0.5}
    free = optim.plan(dae, optim.RestToRest(start, goal, 2.0), intervals=10)
    peak = np.abs(free.trajectory["sensor.torque_z"]).max()
    limits = {"sensor.torque_z": 0.7 * peak}
    kept = optim.plan(dae, optim.RestToRest(start, goal, 2.0, limits=limits), intervals=10)
    assert np.abs(kept.trajectory["sensor.torque_z"]).max() == pytest.approx(0.7 * peak, rel=0.02)
    # All that turns the base is the first motor: the sensor shows it with the other sign.
    np.testing.assert_allclose(kept.trajectory["sensor.torque_z"], -kept.trajectory["motor1.torque"], atol=1e-6 * peak)
    quiet = optim.plan(
        dae,
        optim.RestToRest(start, goal, 2.0, objective=optim.Integral("sensor.torque_z**2") + 1e-3 * optim.Effort()),
        intervals=10,
    )
    cost = [np.trapezoid(plan.trajectory["sensor.torque_z"] ** 2, plan.trajectory.t) for plan in (quiet, free)]
    assert cost[0] < 0.99 * cost[1]
