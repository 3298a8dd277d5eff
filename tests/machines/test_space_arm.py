"""The space arm: its mass and centre by hand, its momenta, its power, its plan."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

import flexblocks as fb
from arms.power import energy_rate
from flexblocks import models
from flexblocks.errors import ParameterError
from repository import OPTIM_EXAMPLES

TORQUES = {"shoulder_pitch_motor.torque": 0.4, "elbow_pitch_motor.torque": -0.3, "shoulder_yaw_motor.torque": 0.2}
RATIOS = {"shoulder_pitch": 1842.0, "elbow_pitch": 1260.0, "shoulder_yaw": 1842.0}


@pytest.fixture(scope="module")
def dae() -> fb.DAE:
    return fb.assemble(models.space_arm())


@pytest.fixture(scope="module")
def run(dae: fb.DAE) -> fb.Trajectory:
    return fb.simulate(dae, np.linspace(0.0, 2.0, 41), u=TORQUES, rtol=1e-11, atol=1e-12)


def test_mass_and_center_stretched_out():
    straight = dict.fromkeys(("shoulder_yaw", "shoulder_pitch", "elbow_pitch", "wrist_pitch", "wrist_yaw"), 0.0)
    dae = fb.assemble(models.space_arm(start=straight, booms=fb.Rigid(), elastic_joints=False))
    run = fb.simulate(dae, (0.0, 1e-3))
    parts = np.array(
        [  # mass, x: craft, shoulder, boom, elbow, boom, wrist, wrist, effector, payload
            (20000.0, 0.0), (50.0, 2.0), (128.0, 2.0 + 3.2), (30.0, 8.4 + 0.1), (140.0, 8.6 + 3.5), (20.0, 15.6 + 0.25),
            (20.0, 16.1 + 0.25), (40.0, 16.6 + 0.3), (2000.0, 17.2 + 2.0),
        ]
    )  # fmt: skip
    assert run["total.mass"][0] == pytest.approx(parts[:, 0].sum(), rel=1e-12)
    assert run["total.center_x"][0] == pytest.approx(parts[:, 0] @ parts[:, 1] / parts[:, 0].sum(), rel=1e-12)


@pytest.mark.slow
def test_momenta_stay_zero(run):
    moved = 2000.0 * np.abs(np.gradient(run["payload.center_z"], run.t)).max()
    lever = 15.0
    for axis in "xyz":
        assert np.abs(run[f"total.momentum_{axis}"]).max() < 1e-9 * moved
        assert np.abs(run[f"total.angular_momentum_{axis}"]).max() < 1e-9 * moved * lever
    assert np.abs(run["base.rotation_y"]).max() > 1e-3


@pytest.mark.slow
def test_motors_give_what_the_arm_gains(dae, run):
    x, u = run.x[-1], run.u[-1]
    motors = {
        name: TORQUES[f"{name}_motor.torque"] * ratio * run[f"der({name}_rotor.angle)"][-1]
        for name, ratio in RATIOS.items()
    }
    joints = [name.split(".")[0] for name in dae.q_names if name.endswith("_rotor.angle")]
    lost = sum(
        2e3 * (run[f"der({rotor}.angle)"][-1] - run[f"der({rotor.removesuffix('_rotor')}.angle)"][-1]) ** 2
        for rotor in joints
    )
    assert len(joints) == 6
    assert energy_rate(dae, x, u) == pytest.approx(
        sum(motors.values()) - lost, abs=1e-9 * max(map(abs, motors.values()))
    )


def test_an_unknown_joint_is_refused():
    with pytest.raises(ParameterError, match="no joint 'elbow'"):
        models.space_arm(start={"elbow": 1.0})


@pytest.mark.slow
def test_plan(tmp_path):
    picture = tmp_path / "space.png"
    plan, replay = runpy.run_path(str(OPTIM_EXAMPLES / "space_arm.py"))["main"](str(picture))
    assert plan.status == "converged"
    assert picture.exists()
    assert replay.tip_miss < 0.015
    assert replay.energy_left < 2e-4
    # The centre of mass has not moved, the base has.
    assert np.abs(plan.trajectory["base.displacement_x"][-1]) > 0.05
    for axis in "xyz":
        assert np.ptp(replay.trajectory[f"total.center_{axis}"]) < 1e-6
