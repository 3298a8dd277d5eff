"""Beams, bodies of finite elements and other flexible bodies, in place of rigid links of a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.beam.from_block import beam_from_block
from flexblocks.blocks import FlexibleBeam, ReducedBody
from flexblocks.bodies import FlexibleBody
from flexblocks.errors import ModelError, ParameterError, listing
from flexblocks.importers.description import Description, Joint, Link, Pose
from flexblocks.interfaces import Block, Composite
from flexblocks.libraries import scipy
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import LINK_MASS

# A link, or a link and the joint at which the flexible body ends: a block, or arguments of a FlexibleBeam.
Flexible = Mapping[str | tuple[str, str], Block | Composite | Mapping[str, Any]]
LENGTH_SLACK = 1e-3  # of the length: lengths are written with three digits
MASS_SLACK = 0.1  # of the file's mass, as a beam leaves out flanges and motors


@dataclass(frozen=True, eq=False)
class FlexibleLink:
    """A flexible body between two joints: the block, its place in the link, and where it ends, in `frame_b`."""

    block: Block | Composite
    root: Pose
    end: Joint
    tip: Pose


def flexible_links(robot: Description, flexible: Flexible) -> dict[str, FlexibleLink]:
    """Return the flexible bodies by link.

    Raises
    ------
    ModelError
        The link carries nothing, or several joints of which none was named, or begins and ends at one point.
    ParameterError
        The length of the beam is not the distance of the joints, or an argument is wrong.
    """
    children = robot.children
    found = {}
    for key, body in flexible.items():
        name, joint = key if isinstance(key, tuple) else (key, None)
        end = _end(robot, name, joint, children[name])
        found[name] = _flexible_link(robot, name, end, body)
    return found


def _end(robot: Description, name: str, wanted: str | None, carried: list[Joint]) -> Joint:
    where = f"{robot.where}: flexible: link '{name}'"
    if wanted is not None:
        for joint in carried:
            if joint.name == wanted:
                return joint
        raise ModelError(f"{where} does not carry joint '{wanted}'; it carries {listing(j.name for j in carried)}.")
    moving = [joint for joint in carried if joint.kind != "fixed"]
    for candidates in (carried, moving):
        if len(candidates) == 1:
            return candidates[0]
    if not carried:
        raise ModelError(f"{where} carries no joint, at which it could end; add a fixed joint at its tip to the file.")
    raise ModelError(
        f"{where} carries {len(carried)} joints ({listing(j.name for j in carried)}); say at which the flexible body "
        f"ends: flexible={{('{name}', '{(moving or carried)[0].name}'): ...}}."
    )


def _flexible_link(robot: Description, name: str, end: Joint, body: Any) -> FlexibleLink:
    where = f"{robot.where}: flexible: link '{name}'"
    if isinstance(body, ReducedBody):
        return _reduced_link(where, robot.links[name], end, body)
    if isinstance(body, (Block, Composite)) and not isinstance(body, FlexibleBeam):
        return FlexibleLink(body, Pose(), end, Pose())
    way = end.pose.position
    length = float(np.linalg.norm(way))
    if not length:
        raise ModelError(f"{where} begins and ends at one point (joint '{end.name}'); a beam has a length.")
    link = robot.links[name]
    beam = _beam(where, name, length, link, body)
    _warn_of_other_mass(where, link, "beam", float(beam_from_block(beam, np.zeros((6, 6))).mass))
    root = Pose(np.zeros(3), _axes(way / length, _axes_of_joints(robot, name, end)))
    along = Pose(np.array([length, 0.0, 0.0]))
    return FlexibleLink(beam, root, end, (root @ along).inverse @ end.pose)


def _beam(where: str, name: str, length: float, link: Link, body: Any) -> FlexibleBeam:
    """Return the beam, as long as the link, and as heavy unless its mass is given otherwise."""
    mass = link.inertial.mass if link.inertial else 0.0
    if isinstance(body, Mapping):
        given = dict(body)
        for argument, value in (("name", name), ("length", length)):
            if argument in given:
                raise ParameterError(f"{where}: {argument} = {given[argument]!r}; leave it out, it is {value!r} here.")
        if not {"linear_density", "section", "material"} & given.keys():
            if not mass:
                raise ParameterError(f"{where} has no mass; give the beam's: linear_density=, or section=, material=.")
            given["linear_density"] = mass / length
        return FlexibleBeam("beam", length, **given)
    if not isinstance(body, FlexibleBeam):
        raise ParameterError(
            f"{where}: {body!r}; must be a fb.FlexibleBeam, a dict of its arguments, or a block with frame_a and "
            "frame_b."
        )
    if abs(body.length - length) > LENGTH_SLACK * length:
        raise ParameterError(
            f"{where}: length = {body.length:g} m; must be {length:.6g} m, the distance of its joints. Or give its "
            "arguments without name and length, as a dict."
        )
    return dataclasses.replace(body, length=length)


def _reduced_link(where: str, link: Link, end: Joint, block: ReducedBody) -> FlexibleLink:
    """Return a body of finite elements, whose ``frame_a`` is the link's frame and ``frame_b`` where a joint is.

    Raises
    ------
    ParameterError
        Its ``frame_b`` is elsewhere.
    """
    body = block.body
    assert isinstance(body, FlexibleBody)
    point = body.points[body.names.index("frame_b")]
    apart = float(np.linalg.norm(point - end.pose.position))
    if apart > LENGTH_SLACK * max(float(np.linalg.norm(point)), np.finfo(float).tiny):
        raise ParameterError(
            f"{where}: frame_b of the body is at ({', '.join(f'{x:.5g}' for x in point)}) m and joint '{end.name}' at "
            f"({', '.join(f'{x:.5g}' for x in end.pose.position)}) m in the axes of the link; both must be one place, "
            "and frame_a the origin of the link."
        )
    _warn_of_other_mass(where, link, "body", body.mass)
    return FlexibleLink(block, Pose(), end, Pose(point).inverse @ end.pose)


def _warn_of_other_mass(where: str, link: Link, what: str, mass: float) -> None:
    """Warn if a beam or body is much lighter or heavier than the link it replaces."""
    stated = link.inertial.mass if link.inertial else 0.0
    if abs(mass - stated) > MASS_SLACK * stated:
        less = "Leave linear_density out to keep the mass, or add" if what == "beam" else "Check its units, or add"
        warn(
            f"{where} has {stated:g} kg in the file, and its {what} {mass:g} kg. {less} what is missing to the model.",
            LINK_MASS,
        )


def _axes_of_joints(robot: Description, name: str, end: Joint) -> list[np.ndarray]:
    """Return the axes of the joints at the root and at the end of a link, in its axes."""
    before = [joint.axis for joint in robot.joints.values() if joint.child == name and joint.kind == "revolute"]
    return before + ([end.pose.rotation @ end.axis] if end.kind == "revolute" else [])


def _axes(x: np.ndarray, joints: list[np.ndarray]) -> np.ndarray:
    """Return axes with this x, and z along the first joint across it: that joint then turns it along y."""
    across = [axis - (axis @ x) * x for axis in (*joints, *np.eye(3))]
    z = next(each for each in across if np.linalg.norm(each) > 0.5)
    z = z / np.linalg.norm(z)
    # The triad is orthonormal to rounding whatever the angle of x and the axis was.
    return scipy.spatial.transform.Rotation.from_matrix(np.column_stack([x, np.cross(z, x), z])).as_matrix()
