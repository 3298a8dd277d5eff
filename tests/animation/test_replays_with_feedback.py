"""Replays with feedback are motions of the arm, as those without are: shown, reported, saved and read as such."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, export, optim, plot


@cache
def swing_of_one_link() -> optim.Plan:
    model = fb.Model("arm")
    ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor"))
    joint = model.add(fb.Revolute("joint"))
    link = model.add(fb.FlexibleBeam("link", 1.0, 0.5, 10.0, fb.AssumedModes(1, tip="auto")))
    load = model.add(fb.Payload("load", 1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    task = optim.RestToRest({"joint.angle": 0.0}, {"joint.angle": 1.0}, 1.0)
    return optim.plan(fb.assemble(model), task, intervals=10, progress=False)


PD = control.PD({"joint.angle": "motor.torque"}, kp=50.0, kd=5.0)


@pytest.mark.parametrize("law", ["tracking", pytest.param(PD, marks=pytest.mark.slow)])
def test_a_replay_with_feedback_is_a_motion_of_the_arm(law: Any, tmp_path: Path) -> None:
    plan = swing_of_one_link()
    arm, replay = plan.transcribed.dae, plan.replay(law=law)
    motion = replay.trajectory
    assert replay.feedback is not None
    assert motion.dae is arm
    assert (motion.names["x"], motion.names["u"]) == (arm.x.names, arm.u.names)
    # What reaches the arm is what does its work.
    power = motion["motor.torque"] * motion["der(joint.angle)"]
    assert motion["work"][-1] == pytest.approx(np.trapezoid(power, motion.t), abs=1e-3 * np.abs(power).max())
    # Shown, reported
    export.report(plan, tmp_path / "plan.html", replay=replay)
    assert str(replay.feedback) in (tmp_path / "plan.html").read_text(encoding="utf-8")
    plot.animate(plan, replay, replay.without_feedback).save(tmp_path / "motion.html")
    plot.plan(plan, replay)
    plot.snapshots(motion)
    assert "replayed with feedback" in replay._repr_html_()
    # Saved and read, without the program that made it
    motion.save(tmp_path / "replay.nc")
    read = fb.load(tmp_path / "replay.nc")
    np.testing.assert_array_equal(read.x, motion.x)
    export.report(read.of(arm), tmp_path / "read.html")


@pytest.mark.slow
def test_an_audit_with_feedback_is_reported(tmp_path: Path) -> None:
    plan = swing_of_one_link()
    audit = plan.audit(law="tracking")
    export.report(audit, tmp_path / "audit.html")
    export.report(plan, tmp_path / "plan.html", replay=plan.replay(law="tracking"), audit=audit)
    assert "with feedback" in (tmp_path / "audit.html").read_text(encoding="utf-8")
