"""Random arms: trees, branches and loops of all blocks, on the ground, on a turned base or floating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation

import flexblocks as fb
from benchmarks.fuzz.draw import Draw
from benchmarks.fuzz.random_links import random_link
from flexblocks.dynamics.algorithms.kinematics import motions, outlet_motion

JOINTS = ("hinge", "hinge", "hinge", "slide", "universal", "spherical", "flexible joint", "none")
DRIVES = ("free", "motor", "rotor", "geared", "elastic", "geared elastic", "held", "servo", "friction")


@dataclass(frozen=True)
class RandomArm:
    """A model, and what the laws need to know of it.

    Attributes
    ----------
    model : Model
    flat : bool
        Whether it moves in the xy plane alone.
    lengths : dict
        Length [m] of each link, the size of how far it bends and slides.
    damped : bool
        Whether anything in it dissipates or is driven by something else than inputs.
    """

    model: fb.Model
    flat: bool
    lengths: dict[str, float]
    damped: bool


def random_arm(seed: int, turn: Rotation | None = None) -> RandomArm:
    """Return the arm of a seed; turned in space with its gravity, if a `turn` is given."""
    rng = np.random.default_rng(seed)
    decades = (0.0, 1.0, 2.0, 3.0)[int(rng.integers(4))]
    draw = Draw(rng, decades, flat=bool(rng.uniform() < 0.3))
    return _Builder(draw, turn).build()


class _Builder:
    """Adds one part after the other to a model."""

    def __init__(self, draw: Draw, turn: Rotation | None) -> None:
        self.draw, self.turn = draw, turn
        gravity = draw.vector(10.0) if draw.chance(0.7) else (0.0, 0.0, 0.0)
        self.model = fb.Model("arm", gravity if turn is None else tuple(turn.apply(gravity).tolist()))
        self.links: list[Any] = []
        self.lengths: dict[str, float] = {}
        self.carrying: set[str] = set()

    def build(self) -> RandomArm:
        draw = self.draw
        foot = self._base()
        for i in range(1, int(draw.rng.integers(1, 5)) + 1):
            place = foot if not self.links else self._place(draw.one_of((self.links[-1],) * 3 + tuple(self.links)))
            self._segment(i, place)
        for i, link in enumerate(self.links, 1):
            # What hangs on an end keeps the mass matrix regular whatever the axes.
            if link.name not in self.carrying:
                self._payload(f"payload{i}", link.frame_b)
        if draw.chance(0.25):
            self._close()
        return RandomArm(self.model, draw.flat, self.lengths, self._is_damped())

    def _add(self, place: Any, block: Any) -> Any:
        """Hang a block on a place, and return it."""
        self.model.add(block)
        self.model.connect(place, block.frame_a)
        return block

    def _base(self) -> Any:
        """Return where the arm stands: the ground, a turned frame on it, or a body that floats."""
        draw = self.draw
        place = self.model.add(fb.Ground("ground")).frame_b
        if self.turn is not None:
            place = self._add(place, fb.FixedTransform("turn", rotation=self.turn.as_rotvec().tolist())).frame_b
        self.ground = place
        if draw.chance(0.15):
            if draw.flat:
                for axis, name in zip(np.eye(3)[:2].tolist(), "xy", strict=True):
                    place = self._add(place, fb.Prismatic(f"base_{name}", axis=axis)).frame_b
                place = self._add(place, fb.Revolute("base_turn")).frame_b
            else:
                place = self._add(place, fb.FreeMotion("base_motion", orientation=(0.1, -0.2, 0.3))).frame_b
            mass, size = draw.size(10.0), draw.size(0.5)
            self.lengths["base"] = size
            body = fb.RigidBody("base", mass=mass, inertia=draw.inertia(mass, size), reach=draw.vector(size))
            return self._add(place, body).frame_b
        return place

    def _place(self, link: Any) -> Any:
        """Return a place on a link: mostly its end, now and then a station."""
        self.carrying.add(link.name)
        if self.draw.chance(0.2) and hasattr(link, "station"):
            self.carrying.discard(link.name)
            return link.station(self.draw.one_of((0.0, 0.37, 0.8)) * link.length)
        return link.frame_b

    def _segment(self, i: int, place: Any) -> None:
        draw = self.draw
        if draw.chance(0.3):
            turn = (0.0, 0.0, draw.within(-3, 3)) if draw.flat else tuple(draw.rng.normal(size=3).tolist())
            place = self._add(place, fb.FixedTransform(f"mount{i}", draw.vector(draw.size(0.2)), turn)).frame_b
        place = self._joint(i, place)
        link = self._add(place, random_link(draw, f"link{i}"))
        self.links.append(link)
        self.lengths[link.name] = getattr(link, "length", None) or float(np.linalg.norm(link.reach)) or 0.1
        if draw.chance(0.3) and hasattr(link, "station"):
            self._add(link.station(0.6 * link.length), fb.LumpedMass(f"mass{i}", mass=draw.size(0.3)))
        if draw.chance(0.15):
            self._add(link.frame_b, fb.Accelerometer(f"sensor{i}"))
        if draw.chance(0.3) and hasattr(link, "station"):
            self._payload(f"body{i}", link.station(0.3 * link.length))

    def _payload(self, name: str, place: Any) -> None:
        mass, size = self.draw.size(1.0), self.draw.size(0.2)
        inertia, center = self.draw.inertia(mass, size), self.draw.vector(0.5 * size)
        self._add(place, fb.Payload(name, mass=mass, inertia=inertia, center=center))

    def _joint(self, i: int, place: Any) -> Any:
        draw, name = self.draw, f"joint{i}"
        kind = draw.one_of(JOINTS)
        damping = draw.size_or_zero(0.3)
        angle = draw.one_of((0.0, draw.within(-1.2, 1.2)))
        if kind == "none" and self.links:
            return place
        if kind == "slide":
            slide = self._add(place, fb.Prismatic(name, draw.axis(slides=True), damping))
            if draw.chance(0.5):
                self.model.connect(self.model.add(fb.ForceSource(f"motor{i}")).flange_b, slide.axis)
            elif draw.chance(0.2):
                self.model.connect(self.model.add(fb.FixedTranslation(f"wall{i}")).flange_b, slide.axis)
            return slide.frame_b
        if kind == "universal" and not draw.flat:
            return self._add(place, fb.Universal(name, damping=damping, start=(angle, 0.2))).frame_b
        if kind == "spherical" and not draw.flat:
            if draw.chance(0.5):
                return self._add(place, fb.Spherical(name, damping, orientation=(angle, 0.2, 0.5))).frame_b
            ball = self._add(place, fb.Gimbal(name, damping=damping, start=(angle, 0.2, 0.5)))
            if draw.chance(0.5):
                self.model.connect(self.model.add(fb.TorqueSource(f"motor{i}")).flange_b, ball.axis1)
            return ball.frame_b
        if kind == "flexible joint":
            sizes = {"inertia": draw.size(0.02), "stiffness": draw.size(50.0), "spring_damping": draw.size_or_zero(0.2)}
            ratio = draw.size(10.0)
            joint = fb.FlexibleJoint(name, **sizes, gear_ratio=ratio, damping=damping, axis=draw.axis(), start=angle)
            return self._add(place, joint).frame_b
        hinge = self._add(place, fb.Revolute(name, draw.axis(), damping, angle))
        self._drive(i, place, hinge)
        return hinge.frame_b

    def _drive(self, i: int, place: Any, hinge: fb.Revolute) -> None:
        """Drive a hinge by blocks in series, from the motor to its axis."""
        draw, kind = self.draw, self.draw.one_of(DRIVES)
        motor = fb.TorqueSource(f"motor{i}")
        rotor = fb.Rotor(f"rotor{i}", inertia=draw.size(0.02), gear_ratio=draw.size(10.0), axis=draw.axis())
        spring = fb.TorsionalSpring(f"spring{i}", stiffness=draw.size(50.0), damping=draw.size_or_zero(0.2))
        gear = fb.Gear(f"gear{i}", ratio=draw.size(3.0) * draw.one_of((-1, 1)))
        coulomb = draw.size_or_zero(1.0)
        friction = fb.Friction(f"friction{i}", viscous=draw.size(0.1), coulomb=coulomb, breakaway=1.5 * coulomb)
        servo = fb.PDServo(f"servo{i}", kp=draw.size(50.0), kd=draw.size_or_zero(5.0))
        series: tuple[Any, ...] = {
            "free": (),
            "motor": (motor,),
            "rotor": (motor, rotor),
            "geared": (motor, rotor, gear),
            "elastic": (motor, rotor, spring),
            "geared elastic": (motor, rotor, gear, spring),
            "held": (fb.Fixed(f"wall{i}"), spring),
            "servo": (servo,),
            "friction": (friction,),
        }[kind]
        for block in series:
            self.model.add(block)
        for block, other in zip(series, (*(b.flange_a for b in series[1:]), hinge.axis), strict=False):
            self.model.connect(block.flange_b, other)
        if rotor in series and draw.chance(0.5):
            self.model.connect(place, rotor.frame_a)

    def _close(self) -> None:
        """Close a loop: from where the last link's end is at the start, a joint to the ground."""
        link, arm = self.links[-1], fb.assemble(self.model)
        R, r = _pose(arm, link.name)
        if self.turn is not None:
            R, r = (self.turn.inv().as_matrix() @ each for each in (R, r))
        anchor = fb.FixedTransform("anchor", tuple(r.tolist()), tuple(Rotation.from_matrix(R).as_rotvec().tolist()))
        place = self._add(self.ground, anchor).frame_b
        few = self._freedom(arm) <= (3 if self.draw.flat else 6)
        joint = fb.Spherical("closure") if few and not self.draw.flat else fb.Revolute("closure", self.draw.axis())
        self.model.connect(self._add(place, joint).frame_b, link.frame_b)

    def _freedom(self, dae: fb.DAE) -> int:
        return sum(not name.startswith("link") for name in dae.q_names)

    def _is_damped(self) -> bool:
        def dissipates(block: Any) -> bool:
            fields = ("damping", "damping_ratio", "spring_damping")
            if isinstance(block, (fb.Friction, fb.PDServo)):
                return True
            loaded = any(isinstance(getattr(block, name, None), float) for name in ("load_y", "load_z"))
            return loaded or any(getattr(block, name, 0.0) for name in fields)

        return any(dissipates(block) for block in self.model.blocks.values())


def _pose(dae: fb.DAE, block: str) -> tuple[np.ndarray, np.ndarray]:
    """Return orientation (3, 3) and place (3) of the end of a block at the start."""
    still = ca.SX(dae.tree.size, 1)
    inlets = motions(dae.tree, dae.q, still)
    index = [body.name for body in dae.tree.bodies].index(block)
    R, r, _ = outlet_motion(dae.tree, inlets, index, "frame_b", dae.q, still)
    pose = ca.Function("pose", [*dae.posture_symbols], [R, r])
    values = pose(*dae.posture(dae.x.start, dae.z.start, dae.p.start))
    return values[0].full(), values[1].full().ravel()
