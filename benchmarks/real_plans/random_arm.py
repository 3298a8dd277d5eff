"""Random arms as an engineer would build them, of any size, with a motion between two postures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import flexblocks as fb
from benchmarks.fuzz.draw import Draw
from benchmarks.real_plans.arms import Arm
from flexblocks.beam.discretization import Discretization

STEEL = fb.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3)
ALUMINIUM = fb.Material(density=2700.0, youngs_modulus=7e10, poissons_ratio=0.33)
CARBON = fb.Material(density=1550.0, youngs_modulus=7e10, poissons_ratio=0.3)
UP, ACROSS, ALONG = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)
EARTH = 9.81
DRIVES = ("motor", "rotor", "elastic", "flexible joint")
WALL = 0.1  # of a tube over its diameter
QUINTIC = 5.8  # the largest acceleration from rest to rest, times the way over the square of its time
POWER = 2.0  # times the torques of the straight way in the time that is given


@dataclass(frozen=True)
class Part:
    """A joint with its drive, and its link.

    Attributes
    ----------
    number : int
        From 1.
    drive : str
        One of DRIVES, or "slide".
    link : RigidLink or FlexibleBeam
    start, way : float
        Of the joint [rad or m].
    effort : float
        What holds and moves it [N m or N].
    rotor, stiffness : float
        Of the drive, as the link sees it [kg m2, N m/rad].
    """

    number: int
    drive: str
    link: fb.RigidLink | fb.FlexibleBeam
    start: float
    way: float
    effort: float
    rotor: float
    stiffness: float

    @property
    def coordinate(self) -> str:
        return f"joint{self.number}.{'displacement' if self.drive == 'slide' else 'angle'}"

    @property
    def input(self) -> str:
        names = {"slide": f"motor{self.number}.force", "flexible joint": f"joint{self.number}.motor.torque"}
        return names.get(self.drive, f"motor{self.number}.torque")


def random_arm(seed: int, floats: bool = False) -> Arm:
    """Return the arm of a seed: reach from 5 cm to 30 m, up to four joints, beams of all discretisations.

    One that floats is on a craft of two to twenty times its mass, without gravity.
    """
    rng = np.random.default_rng(seed)
    draw = Draw(rng, 1.0, flat=bool(rng.uniform() < 0.4))
    reach = float(10 ** rng.uniform(-1.3, 1.5))
    duration = draw.within(1.5, 4.0) * math.sqrt(reach)
    gravity = EARTH if draw.chance(0.6) and not floats else 0.0
    payload = draw.within(0.2, 2.0) * reach**1.8
    parts = _parts(draw, reach, payload, max(gravity, reach / duration**2), duration)
    mass = payload + sum(_mass(part.link) for part in parts)
    craft = (draw.within(2.0, 20.0) * mass, draw.within(0.05, 0.3) * reach) if floats else None
    weight = (0.0, -gravity, 0.0) if draw.flat else (0.0, 0.0, -gravity)
    start = {part.coordinate: part.start for part in parts}
    return Arm(
        lambda: _model(parts, payload, draw.flat, weight, craft),
        start,
        {part.coordinate: part.start + part.way for part in parts},
        duration,
        "payload",
        strength={part.input: POWER * part.effort for part in parts},
        load=("payload.mass", payload, 2 * payload),
        axes=("x", "xy", "xy")[min(len(parts), 3) - 1] if draw.flat else ("y", "xz", "xyz")[min(len(parts), 3) - 1],
        intervals=40,
    )


def _parts(draw: Draw, reach: float, payload: float, pull: float, duration: float) -> list[Part]:
    """Return the parts from the ground on; a link carries what comes after it, against `pull` [m/s2]."""
    count = int(draw.rng.integers(1, 5))
    material = draw.one_of((STEEL, ALUMINIUM, CARBON))
    sag = draw.within(0.002, 0.03)  # of each link under what it carries, over its length
    damping = draw.one_of((0.0, 0.0, 0.01))
    kind = draw.one_of(DRIVES)
    parts: list[Part] = []
    mass, length = payload, reach / count
    for number in range(count, 0, -1):
        beyond = length * (count - number + 1)
        rigidity = mass * pull * beyond * length / (3 * sag)
        link = _link(draw, number, length, rigidity, material, damping, flat=draw.flat)
        mass += _mass(link)
        drive = "slide" if number > 1 and draw.chance(0.12) else kind if draw.chance(0.7) else draw.one_of(DRIVES)
        way = draw.within(0.2, 1.0) * draw.one_of((-1.0, 1.0))
        start = draw.within(-1.0, 1.0)
        arm = 1.0 if drive == "slide" else beyond  # of the forces
        if drive == "slide":
            way, start = way * 0.5 * length, 0.0
        inertia = mass * arm**2
        effort = mass * pull * arm + inertia * abs(way) * QUINTIC / duration**2
        rotor, stiffness = inertia * draw.within(0.02, 0.5), effort / draw.within(0.01, 0.1)
        parts.insert(0, Part(number, drive, link, start, way, effort, rotor, stiffness))
    return parts


def _link(
    draw: Draw, number: int, length: float, rigidity: float, material: fb.Material, damping: float, flat: bool
) -> fb.RigidLink | fb.FlexibleBeam:
    # A tube of diameter d and wall WALL d, thin: EI = E pi d^4 WALL / 8.
    diameter = (8 * rigidity / (material.youngs_modulus * math.pi * WALL)) ** 0.25
    if draw.chance(0.2):
        return fb.RigidLink(f"link{number}", length, material.density * math.pi * diameter**2 * WALL * length)
    return fb.FlexibleBeam(
        f"link{number}",
        length,
        section=fb.Tube(outer=diameter, inner=(1 - 2 * WALL) * diameter),
        material=material,
        bending="y" if flat else "yz",
        damping_ratio=damping,
        discretization=_discretization(draw),
    )


def _discretization(draw: Draw) -> Discretization:
    n = int(draw.rng.integers(1, 3))
    return draw.one_of(
        (fb.AssumedModes(n, tip="auto"), fb.AssumedModes(n, tip="auto"), fb.FiniteElements(n), fb.StrainModes(n))
    )


def _mass(link: fb.RigidLink | fb.FlexibleBeam) -> float:
    if isinstance(link, fb.RigidLink):
        return float(link.mass)
    section: Any = link.section
    return link.length * link.material.density * math.pi / 4 * (section.outer**2 - section.inner**2)


def _model(
    parts: Sequence[Part],
    payload: float,
    flat: bool,
    gravity: tuple[float, float, float],
    craft: tuple[float, float] | None,
) -> fb.Model:
    model = fb.Model("arm", gravity)
    place = model.add(fb.Ground("ground")).frame_b
    if craft is not None:
        place = _craft(model, place, *craft, flat=flat)
    for part in parts:
        axis = UP if flat or part.number == 1 else ACROSS
        place = _joint(model, place, part, axis)
        model.connect(place, model.add(part.link).frame_a)
        place = part.link.frame_b
    model.connect(place, model.add(fb.Payload("payload", payload)).frame_a)
    return model


def _craft(model: fb.Model, place: Any, mass: float, radius: float, flat: bool) -> Any:
    """Add a body of a mass and a radius of gyration [kg, m] that floats, and return where the arm begins."""
    if flat:
        free = [fb.Prismatic("base_x", ALONG), fb.Prismatic("base_y", (0.0, 1.0, 0.0)), fb.Revolute("base_turn", UP)]
    else:
        free = [fb.FreeMotion("base")]
    for joint in free:
        model.connect(place, model.add(joint).frame_a)
        place = joint.frame_b
    inertia = mass * radius**2
    body = fb.RigidBody("craft", mass, inertia if flat else inertia * np.eye(3), reach=(radius, 0.0, 0.0))
    model.connect(place, model.add(body).frame_a)
    return body.frame_b


def _joint(model: fb.Model, place: Any, part: Part, axis: tuple[float, float, float]) -> Any:
    """Add the joint of a part with its drive, and return where the link begins."""
    name, drive = f"joint{part.number}", part.drive
    if drive == "flexible joint":
        block = fb.FlexibleJoint(name, inertia=part.rotor, stiffness=part.stiffness, axis=axis, start=part.start)
        model.connect(place, model.add(block).frame_a)
        return block.frame_b
    if drive == "slide":
        slide = model.add(fb.Prismatic(name, ALONG))
        model.connect(place, slide.frame_a)
        model.connect(model.add(fb.ForceSource(f"motor{part.number}")).flange_b, slide.axis)
        return slide.frame_b
    hinge = model.add(fb.Revolute(name, axis, start=part.start))
    model.connect(place, hinge.frame_a)
    series: list[Any] = [fb.TorqueSource(f"motor{part.number}")]
    if drive != "motor":
        series.append(fb.Rotor(f"rotor{part.number}", inertia=part.rotor, start=part.start))
    if drive == "elastic":
        series.append(fb.TorsionalSpring(f"spring{part.number}", stiffness=part.stiffness))
    for block in series:
        model.add(block)
    for block, other in zip(series, [*(each.flange_a for each in series[1:]), hinge.axis], strict=True):
        model.connect(block.flange_b, other)
    return hinge.frame_b
