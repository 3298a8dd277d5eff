"""The crane: rope tensions by moments about the foot of the jib, sway as of a pendulum, power, and its plan."""

from __future__ import annotations

import math
import runpy

import numpy as np
import pytest

import flexblocks as fb
from arms.power import energy_rate, output_rate
from flexblocks import models
from repository import OPTIM_EXAMPLES


def moment(arm: np.ndarray, force: np.ndarray) -> float:
    return float(arm[0] * force[1] - arm[1] * force[0])


def standing(dae: fb.DAE, angle: float, height: float = 2.0) -> fb.OperatingPoint:
    return fb.equilibrium(dae, x={"slewing.angle": 0.0, "luffing.angle": angle, "load_z.displacement": height})


@pytest.mark.parametrize("angle", [0.3, 0.8, 1.2])
def test_rope_tensions_balance_the_moments_about_the_foot(angle):
    dae = fb.assemble(models.hoist_crane(discretization=fb.Rigid()))
    held = standing(dae, angle, 2.0)
    head = 30.0 * np.array([math.cos(angle), math.sin(angle)])
    weight = 3000.0 * 9.81
    to_winch, to_apex = np.array([-3.0, 1.0]) - head, np.array([-4.0, 9.0]) - head
    hoist = weight * (to_winch / np.linalg.norm(to_winch) + np.array([0.0, -1.0]))
    loads = moment(head, hoist + np.array([0.0, -9.81 * 400.0])) + moment(head / 2, [0.0, -9.81 * 90.0 * 30.0])
    falls = -loads / moment(head, to_apex / np.linalg.norm(to_apex)) / 4
    assert held["hoist_rope.tension"] == pytest.approx(weight, rel=1e-9)
    assert held["luffing_rope.tension"] == pytest.approx(falls, rel=1e-7)


def test_the_load_sways_as_a_pendulum():
    """In the plane of the jib; a light load, so that jib and ropes stand still."""
    dae = fb.assemble(models.hoist_crane(discretization=fb.Rigid(), load=30.0))
    held = standing(dae, 0.5)
    hanging = 30.0 * math.sin(0.5) - 2.0
    slow = sorted(mode.frequency for mode in fb.linearize(dae, held).modes() if mode.frequency > 0.1)
    assert slow[0] == pytest.approx(math.sqrt(9.81 / hanging), rel=1e-3)


def test_motor_and_winches_give_what_the_crane_gains():
    dae = fb.assemble(models.hoist_crane())
    held = standing(dae, 0.5)
    inputs = {"slewing_motor.torque": 100.0, "hoist_rope.speed": -0.5, "luffing_rope.speed": -0.3}
    run = fb.simulate(dae, np.linspace(0.0, 2.0, 21), x0=dict(zip(dae.x.names, held.x, strict=True)), u=inputs)
    x, u = run.x[-1], run.u[-1]
    slewing, luffing = run["der(slewing.angle)"][-1], run["der(luffing.angle)"][-1]
    motor = 100.0 * 500.0 * slewing - 5e4 * slewing**2 - 2e4 * luffing**2
    ropes = [
        -run[f"{n}.tension"][-1] * output_rate(dae, f"{n}.path_length", x, u) for n in ("hoist_rope", "luffing_rope")
    ]
    assert min(abs(motor), *map(abs, ropes)) > 100.0
    assert energy_rate(dae, x, u) == pytest.approx(motor + sum(ropes), abs=1e-9 * max(map(abs, ropes)))


@pytest.mark.slow
def test_plan_ends_without_swing(tmp_path):
    picture = tmp_path / "crane.png"
    plan = runpy.run_path(str(OPTIM_EXAMPLES / "hoist_crane.py"))["main"](str(picture))
    assert plan.status == "converged"
    assert picture.exists()
    # The load swings on the way, and no more once the crane stands, inputs held.
    swing = np.abs(plan.trajectory["load_y.displacement"] - plan.trajectory["head.y"]).max()
    assert swing > 0.1
    replay = plan.replay()
    assert replay.tip_miss < 5e-3
    after = fb.simulate(
        plan.transcribed.dae,
        (0.0, 10.0),
        x0=dict(zip(replay.trajectory.names["x"], replay.trajectory.x[-1], strict=True)),
    )
    assert np.ptp(after["load_x.displacement"]) < 0.02
    assert np.ptp(after["load_y.displacement"]) < 0.02
