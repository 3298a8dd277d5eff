"""Case 2 of Yu & Chen (2019), as the example has it: a circle under gravity by PD servos."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

import flexblocks as fb
from repository import EXAMPLES

EXAMPLE = EXAMPLES / "yu_chen_case2.py"


@pytest.fixture(scope="module")
def circles() -> tuple[dict, dict[str, fb.Trajectory]]:
    example = runpy.run_path(str(EXAMPLE))
    return example, example["main"]()


def test_case_2_droops_as_the_independent_model(circles):
    example, motions = circles
    assert example["miss"](motions["PD"])[-1] == pytest.approx(0.19, abs=0.005)
    assert example["miss"](motions["PD + weight"])[-1] == pytest.approx(0.078, abs=0.0005)


def test_case_2_reference_is_the_circle_of_a_rigid_arm(circles):
    example, motions = circles
    motion = motions["PD"]
    one, two = (motion[f"servo{i}.reference"] for i in (1, 2))
    x, y = example["circle"](motion.t)
    np.testing.assert_allclose(0.475 * np.cos(one) + 0.435 * np.cos(one + two), x, atol=1e-12)
    np.testing.assert_allclose(0.475 * np.sin(one) + 0.435 * np.sin(one + two), y, atol=1e-12)
    for i, angle in ((1, one), (2, two)):
        rate = motion[f"servo{i}.reference_rate"]
        np.testing.assert_allclose(np.gradient(angle, motion.t)[1:-1], rate[1:-1], atol=1e-5)
    # The feed-forward: the weight of the rigid arm, by hand.
    outer = 9.81 * 0.435 * (0.29 / 2 + 0.343) * np.cos(one + two)
    inner = 9.81 * 0.475 * (0.374 / 2 + 2.94 + 0.29 + 0.343) * np.cos(one)
    np.testing.assert_allclose(motions["PD + weight"]["motor2.torque"], outer, rtol=1e-12)
    np.testing.assert_allclose(motions["PD + weight"]["motor1.torque"], inner + outer, rtol=1e-12)


def test_case_2_is_slow_enough_for_statics_once_the_start_has_died_away(circles):
    """Torques carry the weight: masses times their distances, with links weighing at the middle of their chords."""
    _, motions = circles
    for motion in motions.values():
        late = motion.t > 4.0
        x1, x2 = motion["accelerometer1.x"][late], motion["mass2.x"][late]
        outer = 9.81 * (0.343 + 0.29 / 2) * (x2 - x1)
        inner = 9.81 * (0.374 * x1 / 2 + 2.94 * x1 + 0.29 * (x1 + x2) / 2 + 0.343 * x2)
        for i, expected in ((1, inner), (2, outer)):
            torque = motion[f"servo{i}.torque"] + motion[f"motor{i}.torque"]
            np.testing.assert_allclose(torque[late], expected, atol=0.15)  # inertia: 1 kg m2 turned at 0.11 rad/s2
            # The circle itself has r w^2 = 0.04 m/s2.
            assert np.abs(motion[f"accelerometer{i}.acceleration_y"][late]).max() < 0.06


def test_case_2_is_drawn(circles, tmp_path):
    example, motions = circles
    example["draw"](motions, tmp_path / "new")
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"yu_chen_case2.png", "yu_chen_case2_path.png"}
