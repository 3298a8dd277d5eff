"""What a user wants otherwise than a robot's file says, and what of it does not fit the file."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Literal, get_args

from flexblocks.errors import ModelError, NameUnknownError, ParameterError, suggestion
from flexblocks.importers.description import Description, with_locks, with_plain_mimics
from flexblocks.importers.elastic import Elastic
from flexblocks.importers.flexible_links import Flexible
from flexblocks.importers.inertias import Treatment, with_inertias_of_bodies

Base = Literal["fixed", "free"]


@dataclass(frozen=True)
class Changes:
    """What a user wants otherwise than the file says; see `flexblocks.from_urdf`."""

    base: Base
    flexible: Flexible
    elastic: Mapping[str, Elastic]
    lock: Mapping[str, float]
    start: Mapping[str, float]
    passive: Collection[str]
    inertia: Treatment

    @classmethod
    def of(
        cls,
        base: Base,
        flexible: Flexible | None,
        elastic: Mapping[str, Elastic] | None,
        lock: Mapping[str, float] | None,
        start: Mapping[str, float] | None,
        passive: Collection[str],
        inertia: Treatment,
    ) -> Changes:
        """Return the changes of arguments that may be left out."""
        named = (passive,) if isinstance(passive, str) else tuple(passive)
        return cls(base, dict(flexible or {}), dict(elastic or {}), dict(lock or {}), dict(start or {}), named, inertia)


def with_changes(robot: Description, changes: Changes) -> tuple[Description, tuple[str, ...]]:
    """Return the robot with its changes but elasticity, and what of its inertias was repaired.

    Raises
    ------
    ModelError
        Inertias of no body, a joint that moves no mass, or a change of a joint that does not allow it.
    NameUnknownError
        A change is about a link or joint that the file does not have.
    ParameterError
        A change has a value out of its range.
    """
    _refuse_unknown(robot, changes)
    robot, repaired = with_inertias_of_bodies(robot, changes.inertia)
    robot = with_locks(with_plain_mimics(robot), changes.lock)
    starts = {name: dataclasses.replace(robot.joints[name], start=value) for name, value in changes.start.items()}
    kept = tuple(each for each in robot.actuators if each.joint not in changes.passive)
    robot = dataclasses.replace(robot.with_joints(starts), actuators=kept)
    _refuse_massless(robot, changes.flexible)
    _refuse_not_elastic(robot, changes.elastic)
    return robot, repaired


def _refuse_unknown(robot: Description, changes: Changes) -> None:
    for argument, value, words in (("base", changes.base, Base), ("inertia", changes.inertia, Treatment)):
        if value not in get_args(words):
            known = " or ".join(map(repr, get_args(words)))
            raise ParameterError(f"{robot.where}: {argument} = {value!r}; must be {known}.")
    links = {key[0] if isinstance(key, tuple) else key for key in changes.flexible}
    _refuse_names(robot, "flexible", links, robot.links, "links")
    moving = [name for name, joint in robot.joints.items() if joint.moves]
    for argument, names in (
        ("elastic", changes.elastic),
        ("lock", changes.lock),
        ("start", changes.start),
        ("passive", changes.passive),
    ):
        _refuse_names(robot, argument, names, moving, "joints that move")
    for name, each in changes.elastic.items():
        if not isinstance(each, Elastic):
            raise ParameterError(f"{robot.where}: elastic: '{name}': {each!r}; must be a fb.Elastic.")
    for argument, values in (("lock", changes.lock), ("start", changes.start)):
        for name, value in values.items():
            if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
                raise ParameterError(f"{robot.where}: {argument}: '{name}' = {value!r}; must be a number in rad or m.")
    both = changes.lock.keys() & {*changes.elastic, *changes.start, *changes.passive}
    if both:
        raise ParameterError(f"{robot.where}: '{min(both)}' is locked; leave it out of elastic, start and passive.")


def _refuse_names(robot: Description, argument: str, names: Iterable[str], known: Iterable[str], words: str) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise NameUnknownError(f"{robot.where}: {argument}: '{name}'{suggestion(name, known, f'its {words} are')}")


def _refuse_massless(robot: Description, flexible: Flexible) -> None:
    """Refuse joints that move nothing with mass, neither themselves nor by those that mimic them."""
    children = robot.children
    beams = {key[0] if isinstance(key, tuple) else key for key in flexible}

    def is_massless(link: str) -> bool:
        left = [link]
        while left:
            name = left.pop()
            inertial = robot.links[name].inertial
            if name in beams or (inertial is not None and (inertial.mass or inertial.inertia.any())):
                return False
            left += [joint.child for joint in children[name]]
        return True

    moving = [joint for joint in robot.joints.values() if joint.kind != "fixed"]
    heavy = [joint for joint in moving if joint.armature or not is_massless(joint.child)]
    moved = {name for joint in heavy for name in (joint.name, joint.mimic and joint.mimic.joint)}
    idle = [joint.name for joint in moving if joint.name not in moved and joint.mimic is None]
    if idle:
        locks = ", ".join(f"'{name}': 0.0" for name in idle)
        raise ModelError(
            f"{robot.where}: {len(idle)} joints move nothing that has mass ({', '.join(idle)}), and nothing determines "
            f"their motion. Give the links mass in the file, or lock them: lock={{{locks}}}."
        )


def _refuse_not_elastic(robot: Description, elastic: Mapping[str, Elastic]) -> None:
    for name in elastic:
        joint = robot.joints[name]
        if joint.mimic is not None:
            raise ModelError(
                f"{robot.where}: elastic: '{name}' mimics '{joint.mimic.joint}' and has no motor; give that one "
                "instead."
            )
        if joint.kind != "revolute":
            raise ModelError(
                f"{robot.where}: elastic: '{name}' is a slide; must be a hinge. Put a fb.Rack, fb.TorsionalSpring and "
                "fb.Rotor on its flange in the model."
            )
