"""An arm whose elbow a servo holds, on the command line: its reference alone gives the rate."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import flexblocks as fb
from flexblocks.cli import app


@pytest.fixture
def arm(tmp_path):
    model = fb.Model("servo arm", gravity=(0.0, -9.81, 0.0))
    at = model.add(fb.Ground("ground")).frame_b
    for joint, link, drive in (
        ("hinge", "upper", fb.TorqueSource("motor")),
        ("elbow", "fore", fb.PDServo("servo", 100.0, 10.0)),
    ):
        joint, link = model.add(fb.Revolute(joint)), model.add(fb.RigidLink(link, length=1.0, mass=1.0))
        model.connect(at, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        model.connect(model.add(drive).flange_b, joint.axis)
        at = link.frame_b
    model.save(tmp_path / "arm.yaml")
    return tmp_path / "arm.yaml"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_simulation_derives_the_rate(arm, tmp_path):
    out = tmp_path / "run.nc"
    result = run("simulate", arm, "--time", 0.5, "--input", "servo.reference=sine:0.3,6.0", "--out", out)
    assert result.exit_code == 0, result.output
    motion = fb.load(out)
    np.testing.assert_allclose(motion["servo.reference_rate"], 1.8 * np.cos(6.0 * motion.t), atol=1e-6)
    refused = run("simulate", arm, "--input", "servo.reference_rate=1")
    assert refused.exit_code == 1
    assert "servo.reference_rate without servo.reference" in refused.output


def test_linear_models_rest_on_the_reference_that_holds_them(arm):
    result = run("linearize", arm, "--at", "elbow.angle=0.5", "--at", "hinge.angle=0", "--json")
    assert result.exit_code == 0, result.output
    held = json.loads(result.stdout)["operating_point"]
    assert held["servo.reference"] == pytest.approx(0.5 + 9.81 * np.cos(0.5) / 2 / 100.0, rel=1e-6)
    assert held["servo.reference_rate"] == 0


@pytest.mark.slow
def test_plans_move_the_reference_or_know_it(arm, tmp_path):
    data = {
        "model": str(arm),
        "problem": {"start": {"hinge.angle": 0.0}, "goal": {"hinge.angle": 0.6}, "duration": 1.0},
        "transcription": {"intervals": 12},
    }
    for known in ({}, {"prescribed": {"servo.reference": "0.3*time**2*(3 - 2*time)"}}):
        problem, out = tmp_path / "problem.yaml", tmp_path / "plan.csv"
        problem.write_text(yaml.safe_dump(data | {"problem": data["problem"] | known}))
        result = run("plan", problem, "--json", "--out", out)
        assert result.exit_code == 0, result.output
        motion = fb.load(out)
        assert motion["hinge.angle"][-1] == pytest.approx(0.6, abs=1e-9)
        if known:
            t = motion.t
            np.testing.assert_allclose(motion["servo.reference"], 0.3 * t**2 * (3 - 2 * t), atol=1e-6)
            np.testing.assert_allclose(motion["servo.reference_rate"], 1.8 * t * (1 - t), atol=1e-6)
