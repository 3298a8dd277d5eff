"""What a file says of a robot, whatever its format: links, joints, actuators, as plain data in SI units."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from flexblocks.errors import ModelError, listing
from flexblocks.libraries import scipy
from flexblocks.shapes.shape import Shape
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import LOCK_BEYOND_LIMITS

JointKind = Literal["fixed", "revolute", "prismatic", "spherical", "free"]
# Sines and cosines of right angles miss 0 and 1 by up to this much; left in, that would spoil structural zeros.
ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class Pose:
    """A place: position (3,) [m] and rotation matrix (3, 3) in the axes of another frame."""

    position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        nearest = np.round(self.rotation)
        cleaned = np.where(np.abs(self.rotation - nearest) < ROUNDING, nearest, self.rotation)
        object.__setattr__(self, "rotation", cleaned)

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(self.position + self.rotation @ inner.position, self.rotation @ inner.rotation)

    @property
    def inverse(self) -> Pose:
        """The place of the other frame in this one."""
        return Pose(-self.rotation.T @ self.position, self.rotation.T)

    @property
    def is_identity(self) -> bool:
        """Whether both frames are one."""
        return not self.position.any() and np.array_equal(self.rotation, np.eye(3))


def turned(axis: np.ndarray, angle: float) -> Pose:
    """Return the pose after a turn about an axis of length 1 by an angle [rad]."""
    return Pose(np.zeros(3), scipy.spatial.transform.Rotation.from_rotvec(angle * axis).as_matrix())


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass [kg], centre of mass (3,) [m], and inertia (3, 3) about it, in the axes of the link [kg m2]."""

    mass: float
    center: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid link; without `inertial` a frame."""

    name: str
    inertial: Inertial | None = None
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class Mimic:
    """A joint whose position is ratio * that of another + offset."""

    joint: str
    ratio: float
    offset: float


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two links.

    `pose` is that of the child in the parent at the position `zero`. Positions and speeds are in rad or m;
    `friction` is dry, `armature` inertia or mass on the coordinate, `spring` a stiffness with its position of rest.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    pose: Pose = field(default_factory=Pose)
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    spring: tuple[float, float] | None = None
    low: float | None = None
    high: float | None = None
    max_speed: float | None = None
    zero: float = 0.0
    start: float | None = None
    mimic: Mimic | None = None

    @property
    def moves(self) -> bool:
        """Whether it has one coordinate."""
        return self.kind in ("revolute", "prismatic")

    def motion(self, position: float) -> Pose:
        """Return how far the child has moved from its place at `zero`."""
        way = position - self.zero
        return turned(self.axis, way) if self.kind == "revolute" else Pose(way * self.axis)

    @property
    def initial(self) -> float:
        """The start value: as stated, else zero where the limits contain it, else the middle between them."""
        if self.start is not None:
            return self.start
        low = -np.inf if self.low is None else self.low
        high = np.inf if self.high is None else self.high
        if low <= 0.0 <= high:
            return 0.0
        return (low + high) / 2 if np.isfinite(high - low) else float(low if np.isfinite(low) else high)


@dataclass(frozen=True)
class Actuator:
    """A motor of a joint, with its largest torque or force; or a servo with its stiffness."""

    name: str
    joint: str
    limit: float | None = None
    kp: float | None = None


@dataclass(frozen=True, eq=False)
class Description:
    """A robot: `where` names its file, `left_out` by kind what of the file the model does not have."""

    where: str
    name: str
    gravity: tuple[float, ...]
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]
    actuators: tuple[Actuator, ...]
    left_out: Mapping[str, tuple[str, ...]]

    def with_joints(self, changed: Mapping[str, Joint]) -> Description:
        """Return the robot with some of its joints replaced."""
        return dataclasses.replace(self, joints={**self.joints, **changed})

    @property
    def children(self) -> dict[str, list[Joint]]:
        """The joints that each link carries."""
        found: dict[str, list[Joint]] = {name: [] for name in self.links}
        for joint in self.joints.values():
            found[joint.parent].append(joint)
        return found

    @property
    def root(self) -> str:
        """The link that none carries."""
        return next(iter(self.links.keys() - {joint.child for joint in self.joints.values()}))


def refuse_no_tree(where: str, links: Iterable[str], joints: Mapping[str, Joint]) -> None:
    """Refuse links and joints that are no tree.

    Raises
    ------
    ModelError
        An end of a joint is no link, a link has two parents, or there is not one root.
    """
    links = list(links)
    parents: dict[str, Joint] = {}
    for joint in joints.values():
        for word, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                raise ModelError(f"{where}: joint '{joint.name}': {word} '{link}' is no link; must be one of the file.")
        if joint.child in parents:
            raise ModelError(
                f"{where}: link '{joint.child}' is carried by the joints '{parents[joint.child].name}' and "
                f"'{joint.name}'; must be one. Leave one out, and close the loop in the model."
            )
        parents[joint.child] = joint
    roots = [link for link in links if link not in parents]
    if len(roots) != 1:
        raise ModelError(
            f"{where}: {len(roots)} links that no joint carries ({listing(roots)}); must be one, the base. Write each "
            "robot to a file of its own, or join them by a fixed joint."
        )
    reached, left = 0, [roots[0]]
    below: dict[str, list[str]] = {}
    for child, joint in parents.items():
        below.setdefault(joint.parent, []).append(child)
    while left:
        reached += 1
        left += below.get(left.pop(), [])
    if reached < len(links):
        raise ModelError(f"{where}: some joints go in a circle; must be a tree whose root is '{roots[0]}'.")


def with_plain_mimics(robot: Description) -> Description:
    """Return the robot with each mimic in terms of a joint that mimics none; those of ratio 0 are fixed.

    Raises
    ------
    ModelError
        A joint mimics itself, one that is not there, or one that does not move.
    """
    changed: dict[str, Joint] = {}
    for joint in robot.joints.values():
        mimic, seen = joint.mimic, {joint.name}
        while mimic is not None:
            leader = robot.joints.get(mimic.joint)
            if leader is None or not leader.moves or leader.name in seen:
                reason = (
                    "is no joint" if leader is None else "does not move" if not leader.moves else "mimics it in turn"
                )
                raise ModelError(f"{robot.where}: joint '{joint.name}' mimics '{mimic.joint}', which {reason}.")
            seen.add(leader.name)
            if leader.mimic is None:
                break
            further = leader.mimic
            mimic = Mimic(further.joint, mimic.ratio * further.ratio, mimic.ratio * further.offset + mimic.offset)
        if mimic is not None:
            fixed = dataclasses.replace(joint, kind="fixed", pose=joint.pose @ joint.motion(mimic.offset), mimic=None)
            changed[joint.name] = fixed if mimic.ratio == 0 else dataclasses.replace(joint, mimic=mimic)
    return robot.with_joints(changed)


def with_locks(robot: Description, lock: Mapping[str, float]) -> Description:
    """Return the robot with some joints, and those that mimic them, fixed at positions.

    Raises
    ------
    ModelError
        A joint mimics another one, which is to be locked instead.
    """
    changed: dict[str, Joint] = {}
    for joint in robot.joints.values():
        position = lock.get(joint.name)
        if joint.mimic is not None:
            if position is not None:
                raise ModelError(
                    f"{robot.where}: lock: '{joint.name}' mimics '{joint.mimic.joint}'; lock that one, which takes "
                    "it along."
                )
            if joint.mimic.joint in lock:
                position = joint.mimic.ratio * lock[joint.mimic.joint] + joint.mimic.offset
        if position is not None:
            low, high = joint.low, joint.high
            if (low is not None and position < low) or (high is not None and position > high):
                warn(
                    f"{robot.where}: '{joint.name}' is locked at {position:g}, beyond its limits ({low}, {high}).",
                    LOCK_BEYOND_LIMITS,
                )
            changed[joint.name] = dataclasses.replace(
                joint, kind="fixed", pose=joint.pose @ joint.motion(position), mimic=None
            )
    kept = tuple(each for each in robot.actuators if each.joint not in changed)
    return dataclasses.replace(robot.with_joints(changed), actuators=kept)
