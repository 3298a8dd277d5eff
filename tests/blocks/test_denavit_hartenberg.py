"""Denavit-Hartenberg tables against products of the textbook's matrices."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import values
from flexblocks.errors import ParameterError

HALF = np.pi / 2

# a, alpha, d, theta, joint. Stanford arm: Spong, Hutchinson & Vidyasagar, Robot Modeling and Control, table 3.4.
STANFORD = [
    (0.0, -HALF, 0.412, 0.0, "revolute"),
    (0.0, HALF, 0.154, 0.0, "revolute"),
    (0.0, 0.0, 0.2, -HALF, "prismatic"),
    (0.0, -HALF, 0.0, 0.0, "revolute"),
    (0.0, HALF, 0.0, 0.0, "revolute"),
    (0.0, 0.0, 0.263, 0.0, "revolute"),
]
# PUMA 560 by the modified convention: Craig, Introduction to Robotics, fig 3.21; lengths of Corke & Armstrong.
PUMA = [
    (0.0, 0.0, 0.0, 0.0, "revolute"),
    (0.0, -HALF, 0.2435, 0.0, "revolute"),
    (0.4318, 0.0, -0.0934, 0.0, "revolute"),
    (-0.0203, HALF, 0.4331, 0.0, "revolute"),
    (0.0, -HALF, 0.0, 0.0, "revolute"),
    (0.0, HALF, 0.0, 0.0, "revolute"),
]


def rot_x(t):
    return np.array([[1, 0, 0, 0], [0, np.cos(t), -np.sin(t), 0], [0, np.sin(t), np.cos(t), 0], [0, 0, 0, 1]])


def rot_z(t):
    return np.array([[np.cos(t), -np.sin(t), 0, 0], [np.sin(t), np.cos(t), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def shift(x, z):
    return np.array([[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, z], [0, 0, 0, 1.0]])


def pose(table, convention, q):
    """Return the homogeneous matrix (4, 4) of the last frame."""
    T = np.eye(4)
    for (a, alpha, d, theta, joint), value in zip(table, q, strict=True):
        theta, d = (theta + value, d) if joint == "revolute" else (theta, d + value)
        if convention == "standard":
            T = T @ rot_z(theta) @ shift(0, d) @ shift(a, 0) @ rot_x(alpha)
        else:
            T = T @ rot_x(alpha) @ shift(a, 0) @ rot_z(theta) @ shift(0, d)
    return T


def arm(table, convention):
    """Return the DAE of an arm with three probes beside its last frame, at the origin, on x and on y."""
    model = fb.Model("arm")
    place = model.add(fb.Ground("ground")).frame_b
    rows = [fb.DHRow(a=a, alpha=alpha, d=d, theta=theta, joint=joint) for a, alpha, d, theta, joint in table]
    for number, pair in enumerate(fb.denavit_hartenberg(rows, convention), 1):
        for block in map(model.add, pair):
            model.connect(place, block.frame_a)
            place = block.frame_b
        body = model.add(fb.RigidBody(f"body{number}", 1.0, np.diag([0.1, 0.1, 0.1])))
        model.connect(place, body.frame_a)
    for name, reach in (("o", (0, 0, 0)), ("x", (1, 0, 0)), ("y", (0, 1, 0))):
        probe = model.add(fb.RigidBody(name, 0.1, np.diag([0.01, 0.01, 0.01]), reach=reach))
        model.connect(place, probe.frame_a)
    return fb.assemble(model)


@pytest.mark.parametrize(
    ("table", "convention"), [(STANFORD, "standard"), (PUMA, "modified")], ids=["Stanford", "PUMA"]
)
def test_forward_kinematics(table, convention):
    dae = arm(table, convention)
    kinds = ["angle" if row[4] == "revolute" else "displacement" for row in table]
    assert dae.q_names == tuple(f"joint{i}.{kind}" for i, kind in enumerate(kinds, 1))
    for seed in range(3):
        q = np.random.default_rng(seed).uniform(-2, 2, 6)
        y = dict(zip(dae.y.names, values(dae.output([*q, *np.zeros(6)], [], [])), strict=True))
        o, x, y = (np.array([y[f"{probe}.{axis}"] for axis in "xyz"]) for probe in "oxy")
        T = pose(table, convention, q)
        np.testing.assert_allclose(o, T[:3, 3], atol=1e-14)
        np.testing.assert_allclose(np.column_stack([x - o, y - o]), T[:3, :2], atol=1e-14)


def test_known_postures():
    """Stanford arm at zero: the hand is up the column, shoulder offset aside; the slide goes out along z."""
    dae = arm(STANFORD, "standard")
    y = dict(zip(dae.y.names, values(dae.output(np.zeros(12), [], [])), strict=True))
    np.testing.assert_allclose([y["o.x"], y["o.y"], y["o.z"]], [0.0, 0.154, 0.412 + 0.2 + 0.263], atol=1e-15)


def test_both_conventions_give_one_planar_arm():
    rows = [fb.DHRow(a=0.5), fb.DHRow(a=0.4)]
    standard = fb.denavit_hartenberg(rows)
    assert [block.name for pair in standard for block in pair] == ["joint1", "offset1", "joint2", "offset2"]
    modified = fb.denavit_hartenberg([fb.DHRow(), fb.DHRow(a=0.5)], "modified", number_from=3)
    assert [block.name for pair in modified for block in pair] == ["offset3", "joint3", "offset4", "joint4"]
    assert standard[0][1].translation == modified[1][0].translation == (0.5, 0.0, 0.0)


def test_what_is_no_table_is_refused():
    with pytest.raises(ParameterError, match=r"row 1 is \(0.5, 0, 0, 0\); must be a fb.DHRow"):
        fb.denavit_hartenberg([(0.5, 0, 0, 0)])
    with pytest.raises(ParameterError, match="convention = 'craig'; must be 'standard' or 'modified'"):
        fb.denavit_hartenberg([fb.DHRow()], "craig")
    with pytest.raises(ParameterError, match="DHRow: joint = 'helical'; must be one of 'revolute', 'prismatic'"):
        fb.DHRow(joint="helical")
