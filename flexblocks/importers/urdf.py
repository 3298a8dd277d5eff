"""Robots from URDF files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from flexblocks.importers.build import robot_from
from flexblocks.importers.changes import Base, Changes
from flexblocks.importers.elastic import Elastic
from flexblocks.importers.flexible_links import Flexible
from flexblocks.importers.inertias import Treatment
from flexblocks.importers.mesh_roots import Packages
from flexblocks.importers.robot import Robot
from flexblocks.importers.urdf_reader import read_urdf


def from_urdf(
    path: str | Path,
    base: Base = "fixed",
    flexible: Flexible | None = None,
    elastic: Mapping[str, Elastic] | None = None,
    lock: Mapping[str, float] | None = None,
    *,
    start: Mapping[str, float] | None = None,
    passive: Collection[str] = (),
    inertia: Treatment = "refuse",
    packages: Packages = None,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
) -> Robot:
    """Return the robot in a URDF file, as a model of ordinary blocks.

    Every joint that moves has a motor, named as of a `FlexibleJoint`: the joint ``shoulder`` has the coordinate
    ``shoulder.angle`` and the input ``shoulder.motor.torque`` (of a slide ``shoulder.displacement`` and
    ``shoulder.motor.force``), with the effort of the file as its limit. Positions and speeds have the limits of the
    file, which plans keep. Damping is viscous, friction dry (`Friction`). Joints that mimic another one have no motor;
    gears couple them, and their coordinate is counted from the offset. Characters that names of blocks cannot have
    become underscores.

    Parameters
    ----------
    path : str or Path
        ``~`` stands for the home directory.
    base : "fixed" or "free"
        Whether the root of the file stands, or moves freely (``floating_base``).
    flexible : dict, optional
        Beams in place of rigid links, by the name of the link; by (link, joint) where the link carries several joints,
        and the beam ends at this one. A beam is a dict of arguments of `FlexibleBeam`, without name and length: it is
        straight from joint to joint, its z axis along the first of them, and has the mass of the file unless
        ``linear_density`` or ``section`` and ``material`` are given. Or it is a whole `FlexibleBeam` of that length; a
        `ReducedBody`, whose ``frame_a`` is the link's frame and ``frame_b`` at the joint; or any other block with these
        two. Other joints of the link are carried by the nearer end.
    elastic : dict of Elastic, optional
        Rotor, gear and spring between motor and link, by the name of the joint.
    lock : dict of float, optional
        Joints that are fixed at a position [rad or m], by name.
    start : dict of float, optional
        Start values by name of the joint [rad or m]; by default zero, or the middle of limits that exclude zero.
    passive : collection of str, optional
        Joints without a motor.
    inertia : "refuse" or "repair"
        What becomes of inertias that no rigid body has: all are listed in an error, or each is replaced by the nearest
        that a body has, and listed in ``robot.repaired``.
    packages : dict, path or list of paths, optional
        Where ``package://`` leads: folders by the name of the package, or folders that are packages or hold them.
        Without it a folder above the file with the package's name is taken. Meshes are read from there, and from the
        folder of the file, alone; others are left out with a warning.
    gravity : (3,)
        Acceleration of free fall in world axes [m/s2].

    Returns
    -------
    Robot
        ``robot.model``, and where in it links, joints and actuators are.

    Raises
    ------
    FileFormatError
        The file is not there, is no URDF (xacro has to be expanded first), is too large, declares a document type, or
        has something that is no number.
    ModelError
        The robot is no tree, has planar or floating joints inside, inertias of no rigid body, or joints that move no
        mass.
    NameUnknownError
        An argument names a link or joint that is not in the file.
    ParameterError
        A number is out of its range.

    Notes
    -----
    Without elasticity, mass matrix, gravity and inverse dynamics are those of Pinocchio to rounding.
    """
    source = read_urdf(path, packages, gravity)
    return robot_from(source, Changes.of(base, flexible, elastic, lock, start, passive, inertia))
