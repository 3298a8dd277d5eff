"""Lagrange's equations of an arm by brute force, for comparison: particles in world axes, no twist, no recursion.

Every body is replaced by particles: a rigid one by six on its principal axes, a beam by its Gauss points. Their places
in the world are differentiated as they stand. Nothing of the library is used but the mode shapes; those of finite
elements are SciPy's Hermite splines, and rigid segments are walked along joint by joint. `oracle_beam` has the beams.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import casadi as ca
import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.random_arms import Arm, Segment
from flexblocks.beam.shapes.euler_bernoulli_modes import SineModes
from oracles.oracle_beam import (
    axial_energy,
    beam_mass,
    beam_particles,
    bending_energy,
    extensions,
    joints,
    line,
    rod_shapes,
    shortening,
)

ABOUT = {"y": np.array([0.0, 0.0, 1.0]), "z": np.array([0.0, -1.0, 0.0])}


@dataclass
class Particles:
    """Masses [kg] with their places in the world, and spinning rotors: (inertia, gear ratio * angle, axis, mount)."""

    masses: list[float] = field(default_factory=list)
    places: list[ca.SX] = field(default_factory=list)
    rotors: list[tuple[float, ca.SX, np.ndarray, ca.SX | None]] = field(default_factory=list)
    stored: ca.SX = field(default_factory=lambda: ca.SX(0))
    poses: dict[str, tuple[ca.SX, ca.SX]] = field(default_factory=dict)

    def add(self, mass: float, place: ca.SX) -> None:
        self.masses.append(mass)
        self.places.append(place)


def lagrange(arm: Arm, names: tuple[str, ...]) -> ca.Function:
    """Return a function (q, v) -> M, h, T, V over the coordinates `names`, damping left out."""
    q, v = ca.SX.sym("q", len(names)), ca.SX.sym("v", len(names))
    found = particles(arm, dict(zip(names, ca.vertsplit(q), strict=True)))
    T, V = ca.SX(0), found.stored
    for mass, place in zip(found.masses, found.places, strict=True):
        velocity = ca.jtimes(place, q, v)
        T += mass * ca.dot(velocity, velocity) / 2
        V -= mass * ca.dot(ca.DM(arm.gravity), place)
    for inertia, turned, axis, mount in found.rotors:
        spin = ca.jtimes(turned, q, v)
        if mount is not None:
            W = mount.T @ ca.reshape(ca.jtimes(ca.vec(mount), q, v), 3, 3)
            spin += ca.dot(ca.DM(axis), ca.vertcat(W[2, 1], W[0, 2], W[1, 0]))
        T += inertia * spin**2 / 2
    momentum = ca.gradient(T, v)
    h = ca.jtimes(momentum, q, v) - ca.gradient(T, q) + ca.gradient(V, q)
    return ca.Function("lagrange", [q, v], [ca.jacobian(momentum, v), h, T, V])


def particles(arm: Arm, q: dict[str, ca.SX]) -> Particles:
    """Place all particles at the coordinates `q`, by name."""
    found = Particles()
    for i, segment in enumerate(arm.segments):
        if segment.carrier is None:
            R, r = ca.SX.eye(3), ca.SX(3, 1)
        else:
            carrier = arm.segments[segment.carrier]
            R, r = _on_link(arm, carrier, segment.station, found.poses[carrier.link.name], q)
        joint = segment.joint
        if segment.mount:
            r, R = r + R @ ca.DM(segment.mount.translation), R @ ca.DM(_turned(segment.mount))
        if segment.drive and segment.hinges:
            _drive(segment, q[f"{joint.name}.angle"], q, R, found)
        for hinge in segment.hinges:
            R = R @ _rodrigues(np.array(hinge.direction), q[f"{hinge.name}.angle"])
        if isinstance(joint, fb.Spherical):
            R = R @ _quaternion_matrix(quaternion(ca.vertcat(*[q[f"{joint.name}.rotation_{k}"] for k in "xyz"])))
        if isinstance(joint, fb.Prismatic):
            r = r + R @ ca.DM(joint.direction) * q[f"{joint.name}.displacement"]
        found.poses[segment.link.name] = (R, r)
        _link(arm, segment, q, found)
        for station, load in segment.loads:
            R_load, r_load = _on_link(arm, segment, station, (R, r), q)
            inertia = getattr(load, "inertia", 0.0) if isinstance(load, fb.Payload) else 0.0
            center = load.center if isinstance(load, fb.Payload) else (0.0, 0.0, 0.0)
            _rigid(load.mass, center, inertia, R_load, r_load, found)
        del i
    return found


def _drive(segment: Segment, angle: ca.SX, q: dict[str, ca.SX], mount: ca.SX, found: Particles) -> None:
    """Walk from the joint to the motor; `angle` is that of the shaft reached so far."""
    for block in reversed(segment.drive):
        if isinstance(block, fb.TorsionalSpring):
            ratio = segment.gear_ratio
            other = q[f"{segment.rotor.name}.angle"] / ratio if segment.rotor else ca.SX(0)
            found.stored += block.stiffness * (angle - other) ** 2 / 2
            angle = other
        elif isinstance(block, fb.Gear):
            angle = block.ratio * angle
        elif isinstance(block, fb.Rotor):
            turned = block.gear_ratio * angle
            found.rotors.append((block.inertia, turned, np.array(block.axis), mount if segment.mounted else None))


def _link(arm: Arm, segment: Segment, q: dict[str, ca.SX], found: Particles) -> None:
    link, (R, r) = segment.link, found.poses[segment.link.name]
    if isinstance(link, fb.RigidLink):
        inertia = link.inertia
        if inertia is None:
            inertia = link.mass * link.length**2 / 12
        center = link.length / 2 if link.center is None else link.center
        _rigid(link.mass, (center, 0.0, 0.0), inertia, R, r, found)
        return
    for xi, particle in beam_particles(link):
        found.add(particle, _on_link(arm, segment, xi * link.length, (R, r), q)[1])
    if isinstance(link.discretization, fb.Rigid):
        return
    shapes = _shapes(arm, segment)
    for axis in link.planes:
        angles = [q[name] for name in _names(link, axis)]
        found.stored += bending_energy(link, axis, shapes.get(axis), _amplitudes(link, axis, q), angles)
    if link.axial:
        found.stored += axial_energy(link, _rod_shapes(arm, segment), q)


def _on_link(
    arm: Arm, segment: Segment, x: float | None, inlet: tuple[ca.SX, ca.SX], q: dict[str, ca.SX]
) -> tuple[ca.SX, ca.SX]:
    """Return the pose of the section at `x` [m] of a link; of its end if None."""
    (R, r), link = inlet, segment.link
    x = link.length if x is None else x
    if isinstance(link, fb.RigidLink):
        return R, r + R @ ca.DM([x, 0, 0])
    if isinstance(link.discretization, fb.RigidSegments):
        return _on_segments(link, x, inlet, q)
    shapes, shift = _shapes(arm, segment), {"y": ca.SX(0), "z": ca.SX(0)}
    chord, turn = ca.SX.eye(3), ca.SX.eye(3)
    along = ca.SX(x)
    if link.axial and not isinstance(link.discretization, fb.Rigid):
        along += ca.dot(ca.DM(_rod_shapes(arm, segment)(x / link.length, 0)), extensions(link, q))
    if link.stiffening:
        amplitudes = {axis: _amplitudes(link, axis, q) for axis in shapes}
        along -= shortening(link, shapes, x / link.length, amplitudes)
    for axis, function in shapes.items():
        amplitudes = _amplitudes(link, axis, q)
        shift[axis] = ca.dot(ca.DM(function(x / link.length, 0)), amplitudes)
        root, here = (ca.dot(ca.DM(function(xi, 1)), amplitudes) / link.length for xi in (0, x / link.length))
        if getattr(link.discretization, "tip", None) == "pinned":
            chord = chord @ _rodrigues(ABOUT[axis], -root)
        # The slope against the root's, which is zero unless the chord turns against the root.
        turn = turn @ _rodrigues(ABOUT[axis], here - root)
    return R @ turn, r + R @ chord @ ca.vertcat(along, shift["y"], shift["z"])


def _rod_shapes(arm: Arm, segment: Segment) -> Callable[[float, int], np.ndarray] | None:
    tip = getattr(segment.link.discretization, "tip", None)
    body = _outboard(arm, segment, "y") if tip == "auto" else tip
    return rod_shapes(segment.link, body.mass if isinstance(body, fb.TipBody) else 0.0)


def _on_segments(
    link: fb.FlexibleBeam, x: float, inlet: tuple[ca.SX, ca.SX], q: dict[str, ca.SX]
) -> tuple[ca.SX, ca.SX]:
    """Walk along a beam of rigid segments, joint by joint."""
    (R, r), here = inlet, 0.0
    for i, xi in enumerate(joints(link.discretization.n)):
        if xi * link.length > x:
            break
        r, here = r + R @ ca.DM([xi * link.length - here, 0, 0]), xi * link.length
        if link.axial:
            r = r + R @ ca.vertcat(extensions(link, q)[i], 0, 0)
        for axis in link.planes:
            R = R @ _rodrigues(ABOUT[axis], q[_names(link, axis)[i]])
    return R, r + R @ ca.DM([x - here, 0, 0])


def _shapes(arm: Arm, segment: Segment) -> dict[str, Callable[[float, int], np.ndarray]]:
    """Return by axis the function (x/l, order) -> derivatives of the shape functions."""
    link, kind = segment.link, segment.link.discretization
    if isinstance(kind, fb.FiniteElements):
        nodes, unit = np.linspace(0, 1, kind.n + 1), np.eye(2 * kind.n + 2)[2:]
        splines = [CubicHermiteSpline(nodes, row[::2], row[1::2]) for row in unit]
        return dict.fromkeys(link.planes, lambda xi, order: np.array([spline(xi, order) for spline in splines]))
    if not isinstance(kind, fb.AssumedModes):
        return {}
    n, tip = kind.n, kind.tip
    if tip == "pinned":
        return dict.fromkeys(link.planes, SineModes(n).derivative)
    body = {axis: fb.TipBody(0.0) if tip == "free" else tip for axis in link.planes}
    if tip == "auto":
        body = {axis: _outboard(arm, segment, axis) for axis in link.planes}
    relative = {axis: body[axis].relative(beam_mass(link), link.length) for axis in link.planes}
    return {axis: kind.shapes(relative[axis], line(link, axis)).derivative for axis in link.planes}


def _names(link: fb.FlexibleBeam, axis: str) -> list[str]:
    """Return the names of the coordinates that bend a link along `axis`."""
    kind = link.discretization
    stems = {fb.AssumedModes: ("bending",), fb.FiniteElements: ("deflection", "slope"), fb.RigidSegments: ("bend",)}
    return [f"{link.name}.{stem}_{axis}[{k}]" for k in range(1, kind.n + 1) for stem in stems[type(kind)]]


def _amplitudes(link: fb.FlexibleBeam, axis: str, q: dict[str, ca.SX]) -> ca.SX:
    """Return the coordinates of bending by shape functions [m]; a slope dv/dx counts with the length."""
    return ca.vertcat(*[q[name] * (link.length if "slope" in name else 1) for name in _names(link, axis)])


def _outboard(arm: Arm, segment: Segment, axis: str) -> fb.TipBody:
    """Return all that hangs on the end of a link, from the particles of the straight, rigid arm about that end."""
    links = [s.link.name for s in arm.segments]
    straight = Particles()
    start = {links.index(segment.link.name): (np.eye(3), np.zeros(3))}
    for i, s in enumerate(arm.segments):
        if i in start:
            _straight_loads(s, *start[i], straight, tip_only=True)
        elif s.carrier in start:
            own = s.carrier == links.index(segment.link.name)
            if own and s.station is not None:
                continue
            carrier = arm.segments[s.carrier].link
            reach = 0.0 if own else (carrier.length if s.station is None else s.station)
            R, r = start[s.carrier]
            r = r + R @ [reach, 0, 0]
            if s.mount:
                r, R = r + R @ s.mount.translation, R @ _turned(s.mount)
            start[i] = R, r
            if s.rotor and s.mounted:
                straight.rotors.append((s.rotor.inertia, ca.SX(0), R @ s.rotor.axis, None))
            link = s.link
            if isinstance(link, fb.RigidLink):
                inertia = link.mass * link.length**2 / 12 if link.inertia is None else link.inertia
                center = (link.length / 2 if link.center is None else link.center, 0.0, 0.0)
                _rigid(link.mass, center, inertia, ca.SX(ca.DM(R)), ca.SX(ca.DM(r)), straight)
            else:
                for xi, particle in beam_particles(link):
                    straight.add(particle, ca.SX(ca.DM(r + R @ [xi * link.length, 0, 0])))
            _straight_loads(s, R, r, straight, tip_only=False)
    masses = np.array(straight.masses)
    if not len(masses):
        return fb.TipBody(0.0)
    x, y, z = np.array([ca.DM(place).full().ravel() for place in straight.places]).T
    inertia = masses @ (x**2 + (y if axis == "y" else z) ** 2)
    about = 2 if axis == "y" else 1
    inertia += sum(rotor[0] * rotor[2][about] ** 2 for rotor in straight.rotors)
    return fb.TipBody(masses.sum(), inertia, masses @ x)


def _straight_loads(segment: Segment, R: np.ndarray, r: np.ndarray, into: Particles, tip_only: bool) -> None:
    """Add what hangs on a link whose inlet is at (R, r); with `tip_only` the link's end is there."""
    for station, load in segment.loads:
        if tip_only and station is not None:
            continue
        reach = 0.0 if tip_only else (segment.link.length if station is None else station)
        center, inertia = (load.center, load.inertia) if isinstance(load, fb.Payload) else ((0.0, 0.0, 0.0), 0.0)
        _rigid(load.mass, center, inertia, ca.SX(ca.DM(R)), ca.SX(ca.DM(r + R @ [reach, 0, 0])), into)


def _rigid(mass: float, center: tuple, inertia: object, R: ca.SX, r: ca.SX, found: Particles) -> None:
    """Add six particles that have the mass, centre and inertia of a rigid body."""
    if np.ndim(inertia) == 0:
        # About z only, as far as an arm in the plane shows: two particles on the x axis. A thin rod is one, too.
        second = np.diag([float(inertia), 0.0, 0.0])
    else:
        second = np.trace(inertia) / 2 * np.eye(3) - np.array(inertia)
    values, vectors = np.linalg.eigh(second)
    for value, direction in zip(values, vectors.T, strict=True):
        reach = np.sqrt(3 * max(value, 0.0) / mass)
        for sign in (-1, 1):
            found.add(mass / 6, r + R @ ca.DM(np.array(center) + sign * reach * direction))


def _turned(mount: fb.FixedTransform) -> np.ndarray:
    return Rotation.from_rotvec(mount.rotation).as_matrix()


def quaternion(r: ca.SX) -> ca.SX:
    """Return the unit quaternion, vector part first, of the coordinates r = 4 n tan(angle / 4) of a ball joint."""
    s = ca.dot(r, r) / 16
    return ca.vertcat(r / 2, 1 - s) / (1 + s)


def _quaternion_matrix(e: ca.SX) -> ca.SX:
    x, y, z, w = ca.vertsplit(e)
    return ca.vertcat(
        ca.horzcat(w**2 + x**2 - y**2 - z**2, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        ca.horzcat(2 * (x * y + w * z), w**2 - x**2 + y**2 - z**2, 2 * (y * z - w * x)),
        ca.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), w**2 - x**2 - y**2 + z**2),
    )


def _rodrigues(axis: np.ndarray, angle: ca.SX) -> ca.SX:
    K = ca.DM([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return ca.SX.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * (K @ K)
