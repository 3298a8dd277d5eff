"""What a URDF file says, as a description."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, FlexblocksError, ModelError, listing
from flexblocks.files import expanded
from flexblocks.importers.description import Actuator, Description, Inertial, Joint, Link, Mimic, Pose
from flexblocks.importers.foreign_xml import number, numbers, read_xml
from flexblocks.importers.mesh_roots import MeshRoots, Packages
from flexblocks.shapes import Cuboid, Cylinder, Mesh, Sphere
from flexblocks.shapes.shape import Shape, attitude_matrix
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import FILE_LEAVES_OUT

KINDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed"}
WITHOUT_LIMIT = 1e6  # rad or m, and per second: what files write who mean none


def read_urdf(path: str | Path, packages: Packages, gravity: Sequence[float]) -> Description:
    """Return what a URDF file says."""
    root = read_xml(path)
    if root.tag != "robot":
        hint = " It is MuJoCo's format: fb.from_mjcf reads it." if root.tag == "mujoco" else ""
        raise FileFormatError(
            f"{path}: begins with <{root.tag}>; must be a URDF file, which begins with <robot>.{hint}"
        )
    if any("xacro" in element.tag.lower() for element in root.iter()):
        raise FileFormatError(f"{path}: has macros of xacro; expand them first: xacro robot.xacro > robot.urdf.")
    return _Reader(f"{path}", root, MeshRoots(expanded(path), packages)).description(gravity)


class _Reader:
    def __init__(self, where: str, root: ET.Element, meshes: MeshRoots) -> None:
        self.where, self.root, self.meshes = where, root, meshes
        self.left_out: dict[str, list[str]] = {}
        self.colors = {
            material.get("name"): tuple(numbers(where, material.find("color"), "rgba", None, 4))
            for material in root.findall("material")
            if material.find("color") is not None
        }

    def description(self, gravity: Sequence[float]) -> Description:
        links = {name: self._link(name, element) for name, element in self._named("link").items()}
        elements = self._named("joint")
        joints = {name: self._joint(name, element) for name, element in elements.items()}
        if not links:
            raise FileFormatError(f"{self.where}: has no links; must have one at least.")
        for element in self.root:
            if element.tag not in ("link", "joint", "material"):
                self._leave(
                    element.tag, element.get("name") or element.get("reference") or element.get("type") or "one"
                )
        actuators = tuple(
            Actuator(name, name, limit=self._effort(name, elements[name]))
            for name, joint in joints.items()
            if joint.moves and joint.mimic is None
        )
        name = self.root.get("name") or Path(self.where).stem
        left_out = {kind: tuple(dict.fromkeys(names)) for kind, names in self.left_out.items()}
        if "meshes" in left_out:
            warn(
                f"{self.where}: {len(left_out['meshes'])} meshes are left out: {listing(left_out['meshes'], 3)}.",
                FILE_LEAVES_OUT,
            )
        return Description(self.where, name, tuple(gravity), links, joints, actuators, left_out)

    def _named(self, tag: str) -> dict[str, ET.Element]:
        found: dict[str, ET.Element] = {}
        for element in self.root.findall(tag):
            name = element.get("name")
            if not name or name in found:
                reason = f"the name '{name}' twice" if name else "no name"
                raise FileFormatError(f"{self.where}: a {tag} has {reason}; must have one of its own.")
            found[name] = element
        return found

    def _leave(self, kind: str, name: str) -> None:
        self.left_out.setdefault(kind, []).append(name)

    def _pose(self, where: str, element: ET.Element | None) -> Pose:
        origin = None if element is None else element.find("origin")
        rpy = numbers(where, origin, "rpy", (0.0, 0.0, 0.0))
        return Pose(numbers(where, origin, "xyz", (0.0, 0.0, 0.0)), attitude_matrix(rpy))

    def _link(self, name: str, element: ET.Element) -> Link:
        where = f"{self.where}: link '{name}'"
        if element.find("collision") is not None:
            self._leave("collision geometry", name)
        shapes = [self._shape(f"{where}: visual", name, visual) for visual in element.findall("visual")]
        return Link(name, self._inertial(where, element), tuple(each for each in shapes if each is not None))

    def _inertial(self, where: str, element: ET.Element) -> Inertial | None:
        inertial = element.find("inertial")
        if inertial is None:
            return None
        where = f"{where}: inertial"
        mass = number(where, inertial.find("mass"), "value")
        moments = inertial.find("inertia")
        if moments is None and mass:
            raise FileFormatError(f"{where}: inertia is missing; must have ixx, iyy and izz.")
        xx, yy, zz = (number(where, moments, name, 0.0 if moments is None else None) for name in ("ixx", "iyy", "izz"))
        xy, xz, yz = (number(where, moments, name, 0.0) for name in ("ixy", "ixz", "iyz"))
        pose = self._pose(where, inertial)
        matrix = pose.rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ pose.rotation.T
        return Inertial(mass, pose.position, (matrix + matrix.T) / 2)

    def _shape(self, where: str, link: str, visual: ET.Element) -> Shape | None:
        geometry = visual.find("geometry")
        if geometry is None or not len(geometry):
            raise FileFormatError(f"{where}: geometry is missing; must be a box, cylinder, sphere or mesh.")
        one, pose = geometry[0], self._pose(where, visual)
        placed: dict[str, Any] = {"position": tuple(pose.position), "orientation": pose.rotation}
        placed["color"] = self._color(where, visual.find("material"))
        try:
            if one.tag == "box":
                return Cuboid(tuple(numbers(where, one, "size", None)), **placed)
            if one.tag == "cylinder":
                return Cylinder(number(where, one, "radius"), number(where, one, "length"), **placed)
            if one.tag == "sphere":
                return Sphere(number(where, one, "radius"), **placed)
            if one.tag == "mesh":
                uri = one.get("filename") or ""
                file, reason = self.meshes.find(uri)
                if file is None:
                    self._leave("meshes", f"{uri} of '{link}' ({reason})")
                    return None
                return Mesh(str(file), tuple(numbers(where, one, "scale", (1.0, 1.0, 1.0))), **placed)
        except FlexblocksError as error:
            raise FileFormatError(f"{where}: {error}" if self.where not in str(error) else str(error)) from None
        self._leave("shapes of other kinds", f"{one.tag} of '{link}'")
        return None

    def _color(self, where: str, material: ET.Element | None) -> tuple[float, ...] | None:
        if material is None:
            return None
        color = material.find("color")
        if color is None:
            return self.colors.get(material.get("name"))
        return tuple(np.clip(numbers(where, color, "rgba", None, 4), 0.0, 1.0))

    def _joint(self, name: str, element: ET.Element) -> Joint:
        where = f"{self.where}: joint '{name}'"
        ends = {}
        for tag in ("parent", "child"):
            end = element.find(tag)
            ends[tag] = "" if end is None else end.get("link") or ""
        kind = element.get("type") or ""
        if kind in ("planar", "floating"):
            raise ModelError(
                f"{where}: is {kind}; must be {', '.join(KINDS)}. A robot that floats has base='free' and no "
                "such joint."
            )
        if kind not in KINDS:
            raise FileFormatError(f"{where}: type = '{kind}'; must be one of {', '.join(KINDS)}.")
        for tag in ("safety_controller", "calibration"):
            if element.find(tag) is not None:
                self._leave(tag.replace("_", " "), name)
        pose = self._pose(where, element)
        if KINDS[kind] == "fixed":
            return Joint(name, "fixed", ends["parent"], ends["child"], pose)
        axis = numbers(where, element.find("axis"), "xyz", (1.0, 0.0, 0.0))
        if not axis.any():
            raise FileFormatError(f"{where}: axis = 0 0 0; must have a direction.")
        dynamics = element.find("dynamics")
        low, high, max_speed = self._limits(where, name, kind, element.find("limit"))
        return Joint(
            name,
            KINDS[kind],  # type: ignore[arg-type]  # a value of the table
            ends["parent"],
            ends["child"],
            pose,
            axis / np.linalg.norm(axis),
            damping=self._not_negative(where, dynamics, "damping"),
            friction=self._not_negative(where, dynamics, "friction"),
            low=low,
            high=high,
            max_speed=max_speed,
            mimic=self._mimic(where, element.find("mimic")),
        )

    def _not_negative(self, where: str, element: ET.Element | None, name: str) -> float:
        value = number(where, element, name, 0.0)
        if value < 0:
            raise FileFormatError(f"{where}: {name} = {value:g}; must be >= 0.")
        return value

    def _limits(
        self, where: str, name: str, kind: str, limit: ET.Element | None
    ) -> tuple[float | None, float | None, float | None]:
        speed = self._limit(where, limit, "velocity")
        max_speed = abs(speed) if speed and abs(speed) < WITHOUT_LIMIT else None
        if kind == "continuous" or limit is None or not {"lower", "upper"} & set(limit.keys()):
            return None, None, max_speed
        low, high = (self._limit(where, limit, end) for end in ("lower", "upper"))
        if low == high == 0:
            self._leave("limits from 0 to 0", name)
            return None, None, max_speed
        if low >= high:
            raise FileFormatError(
                f"{where}: limit: lower = {low:g}, upper = {high:g}; lower must be less. Make a joint that does not "
                "move a fixed one."
            )
        return low if abs(low) < WITHOUT_LIMIT else None, high if abs(high) < WITHOUT_LIMIT else None, max_speed

    def _limit(self, where: str, limit: ET.Element | None, name: str) -> float:
        """Return an attribute of a limit, which may be infinite."""
        text = "" if limit is None else (limit.get(name) or "").strip().lower()
        if text.lstrip("+-") in ("inf", "infinity"):
            return -np.inf if text.startswith("-") else np.inf
        return number(f"{where}: limit", limit, name, 0.0)

    def _effort(self, name: str, element: ET.Element) -> float | None:
        effort = abs(self._limit(f"{self.where}: joint '{name}'", element.find("limit"), "effort"))
        return effort if 0 < effort < np.inf else None

    def _mimic(self, where: str, mimic: ET.Element | None) -> Mimic | None:
        if mimic is None:
            return None
        where = f"{where}: mimic"
        return Mimic(
            mimic.get("joint") or "", number(where, mimic, "multiplier", 1.0), number(where, mimic, "offset", 0.0)
        )
