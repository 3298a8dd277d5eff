"""Robots of example-robot-data against Pinocchio: mass matrix, gravity, inverse dynamics, frames at random states."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import flexblocks as fb

pin = pytest.importorskip("pinocchio")
SHARE = Path(pin.__file__).parents[4] / "share/example-robot-data"
FILES = sorted((SHARE / "robots").rglob("*.urdf"))
# Read by default, the others as slow tests: arms, one with a gripper, a quadruped, turns without limits.
USUAL = ("panda.urdf", "xarm7.urdf", "TwoDofs.urdf", "solo12.urdf", "so101.urdf", "double_pendulum_continuous.urdf")
# What the format does not allow or no body has, and what is reported of it.
REFUSED = {
    "ur3.urdf": "has no links",
    "alex_psyonic_hands.urdf": "4 inertias that no rigid body has",
    "allegro_left_hand.urdf": "4 inertias that no rigid body has",
    "allegro_right_hand.urdf": "4 inertias that no rigid body has",
    "anymal-kinova.urdf": "1 inertias that no rigid body has",
    "anymal.urdf": "inertias that no rigid body has",
    "b1-z1.urdf": "1 inertias that no rigid body has",
    "b1.urdf": "1 inertias that no rigid body has",
    "go1.urdf": "1 inertias that no rigid body has",
    "hyq_no_sensors.urdf": "5 inertias that no rigid body has",
    "pr2.urdf": "2 inertias that no rigid body has",
    "romeo.urdf": "2 joints move nothing that has mass",
    "romeo_laas_small.urdf": "5 inertias that no rigid body has",
    "romeo_small.urdf": "2 inertias that no rigid body has",
    "tiago.urdf": "2 inertias that no rigid body has",
    "tiago_dual.urdf": "2 inertias that no rigid body has",
    "tiago_no_hand.urdf": "2 inertias that no rigid body has",
}
STATES = 20


def cases() -> list:
    """Return each robot once, of the variants in its folder the first; and all files that are refused."""
    robots: dict[Path, Path] = {}
    for file in sorted(FILES, key=lambda file: file.name not in USUAL):
        if file.name not in REFUSED:
            robots.setdefault(file.parent, file)
    return [
        pytest.param(
            file,
            marks=() if file.name in USUAL or file.name in REFUSED else pytest.mark.slow,
            id=f"{file.parent.parent.name}/{file.name}",
        )
        for file in FILES
        if file.name in REFUSED or file in robots.values()
    ]


@pytest.mark.parametrize("file", cases())
def test_robots_agree_with_pinocchio(file: Path) -> None:
    if file.name in REFUSED:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fb.FlexblocksWarning)  # meshes of another computer
            with pytest.raises(fb.FlexblocksError, match=REFUSED[file.name]):
                fb.from_urdf(file)
        return
    robot = fb.from_urdf(file, packages=SHARE.parent)
    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()
    joints = [name for name in model.names if name in robot.coordinates]
    assert len(joints) == len(robot.coordinates) == model.nv
    if not joints:
        return
    ends = [frame for frame in model.frames if frame.type == pin.FrameType.BODY]
    markers = mark_frames(robot, [frame.name for frame in ends])
    dae = fb.assemble(robot.model)
    leaders = sorted(
        (name for name in joints if robot.coordinates[name] in dae.q_names),
        key=lambda name: dae.q_names.index(robot.coordinates[name]),
    )
    assert len(leaders) == len(dae.q_names)
    ratio, offset = mimics(file, joints, leaders)
    places = [model.joints[model.getJointId(name)] for name in joints]
    order = [place.idx_v for place in places]
    damping, friction = (dynamics(file, joints, attribute) for attribute in ("damping", "friction"))
    rng = np.random.default_rng(0)
    for _ in range(STATES):
        q, v, a = rng.uniform(-1.5, 1.5, (3, len(leaders)))
        full, speed, rate = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
        for place, angle in zip(places, ratio @ q + offset, strict=True):
            full[place.idx_q :][: place.nq] = angle if place.nq == 1 else (np.cos(angle), np.sin(angle))
        speed[order], rate[order] = ratio @ v, ratio @ a
        M = pin.crba(model, data, full)
        M = np.triu(M) + np.triu(M, 1).T
        close(dae.mass_matrix(q, []), ratio.T @ M[np.ix_(order, order)] @ ratio)
        gravity = ratio.T @ pin.rnea(model, data, full, 0 * speed, 0 * rate)[order]
        close(dae.inverse_dynamics(q, 0 * v, 0 * a, []), gravity)
        lost = damping * speed[order] + friction * np.tanh(speed[order] / 0.01)
        force = ratio.T @ (pin.rnea(model, data, full, speed, rate)[order] + lost)
        close(dae.inverse_dynamics(q, v, a, []), force)
        pin.framesForwardKinematics(model, data, full)
        outputs = np.array(dae.output([*q, *v], np.zeros(len(dae.u)), [])).ravel()
        values = dict(zip(dae.y.names, outputs, strict=True))
        for frame in ends:
            pose = data.oMf[model.getFrameId(frame.name, pin.FrameType.BODY)]
            found = [[values[f"{marker}.{axis}"] for axis in "xyz"] for marker in markers[frame.name]]
            close(found, [pose.translation, *(pose.translation + pose.rotation.T)])


def close(found: object, expected: object) -> None:
    """Compare to 1e-12 of the largest entry."""
    found, expected = np.squeeze(np.array(found)), np.squeeze(np.array(expected))
    assert np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


def mark_frames(robot: fb.Robot, links: list[str]) -> dict[str, list[str]]:
    """Mark the origins of links, and the points 1 m along their axes; return the blocks whose outputs these are."""
    markers: dict[str, list[str]] = {}
    for i, link in enumerate(links):
        for k, place in enumerate([(0.0, 0.0, 0.0), *np.eye(3)]):
            marker = robot.model.add(fb.FixedTransform(f"marker{i}_{k}", tuple(place)))
            robot.model.connect(robot.frames[link], marker.frame_a)
            markers.setdefault(link, []).append(marker.name)
    return markers


def dynamics(file: Path, joints: list[str], attribute: str) -> np.ndarray:
    """Return damping or friction of each joint, which Pinocchio keeps out of its inverse dynamics."""
    found = {joint.get("name"): joint.find("dynamics") for joint in ET.parse(file).getroot().findall("joint")}
    return np.array([0.0 if found[name] is None else float(found[name].get(attribute, 0)) for name in joints])


def mimics(file: Path, joints: list[str], leaders: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return by which factor each joint follows each leader, and from which offset."""
    ratio, offset = np.zeros((len(joints), len(leaders))), np.zeros(len(joints))
    mimic = {joint.get("name"): joint.find("mimic") for joint in ET.parse(file).getroot().findall("joint")}
    for i, name in enumerate(joints):
        factor, leader = 1.0, name
        while (follows := mimic[leader]) is not None:
            offset[i] += factor * float(follows.get("offset", 0))
            factor *= float(follows.get("multiplier", 1))
            leader = follows.get("joint")
        ratio[i, leaders.index(leader)] = factor
    return ratio, offset
