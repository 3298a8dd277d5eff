"""Robots from MuJoCo's files, by the model that MuJoCo compiles."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from flexblocks.importers.build import robot_from
from flexblocks.importers.changes import Changes
from flexblocks.importers.elastic import Elastic
from flexblocks.importers.flexible_links import Flexible
from flexblocks.importers.inertias import Treatment
from flexblocks.importers.mesh_roots import Packages
from flexblocks.importers.mjcf_reader import read_mjcf
from flexblocks.importers.robot import Robot


def from_mjcf(
    path: str | Path,
    flexible: Flexible | None = None,
    elastic: Mapping[str, Elastic] | None = None,
    lock: Mapping[str, float] | None = None,
    *,
    start: Mapping[str, float] | None = None,
    passive: Collection[str] = (),
    inertia: Treatment = "refuse",
    packages: Packages = None,
    gravity: Sequence[float] | None = None,
) -> Robot:
    """Return the robot in a MuJoCo file (MJCF), as a model of ordinary blocks.

    MuJoCo compiles the file (extra ``robots``); bodies become links, and sites frames. Armature is a `Rotor` on the
    joint, friction loss is dry `Friction`, joint springs are `TorsionalSpring`. A motor is that of its joint, as of
    `flexblocks.from_urdf`: ``shoulder.motor.torque``. A position actuator is a `PDServo` on the joint, with its gain as
    ``kp`` and its reference ``shoulder_servo.reference``; its damping is viscous damping of the joint, as in MuJoCo.
    Joint equalities of first degree are gears. What acts on a slide acts on the shaft of a `Rack` of 1 m.

    Parameters
    ----------
    path : str or Path
        ``~`` stands for the home directory.
    flexible, elastic, lock, start, passive, inertia
        As of `flexblocks.from_urdf`, by the names of bodies and joints; those without one are ``body1``, ``joint1`` and
        so on. The rotor of an elastic joint replaces its armature; beside a servo such a joint has a motor, for
        feed-forward torque.
    packages : dict, path or list of paths, optional
        Folders that hold what the file includes or names, if it lies outside the folder of the file.
    gravity : (3,), optional
        Acceleration of free fall in world axes [m/s2]; by default that of the file.

    Returns
    -------
    Robot
        ``robot.model``, and where in it links, joints and actuators are.

    Raises
    ------
    FileFormatError
        The file is not there, MuJoCo cannot compile it, it declares a document type, or names files outside its folder
        and `packages`.
    MissingExtraError
        The package ``mujoco`` is not installed.
    ModelError
        The robot has tendons, equality constraints that are no ratio of joints, free joints of several bodies or
        inside the tree, plugins, flexible bodies of MuJoCo's own; or as of `flexblocks.from_urdf`.
    NameUnknownError
        An argument names a body or joint that is not in the file.
    ParameterError
        A number is out of its range.

    Notes
    -----
    Contacts, and actuators other than motors and position actuators, are left out; see ``robot.left_out``.
    """
    source = read_mjcf(path, packages, gravity)
    return robot_from(source, Changes.of("fixed", flexible, elastic, lock, start, passive, inertia))
