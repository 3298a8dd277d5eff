"""The model of a robot from its description."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.blocks import (
    DrivenPrismatic,
    DrivenRevolute,
    Fixed,
    FixedTransform,
    FlexibleJoint,
    ForceSource,
    FreeMotion,
    Friction,
    Gear,
    Ground,
    PDServo,
    Prismatic,
    Rack,
    Revolute,
    RigidBody,
    Rotor,
    Spherical,
    TorqueSource,
    TorsionalSpring,
    TranslationalGear,
)
from flexblocks.importers.changes import Base, Changes, with_changes
from flexblocks.importers.description import Actuator, Description, Joint, Pose, refuse_no_tree
from flexblocks.importers.elastic import Elastic
from flexblocks.importers.flexible_links import FlexibleLink, flexible_links
from flexblocks.importers.names import BlockNames
from flexblocks.importers.robot import Robot
from flexblocks.interfaces import Port
from flexblocks.modeling.model import Model


def robot_from(robot: Description, changes: Changes) -> Robot:
    """Return the model of a robot, with where links, joints and actuators are in it.

    Raises
    ------
    ModelError
        The robot is no tree, has inertias of no body, or a joint that moves no mass.
    NameUnknownError
        A change is about a link or joint that the file does not have.
    ParameterError
        A change has a value out of its range.
    """
    refuse_no_tree(robot.where, robot.links, robot.joints)
    robot, repaired = with_changes(robot, changes)
    builder = _Builder(robot, changes.elastic, flexible_links(robot, changes.flexible))
    return builder.robot(changes.base, repaired)


class _Builder:
    """The model while it grows from its root."""

    def __init__(self, robot: Description, elastic: Mapping[str, Elastic], flexible: Mapping[str, FlexibleLink]):
        self.source, self.elastic, self.flexible = robot, elastic, flexible
        self.model = Model(robot.name, robot.gravity)
        self.names = BlockNames()
        self.block_of = {name: self.names.new(name) for name in robot.joints}  # joints keep the names of the file
        self.frames: dict[str, Port] = {}
        self.coordinates: dict[str, str] = {}
        self.inputs: dict[str, str] = {}
        self.flanges: dict[str, Port] = {}  # of joints that move, on the link's side
        self.racks: dict[str, Port] = {}  # shafts of the racks of slides

    def robot(self, base: Base, repaired: tuple[str, ...]) -> Robot:
        children = self.source.children
        place = self.model.add(Ground(self.names.new("ground"))).frame_b
        free = base == "free"
        if free:
            motion = self.model.add(FreeMotion(self.names.new("floating_base")))
            self.model.connect(place, motion.frame_a)
            place = motion.frame_b
        left = [(self.source.root, place)]
        while left:
            link, place = left.pop()
            self.frames[link] = place
            outlets = self._link(link, place, children[link])
            mount = place if free else None
            below = [(joint.child, self._joint(joint, outlets[joint.name], mount)) for joint in children[link]]
            left += reversed(below)
        for joint in self.source.joints.values():
            self._mimic(joint)
        # In the order of the file.
        frames = {name: self.frames[name] for name in self.source.links}
        left_out = tuple(f"{kind}: {', '.join(names)}" for kind, names in self.source.left_out.items() if names)
        coordinates = {name: self.coordinates[name] for name in self.source.joints if name in self.coordinates}
        return Robot(self.model, frames, coordinates, self.inputs, left_out, repaired)

    def _link(self, name: str, place: Port, carried: list[Joint]) -> dict[str, Port]:
        """Add the body of a link; return where the joints that it carries begin."""
        link = self.source.links[name]
        bent = self.flexible.get(name)
        if bent is not None:
            return self._flexible(name, bent, place, carried)
        if link.inertial is not None or link.shapes:
            inertial = link.inertial
            body = RigidBody(
                self.names.new(name, "_link"),
                mass=inertial.mass if inertial else 0.0,
                inertia=inertial.inertia if inertial else (0.0, 0.0, 0.0),
                center=tuple(inertial.center) if inertial else (0.0, 0.0, 0.0),
                shape=link.shapes[0] if len(link.shapes) == 1 else link.shapes or None,
            )
            self.model.connect(place, self.model.add(body).frame_a)
        return {joint.name: self._placed(joint, place, joint.pose) for joint in carried}

    def _flexible(self, name: str, bent: FlexibleLink, place: Port, carried: list[Joint]) -> dict[str, Port]:
        root = self._moved(f"{name}_root", place, bent.root)
        block = self.model.add(dataclasses.replace(bent.block, name=self.names.new(name, "_link")))
        self.model.connect(root, block.frame_a)
        outlets = {}
        for joint in carried:
            if joint is bent.end:
                outlets[joint.name] = self._placed(joint, block.frame_b, bent.tip)
                continue
            # The link's other joints are carried by the nearer end.
            apart = joint.pose.position - bent.end.pose.position
            at_tip = np.linalg.norm(apart) < np.linalg.norm(joint.pose.position)
            from_tip = bent.tip @ bent.end.pose.inverse @ joint.pose
            near, pose = (block.frame_b, from_tip) if at_tip else (place, joint.pose)
            outlets[joint.name] = self._placed(joint, near, pose)
        return outlets

    def _placed(self, joint: Joint, place: Port, pose: Pose) -> Port:
        """Return the frame from which a joint moves its child, at its coordinate 0."""
        if joint.moves:
            zero = joint.mimic.offset if joint.mimic else 0.0
            return self._moved(f"{joint.name}_origin", place, pose @ joint.motion(zero))
        if joint.kind == "free":
            return place  # its pose is where it starts
        # A fixed joint is this transform, and has its name.
        return self._moved(joint.name, place, pose, self.block_of[joint.name] if joint.kind == "fixed" else None)

    def _moved(self, text: str, place: Port, pose: Pose, name: str | None = None) -> Port:
        if pose.is_identity and name is None:
            return place
        block = FixedTransform(name or self.names.new(text), tuple(pose.position), pose.rotation)
        self.model.connect(place, self.model.add(block).frame_a)
        return block.frame_b

    def _joint(self, joint: Joint, place: Port, mount: Port | None) -> Port:
        """Add a joint with its drive; return the frame of its child."""
        name = self.block_of[joint.name]
        if joint.kind == "fixed":
            return place
        if joint.kind == "spherical":
            block: Any = Spherical(name, joint.damping)
        elif joint.kind == "free":
            block = FreeMotion(name, tuple(joint.pose.position), joint.pose.rotation)
        else:
            return self._driven(joint, name, place, mount)
        self.model.connect(place, self.model.add(block).frame_a)
        return block.frame_b

    def _driven(self, joint: Joint, name: str, place: Port, mount: Port | None) -> Port:
        if joint.mimic is not None:
            self._block(self.source.joints[joint.mimic.joint])  # first, since it names the coordinate of both
        block = self._block(joint)
        self.model.connect(place, block.frame_a)
        if isinstance(block, FlexibleJoint) and mount is not None:
            self.model.connect(mount, block.mount)
        self._on_the_axis(joint)
        drive = block.motor_flange if isinstance(block, FlexibleJoint) else self.flanges[joint.name]
        slide = joint.kind == "prismatic"
        motors = self._actuators(joint, motors=True)
        for each in motors[:1]:
            self.inputs[each.name] = f"{name}.motor.{'force' if slide else 'torque'}"
        for each in motors[1:]:
            source = (ForceSource if slide else TorqueSource)(self.names.new(f"{joint.name}_motor"), each.limit)
            self.model.connect(self.model.add(source).flange_b, drive)
            self.inputs[each.name] = f"{source.name}.{'force' if slide else 'torque'}"
        for each in self._actuators(joint, motors=False):
            servo = self.model.add(PDServo(self.names.new(f"{joint.name}_servo"), each.kp or 0.0))
            self.model.connect(servo.flange_b, self._shaft(joint) if slide else drive)
            self.inputs[each.name] = f"{servo.name}.reference"
        return block.frame_b

    def _actuators(self, joint: Joint, motors: bool) -> list[Actuator]:
        """Return the motors, or the servos, of a joint."""
        return [each for each in self.source.actuators if each.joint == joint.name and (each.kp is None) == motors]

    def _block(self, joint: Joint) -> Any:
        """Return the block of a joint that moves, in the model."""
        name = self.block_of[joint.name]
        if name in self.model:
            return self.model[name]
        shift = joint.mimic.offset if joint.mimic else 0.0
        slide, elastic = joint.kind == "prismatic", self.elastic.get(joint.name)
        common: dict[str, Any] = {
            "axis": tuple(joint.axis),
            "damping": joint.damping,
            "low": None if joint.low is None else joint.low - shift,
            "high": None if joint.high is None else joint.high - shift,
            "max_speed": joint.max_speed,
            "start": 0.0 if joint.mimic else joint.initial,
        }
        motors = self._actuators(joint, motors=True)
        if elastic is not None:
            drive = (elastic.rotor, elastic.stiffness, elastic.gear_ratio, elastic.damping)
            limit = motors[0].limit if motors else None
            block: Any = FlexibleJoint(name, *drive, limit=limit, **common)
        elif motors:
            block = (DrivenPrismatic if slide else DrivenRevolute)(name, limit=motors[0].limit, **common)
        else:
            block = (Prismatic if slide else Revolute)(name, **common)
        self.coordinates[joint.name] = f"{name}.{'displacement' if slide else 'angle'}"
        self.flanges[joint.name] = block.axis if isinstance(block, (Revolute, Prismatic)) else block.flange
        return self.model.add(block)

    def _on_the_axis(self, joint: Joint) -> None:
        """Add friction, armature and spring of a joint."""
        name = joint.name
        if joint.friction:
            friction = self.model.add(Friction(self.names.new(f"{name}_friction"), coulomb=joint.friction))
            self.model.connect(self._shaft(joint), friction.flange_b)
        if joint.armature and name not in self.elastic:
            start = 0.0 if joint.mimic else joint.initial
            rotor = self.model.add(Rotor(self.names.new(f"{name}_rotor"), joint.armature, start=start))
            self.model.connect(self._shaft(joint), rotor.flange_a)
        if joint.spring is not None:
            stiffness, rest = joint.spring
            rest -= joint.mimic.offset if joint.mimic else 0.0
            fixed = self.model.add(Fixed(self.names.new(f"{name}_spring_end")))
            spring = self.model.add(TorsionalSpring(self.names.new(f"{name}_spring"), stiffness, free_angle=rest))
            self.model.connect(fixed.flange_b, spring.flange_a)
            self.model.connect(spring.flange_b, self._shaft(joint))

    def _shaft(self, joint: Joint) -> Port:
        """Return the shaft of a joint; of a slide that of a rack with the radius of 1 m."""
        if joint.kind == "revolute":
            return self.flanges[joint.name]
        if joint.name not in self.racks:
            rack = self.model.add(Rack(self.names.new(f"{joint.name}_rack"), 1.0))
            self.model.connect(rack.flange_b, self.flanges[joint.name])
            self.racks[joint.name] = rack.flange_a
        return self.racks[joint.name]

    def _mimic(self, joint: Joint) -> None:
        """Couple a joint with the one that it mimics."""
        mimic = joint.mimic
        if mimic is None:
            return
        leader, follower = self.flanges[mimic.joint], self.flanges[joint.name]
        kinds = (self.source.joints[mimic.joint].kind, joint.kind)
        text = f"{joint.name}_mimic"
        if kinds[0] == kinds[1]:
            gear = (Gear if joint.kind == "revolute" else TranslationalGear)(self.names.new(text), 1 / mimic.ratio)
            self.model.add(gear)
            self.model.connect(leader, gear.flange_a)
            self.model.connect(gear.flange_b, follower)
            return
        turns_first = kinds[0] == "revolute"
        rack = self.model.add(Rack(self.names.new(text), mimic.ratio if turns_first else 1 / mimic.ratio))
        shaft, slide = (leader, follower) if turns_first else (follower, leader)
        self.model.connect(shaft, rack.flange_a)
        self.model.connect(rack.flange_b, slide)
