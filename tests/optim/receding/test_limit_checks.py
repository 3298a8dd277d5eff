"""Limits of an MPC that contradict the arm, its posture or its references: refused or warned of, by name."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim
from flexblocks.errors import ParameterError
from flexblocks.optim.errors import PlanWarning


@cache
def arm(gravity: float = 0.0) -> fb.DAE:
    """Return a rod of 1 m and 1 kg on a motor of 10 N m, whose joint turns half a radian to both sides."""
    model = fb.Model("rod", gravity=(0.0, -gravity, 0.0))
    joint = model.add(fb.Revolute("joint", low=-0.5, high=0.5))
    motor = model.add(fb.TorqueSource("motor", limit=10.0))
    link = model.add(fb.RigidLink("link", length=1.0, mass=1.0))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, model.add(fb.Payload("load", mass=0.1)).frame_a)
    return fb.assemble(model)


def law(limits: dict | None = None, reference: object = 0.2, gravity: float = 0.0, **options: object) -> optim.MPC:
    task = optim.Tracking({"joint.angle": reference}, tolerance=1e-3)  # type: ignore[dict-item]
    return optim.MPC(arm(gravity), task, 0.01, 0.5, 8, limits=limits, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"motor.torque": (2.0, -2.0)}, r"limits: motor\.torque = \(2\.0, -2\.0\); must be"),
        ({"motor.torque": -2.0}, r"limits: motor\.torque = -2\.0; must be a magnitude > 0"),
        ({"joint.angle": (0.4, -0.4)}, r"limits: joint\.angle = \(0\.4, -0\.4\); must be"),
        ({"motor.torque": (11.0, 12.0)}, r"motor\.torque = \(11, 12\); excludes the whole range .*, -10 to 10 N m"),
        ({"joint.angle": (1.0, 2.0)}, r"joint\.angle = \(1, 2\); excludes the whole range .*, -0\.5 to 0\.5 rad"),
    ],
)
def test_limits_that_contradict_are_refused(limits, message) -> None:
    with pytest.raises(ParameterError, match=message):
        law(limits)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"limits": {"joint.angle": (0.1, 0.4)}}, r"at: joint\.angle = 0; its limits are 0\.1 to 0\.4"),
        ({"at": {"joint.angle": 1.0}}, r"at: joint\.angle = 1; its limits are -0\.5 to 0\.5"),
        ({"limits": {"load.x": (0.1, 0.9)}}, r"at: load\.x = 1; its limits are 0\.1 to 0\.9"),
        ({"reference": 0.6}, r"the reference of joint\.angle reaches 0\.6; its limits are -0\.5 to 0\.5"),
        ({"reference": ([0.0, 1.0, 2.0], [0.0, 0.2, -0.7])}, r"the reference of joint\.angle reaches -0\.7"),
        ({"limits": {"motor.torque": (0.5, 5.0)}}, r"motor\.torque = 0 N m to hold the arm; its limits are 0\.5 to 5"),
        ({"limits": {"motor.torque": 20.0}}, r"limits exceed those of the actuators .*, of the actuator 10 N m"),
    ],
)
def test_what_is_beyond_limits_is_warned_of(arguments, message) -> None:
    with pytest.warns(PlanWarning, match=message):
        law(**arguments)


def test_weight_that_an_input_cannot_hold_is_warned_of() -> None:
    """The rod held level takes m g l / 2 of its own and that of the load at its tip."""
    weight = 9.81 * (1.0 * 0.5 + 0.1 * 1.0)
    with pytest.warns(PlanWarning, match=rf"motor\.torque = {weight:.3g} N m to hold the arm; its limits are -5 to 5"):
        law({"motor.torque": 5.0}, gravity=9.81)


def test_what_is_within_limits_is_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", PlanWarning)
        law({"motor.torque": 8.0, "joint.angle": 0.3, "load.y": (-0.4, 0.4)}, gravity=9.81)
        law(reference=lambda t: 0.2 * np.sin(t))
        law(reference=None)
