"""Random booms on cylinders: planar sections, each turned by a cylinder that closes a loop."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import flexblocks as fb
from benchmarks.fuzz.draw import Draw
from benchmarks.real_plans.arms import Arm
from benchmarks.real_plans.random_arm import EARTH, QUINTIC, STEEL, WALL

PRESSURE = 20e6  # [Pa]
SPARE = 2.0  # times the area that holds the boom
HASTE = 3.0  # times the mean speed of a cylinder
SPARE_TURN = 0.3  # beyond the motion of the task [rad]
STEP = 0.02  # [rad]


@dataclass(frozen=True)
class Section:
    """A section with the cylinder that turns it.

    Attributes
    ----------
    length, diameter : float
        Of a tube [m].
    start, way : float
        Of its joint [rad].
    foot, head : (float, float)
        Eyes of the cylinder from the joint, in the axes of the section before and of this one [m].
    area : float
        Of the piston [m2].
    """

    length: float
    diameter: float
    start: float
    way: float
    foot: tuple[float, float]
    head: tuple[float, float]
    area: float

    @property
    def mass(self) -> float:
        return STEEL.density * math.pi * self.diameter**2 * WALL * self.length

    @property
    def stroke(self) -> tuple[float, float]:
        """Lengths of the cylinder at its end stops [m]: its lever keeps half its length between them."""
        angles = sorted([self.start, self.start + self.way])
        beyond = []
        for angle, step in zip(angles, (-STEP, STEP), strict=True):
            lever = self._lever(angle)
            turned = 0.0
            while turned < SPARE_TURN and self._lever(angle + step) > 0.5 * lever:
                angle, turned = angle + step, turned + STEP
            beyond.append(self.distance(angle))
        return beyond[0], beyond[1]

    def _lever(self, angle: float) -> float:
        return (self.distance(angle + STEP) - self.distance(angle - STEP)) / (2 * STEP)

    def distance(self, angle: float) -> float:
        """Return the distance of the eyes at an angle of the joint."""
        c, s = math.cos(angle), math.sin(angle)
        x, y = c * self.head[0] - s * self.head[1], s * self.head[0] + c * self.head[1]
        return math.hypot(x - self.foot[0], y - self.foot[1])


def random_boom(seed: int) -> Arm:
    """Return the boom of a seed: reach from 30 cm to 30 m, one to four sections, ideal or servo valves."""
    draw = Draw(np.random.default_rng(seed), 1.0, flat=True)
    reach = float(10 ** draw.within(-0.5, 1.5))
    duration = draw.within(2.0, 5.0) * math.sqrt(reach)
    payload = draw.within(0.2, 2.0) * reach**1.8
    count, ideal = int(draw.rng.integers(1, 5)), draw.chance(0.5)
    modes = draw.one_of((fb.AssumedModes(1, tip="auto"), fb.AssumedModes(2, tip="auto"), fb.FiniteElements(1)))
    sections = _sections(draw, reach / count, count, payload, duration)
    start = {f"joint{i}.angle": section.start for i, section in enumerate(sections, 1)}
    goal = {f"joint{i}.angle": section.start + section.way for i, section in enumerate(sections, 1)}
    return Arm(
        lambda: _model(sections, payload, modes, duration, ideal),
        start,
        goal,
        duration,
        "payload",
        strength={f"ram{i}.valve": 0.8 for i in range(1, count + 1)},
        load=("payload.mass", payload, 2 * payload),
        axes="x" if count == 1 else "xy",
        turns=count > 2,
        intervals=40,
    )


def _sections(draw: Draw, length: float, count: int, payload: float, duration: float) -> list[Section]:
    sections: list[Section] = []
    mass, sag = payload, draw.within(0.002, 0.02)
    for number in range(count, 0, -1):
        beyond = length * (count - number + 1)
        rigidity = mass * EARTH * beyond * length / (3 * sag)
        diameter = (8 * rigidity / (STEEL.youngs_modulus * math.pi * WALL)) ** 0.25
        start = draw.within(0.3, 1.1) if number == 1 else draw.within(-1.0, -0.2)
        way = draw.within(0.1, 0.5) * draw.one_of((-1.0, 1.0))
        # Below the joint: the cylinder lifts as it extends, and its lever keeps its sign.
        lever = draw.within(0.08, 0.15) * length
        foot = (-draw.within(1.5, 3.0) * lever, -lever) if number > 1 else (0.3 * lever, -3.0 * lever)
        head = (draw.within(1.5, 3.0) * lever, -draw.within(0.0, 0.5) * lever)
        mass += STEEL.density * math.pi * diameter**2 * WALL * length
        effort = mass * beyond * (EARTH + beyond * abs(way) * QUINTIC / duration**2)
        area = SPARE * effort / (0.7 * lever) / PRESSURE
        sections.insert(0, Section(length, diameter, start, way, foot, head, area))
    return sections


def _model(sections: list[Section], payload: float, modes: fb.Discretization, duration: float, ideal: bool) -> fb.Model:
    model = fb.Model("boom", (0.0, -EARTH, 0.0))
    ground = model.add(fb.Ground("ground"))
    place, before = ground.frame_b, None
    for number, section in enumerate(sections, 1):
        joint = model.add(fb.Revolute(f"joint{number}", start=section.start))
        tube = fb.Tube(outer=section.diameter, inner=(1 - 2 * WALL) * section.diameter)
        boom = fb.FlexibleBeam(
            f"boom{number}", section.length, section=tube, material=STEEL, discretization=modes, bending="y"
        )
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, model.add(boom).frame_a)
        x, y = section.foot
        at = ground.frame_b if before is None else before.station(before.length + x)
        foot = model.add(fb.FixedTransform(f"foot{number}", (x if before is None else 0.0, y, 0.0)))
        head = model.add(fb.FixedTransform(f"head{number}", (0.0, section.head[1], 0.0)))
        model.connect(at, foot.frame_a)
        model.connect(boom.station(section.head[0]), head.frame_a)
        ram = model.add(_cylinder(f"ram{number}", section, duration, ideal))
        model.connect(foot.frame_b, ram.frame_a)
        model.connect(head.frame_b, ram.frame_b)
        place, before = boom.frame_b, boom
    model.connect(place, model.add(fb.Payload("payload", payload)).frame_a)
    return model


def _cylinder(name: str, section: Section, duration: float, ideal: bool) -> fb.HydraulicCylinder:
    first, last = (section.distance(section.start + share * section.way) for share in (0.0, 1.0))
    retracted, extended = section.stroke
    speed = HASTE * abs(last - first) / duration
    servo = {"supply_pressure": 1.5 * PRESSURE, "rated_flow": section.area * speed}
    oil = {"max_speed": speed} if ideal else servo
    return fb.HydraulicCylinder(
        name,
        section.area,
        0.6 * section.area,
        retracted=retracted,
        extended=extended,
        friction=0.02 * PRESSURE * section.area / speed,
        **oil,
    )
