"""Mount of a flexible joint: its rotor carries the mount's spin, which the sum of momenta needs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb

BASE, ROTOR, LOAD, RATIO = 2.0, 0.05, 0.7, 20.0


@cache
def floating(mounted: bool, axis: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> fb.DAE:
    """A base that turns freely about the axis of the flexible joint it carries: only inner torques act."""
    model = fb.Model("floating")
    ground = model.add(fb.Ground("ground"))
    free = model.add(fb.Revolute("free", axis=axis))
    base = model.add(fb.RigidBody("base", 1.0, inertia=np.diag([BASE] * 3)))
    joint = model.add(fb.FlexibleJoint("joint", ROTOR, 30.0, gear_ratio=RATIO, spring_damping=0.1, axis=axis))
    load = model.add(fb.RigidBody("load", 1.0, inertia=np.diag([LOAD] * 3)))
    model.connect(ground.frame_b, free.frame_a)
    model.connect(free.frame_b, base.frame_a)
    model.connect(base.frame_b, joint.frame_a)
    model.connect(joint.frame_b, load.frame_a)
    if mounted:
        model.connect(base.frame_b, joint.mount)
    return fb.assemble(model)


def spin(run: fb.Trajectory) -> np.ndarray:
    """Angular momentum about the axis, from the rates, as a textbook adds it up."""
    base, rotor, load = (run[f"der({n}.angle)"] for n in ("free", "joint.rotor", "joint"))
    return BASE * base + ROTOR * (base + RATIO * rotor) + LOAD * (base + load)


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8)])
def test_momentum_is_kept_with_the_mount_only(axis: tuple[float, float, float]):
    torque = {"joint.motor.torque": lambda t: 5.0 * np.sin(3 * t)}
    runs = [
        fb.simulate(floating(m, axis), np.linspace(0, 2, 101), u=torque, rtol=1e-9, atol=1e-11) for m in (True, False)
    ]
    size = ROTOR * RATIO * np.abs(runs[0]["der(joint.rotor.angle)"]).max()
    assert np.abs(spin(runs[0])).max() < 1e-6 * size
    assert np.abs(spin(runs[1])).max() > 0.1 * size


def test_a_joint_without_mount_is_as_before():
    mass = floating(False).mass_matrix([0.1, 0.2, 0.3], []).full()
    np.testing.assert_allclose(mass[1, 1], ROTOR * RATIO**2, rtol=1e-14)
    np.testing.assert_allclose(mass[0, 1], 0.0, atol=1e-14)
    np.testing.assert_allclose(floating(True).mass_matrix([0.1, 0.2, 0.3], []).full()[0, 1], ROTOR * RATIO, rtol=1e-14)
