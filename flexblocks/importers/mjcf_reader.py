"""What MuJoCo's compiled model says, as a description."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, ModelError, failure, listing
from flexblocks.files import expanded
from flexblocks.importers.description import Actuator, Description, Inertial, Joint, Link, Mimic, Pose
from flexblocks.importers.foreign_xml import read_xml
from flexblocks.importers.mesh_roots import MeshRoots, Packages
from flexblocks.importers.mjcf_shapes import MujocoShapes
from flexblocks.importers.mujoco_values import is_one_of, pose_of
from flexblocks.libraries import optional
from flexblocks.shapes.shape import Shape
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import FILE_LEAVES_OUT

FILE_ATTRIBUTES = ("file", "fileback", "filedown", "filefront", "fileleft", "fileright", "fileup")
FOLDER_ATTRIBUTES = ("assetdir", "meshdir", "texturedir")


def read_mjcf(path: str | Path, packages: Packages, gravity: Sequence[float] | None) -> Description:
    """Return what a MuJoCo file says."""
    mujoco = optional("mujoco", "fb.from_mjcf")
    roots = MeshRoots(expanded(path), packages)
    _refuse_foreign_paths(path, read_xml(path), roots)
    try:
        model = mujoco.MjModel.from_xml_path(str(expanded(path)))
    except Exception as error:  # whatever MuJoCo's compiler refuses
        raise FileFormatError(f"{path}: MuJoCo cannot compile it: {failure(error)}.") from None
    return _Reader(f"{path}", mujoco, model, roots).description(gravity)


def _refuse_foreign_paths(path: str | Path, root: ET.Element, roots: MeshRoots) -> None:
    """Refuse a file that has MuJoCo read outside the folders that are given, or load plugins."""
    if root.tag != "mujoco":
        hint = " It is a URDF file: fb.from_urdf reads it." if root.tag == "robot" else ""
        raise FileFormatError(
            f"{path}: begins with <{root.tag}>; must be a MuJoCo file, which begins with <mujoco>.{hint}"
        )
    left, read = [(f"{path}", root)], {str(path)}
    folders = [""]
    texts: list[tuple[str, str]] = []
    while left:
        where, element = left.pop()
        for one in element.iter():
            if one.tag == "plugin":
                raise ModelError(f"{where}: has plugins of MuJoCo, which are not read; leave <plugin> out.")
            folders += [one.get(name, "") for name in FOLDER_ATTRIBUTES if one.get(name)]
            names = [one.get(name, "") for name in FILE_ATTRIBUTES if one.get(name)]
            texts += [(where, name) for name in names]
            if one.tag in ("include", "model") and names:
                file, reason = roots.find(names[0])
                if file is None:
                    raise FileFormatError(f"{where}: <{one.tag} file='{names[0]}'>: {reason}.")
                if str(file) not in read:
                    read.add(str(file))
                    left.append((f"{file}", read_xml(file)))
    for where, text in texts:
        for folder in folders:
            if not roots.holds(roots.folder / folder / text):
                raise FileFormatError(
                    f"{where}: names '{text}' in '{folder or '.'}', which lies outside the folder of the file; "
                    "name a folder that holds it in packages=."
                )


class _Reader:
    """The description of a compiled model `m`."""

    def __init__(self, where: str, mujoco: Any, m: Any, roots: MeshRoots) -> None:
        self.where, self.mujoco, self.m, self.roots = where, mujoco, m, roots
        self.left_out: dict[str, list[str]] = {}
        self.links: dict[str, Link] = {}
        self.joints: dict[str, Joint] = {}

    def name(self, kind: str, i: int) -> str:
        """Return the name of the i-th object of a kind, of one without name its number."""
        text = self.mujoco.mj_id2name(self.m, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), i)
        return text or f"{kind}{i}"

    def description(self, gravity: Sequence[float] | None) -> Description:
        m = self.m
        self._refuse()
        bodies = [self.name("body", b) for b in range(m.nbody)]
        shapes = MujocoShapes(self.mujoco, m, self.roots, self._leave).of_bodies(bodies)
        self.links[bodies[0]] = Link(bodies[0], None, shapes[0])
        for b in range(1, m.nbody):
            self._body(b, bodies, shapes[b])
        self._mimics()
        for s in range(m.nsite):
            self._frame(self.name("site", s), bodies[m.site_bodyid[s]], pose_of(m.site_pos[s], m.site_quat[s]))
        actuators = tuple(each for a in range(m.nu) if (each := self._actuator(a)) is not None)
        self._count_what_is_left()
        left_out = {kind: tuple(dict.fromkeys(names)) for kind, names in self.left_out.items()}
        for kind in ("actuators", "meshes"):
            if kind in left_out:
                warn(f"{self.where}: {kind} are left out: {listing(left_out[kind], 3)}.", FILE_LEAVES_OUT)
        name = Path(self.where).stem
        named = bytes(m.names).split(b"\0", 1)[0].decode(errors="replace")
        falls = tuple(map(float, m.opt.gravity)) if gravity is None else tuple(gravity)
        return Description(self.where, named or name, falls, self.links, self.joints, actuators, left_out)

    def _refuse(self) -> None:
        """Refuse what a model of blocks cannot be."""
        m, obj = self.m, self.mujoco.mjtObj
        if m.ntendon:
            names = listing(self.name("tendon", i) for i in range(m.ntendon))
            raise ModelError(
                f"{self.where}: has tendons ({names}); leave them out, and add ropes (fb.Cable) to the model."
            )
        if getattr(m, "nflex", 0):
            raise ModelError(f"{self.where}: has flexible bodies of MuJoCo (<flex>); leave them out of the file.")
        kinds = self.mujoco.mjtEq
        for e in range(m.neq):
            if not is_one_of(m.eq_type[e], kinds.mjEQ_JOINT) or m.eq_data[e][2:5].any() or m.eq_obj2id[e] < 0:
                kind = kinds(int(m.eq_type[e])).name.removeprefix("mjEQ_").lower()
                name = self.mujoco.mj_id2name(m, obj.mjOBJ_EQUALITY, e) or f"equality{e}"
                raise ModelError(
                    f"{self.where}: equality '{name}' ({kind}) is no fixed ratio of two joints; leave it out, and "
                    "close the loop in the model."
                )
        free = [b for b in range(1, m.nbody) if self._kinds(b)[:1] == [0]]
        inner = [self.name("body", b) for b in free if m.body_parentid[b] != 0]
        if inner:
            raise ModelError(f"{self.where}: '{inner[0]}' has a free joint inside the tree; must be at the world.")
        if len(free) > 1:
            raise ModelError(
                f"{self.where}: {len(free)} bodies move freely ({listing(self.name('body', b) for b in free)}); must "
                "be one robot."
            )

    def _kinds(self, b: int) -> list[int]:
        first = self.m.body_jntadr[b]
        return [int(self.m.jnt_type[j]) for j in range(first, first + self.m.body_jntnum[b])]

    def _frame(self, name: str, parent: str, pose: Pose) -> str:
        """Add a frame that a link carries; return its name."""
        while name in self.links:
            name += "_"
        joint = name
        while joint in self.joints:
            joint += "_"
        self.links[name] = Link(name)
        self.joints[joint] = Joint(joint, "fixed", parent, name, pose)
        return name

    def _body(self, b: int, bodies: list[str], shapes: tuple[Shape, ...]) -> None:
        m, name = self.m, bodies[b]
        turned = pose_of(m.body_ipos[b], m.body_iquat[b])
        inertia = turned.rotation @ np.diag(m.body_inertia[b]) @ turned.rotation.T
        mass = float(m.body_mass[b])
        inertial = Inertial(mass, turned.position, (inertia + inertia.T) / 2) if mass or inertia.any() else None
        parent, pose = bodies[m.body_parentid[b]], pose_of(m.body_pos[b], m.body_quat[b])
        if m.body_gravcomp[b]:
            self._leave("gravity compensation", name)
        indices = range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
        for count, j in enumerate(indices):
            # The joint turns about its anchor; the frame before it lies there, and that behind it goes back.
            anchor = Pose(np.array(m.jnt_pos[j]))
            last = count == len(indices) - 1
            child = name if last and not m.jnt_pos[j].any() else self._unused(f"{name}_{self.name('joint', j)}")
            self.joints[self.name("joint", j)] = self._joint(j, parent, child, pose @ anchor)
            if child != name:
                self.links[child] = Link(child)
            parent, pose = child, anchor.inverse
        self.links[name] = Link(name, inertial, shapes)
        if parent != name:
            joint = f"{name}_fixed" if name in self.joints else name
            self.joints[joint] = Joint(joint, "fixed", parent, name, pose)

    def _unused(self, name: str) -> str:
        while name in self.links:
            name += "_"
        return name

    def _joint(self, j: int, parent: str, child: str, pose: Pose) -> Joint:
        m, name, dof = self.m, self.name("joint", j), self.m.jnt_dofadr[j]
        for values in ("jnt_stiffnesspoly", "dof_dampingpoly"):
            if np.any(getattr(m, values, np.zeros((m.njnt + m.nv, 1)))[j if values[0] == "j" else dof]):
                self._leave("powers of springs and dampers", name)
        kind = int(m.jnt_type[j])
        if is_one_of(kind, self.mujoco.mjtJoint.mjJNT_FREE):
            qpos = m.qpos0[m.jnt_qposadr[j] :][:7]
            return Joint(name, "free", parent, child, pose_of(qpos[:3], qpos[3:]))
        damping = float(m.dof_damping[dof])
        if is_one_of(kind, self.mujoco.mjtJoint.mjJNT_BALL):
            size = slice(dof, dof + 3)
            if m.dof_armature[size].any() or m.dof_frictionloss[size].any() or m.jnt_stiffness[j]:
                raise ModelError(
                    f"{self.where}: ball joint '{name}' has armature, friction or a spring, which a fb.Spherical does "
                    "not have; leave these out."
                )
            if m.jnt_limited[j]:
                self._leave("limits of ball joints", name)
            return Joint(name, "spherical", parent, child, pose, damping=damping)
        zero = float(m.qpos0[m.jnt_qposadr[j]])
        stiffness = float(m.jnt_stiffness[j])
        limited = bool(m.jnt_limited[j])
        return Joint(
            name,
            "revolute" if is_one_of(kind, self.mujoco.mjtJoint.mjJNT_HINGE) else "prismatic",
            parent,
            child,
            pose,
            np.array(m.jnt_axis[j]),
            damping=damping,
            friction=float(m.dof_frictionloss[dof]),
            armature=float(m.dof_armature[dof]),
            spring=(stiffness, float(m.qpos_spring[m.jnt_qposadr[j]])) if stiffness else None,
            low=float(m.jnt_range[j][0]) if limited else None,
            high=float(m.jnt_range[j][1]) if limited else None,
            zero=zero,
            start=zero or None,
        )

    def _mimics(self) -> None:
        m = self.m
        for e in range(m.neq):
            if not m.eq_active0[e]:
                self._leave("inactive equalities", self.name("equality", e))
                continue
            follower, leader = (self.name("joint", int(j)) for j in (m.eq_obj1id[e], m.eq_obj2id[e]))
            joint, other = self.joints[follower], self.joints[leader]
            if joint.mimic is not None:
                raise ModelError(f"{self.where}: joint '{follower}' has two equalities; must have one.")
            constant, ratio = map(float, m.eq_data[e][:2])
            mimic = Mimic(leader, ratio, joint.zero + constant - ratio * other.zero)
            self.joints[follower] = dataclasses.replace(joint, mimic=mimic)

    def _actuator(self, a: int) -> Actuator | None:
        """Return a motor or position actuator of a joint; others are left out."""
        m, mj, name = self.m, self.mujoco, self.name("actuator", a)
        at_joint = is_one_of(m.actuator_trntype[a], mj.mjtTrn.mjTRN_JOINT, mj.mjtTrn.mjTRN_JOINTINPARENT)
        joint = self.joints.get(self.name("joint", int(m.actuator_trnid[a][0]))) if at_joint else None
        plain = is_one_of(m.actuator_dyntype[a], mj.mjtDyn.mjDYN_NONE) and is_one_of(
            m.actuator_gaintype[a], mj.mjtGain.mjGAIN_FIXED
        )
        gear, gain = float(m.actuator_gear[a][0]), float(m.actuator_gainprm[a][0])
        unbiased = is_one_of(m.actuator_biastype[a], mj.mjtBias.mjBIAS_NONE)
        bias = np.zeros(3) if unbiased else m.actuator_biasprm[a][:3]
        affine = unbiased or is_one_of(m.actuator_biastype[a], mj.mjtBias.mjBIAS_AFFINE)
        if joint is None or not joint.moves or not (plain and affine) or not gear * gain or bias[0]:
            self._leave("actuators", name)
            return None
        if joint.mimic is not None:
            self._leave("actuators", f"{name} of '{joint.name}', which follows another joint")
            return None
        forces = [float(np.abs(m.actuator_forcerange[a]).max()) * abs(gear)] if m.actuator_forcelimited[a] else []
        if not bias.any():
            if m.actuator_ctrllimited[a]:
                forces.append(float(np.abs(m.actuator_ctrlrange[a]).max()) * abs(gear * gain))
            return Actuator(name, joint.name, limit=min(forces, default=None))
        if gain > 0 and bias[1] == -gain and bias[2] <= 0 and gear > 0:
            if forces:
                self._leave("force ranges of servos", name)
            damping = joint.damping - gear**2 * float(bias[2])
            self.joints[joint.name] = dataclasses.replace(joint, damping=damping)
            return Actuator(name, joint.name, kp=gear**2 * gain)
        self._leave("actuators", name)
        return None

    def _leave(self, kind: str, name: str) -> None:
        self.left_out.setdefault(kind, []).append(name)

    def _count_what_is_left(self) -> None:
        m = self.m
        for kind, number in (
            ("sensor", m.nsensor),
            ("camera", m.ncam),
            ("light", m.nlight),
            ("keyframe", m.nkey),
            ("exclusions and pairs of contact", m.nexclude + m.npair),
        ):
            if number:
                self._leave(f"{kind}s" if kind.isalpha() else kind, f"{number}")
        if m.ngeom and (m.geom_contype.any() or m.geom_conaffinity.any()):
            self._leave("contact", "of all bodies")
        if m.opt.density or m.opt.viscosity:
            self._leave("forces of the surrounding fluid", "of all bodies")
