"""A concrete pump's placing boom: four tapered box beams, a hydraulic cylinder at every joint, one four-bar knuckle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import flexblocks as fb
from flexblocks.errors import ParameterError
from flexblocks.interfaces.ports import Port

STEEL = fb.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3)
PIPE = 17.0  # delivery line of 125 mm, empty [kg/m]
BORE = 0.125**2 * math.pi / 4  # [m2]
SUPPLY = 33e6  # [Pa]


@dataclass(frozen=True)
class Section:
    """A section of the boom: length [m], and the box at its root and at its tip."""

    length: float
    root: fb.Box
    tip: fb.Box


@dataclass(frozen=True)
class Ram:
    """A cylinder: eyes (x, y) on the section before its joint and on the one after, from the joint, all in m."""

    foot: tuple[float, float]
    head: tuple[float, float]
    bore: float
    rod: float
    retracted: float
    extended: float
    flow: float  # through an edge of the fully open valve at 35 bar [m3/s]

    @property
    def areas(self) -> tuple[float, float]:
        """Areas of the piston and of its ring [m2]."""
        return math.pi / 4 * self.bore**2, math.pi / 4 * (self.bore**2 - self.rod**2)


def _box(height: float, width: float, wall: float) -> fb.Box:
    return fb.Box(height=height, width=width, wall=wall)


SECTIONS = (
    Section(8.0, _box(0.60, 0.40, 0.008), _box(0.46, 0.34, 0.008)),
    Section(7.0, _box(0.44, 0.32, 0.007), _box(0.34, 0.28, 0.006)),
    Section(6.0, _box(0.32, 0.26, 0.006), _box(0.24, 0.22, 0.005)),
    Section(5.0, _box(0.22, 0.20, 0.005), _box(0.16, 0.16, 0.004)),
)
RAMS = (
    Ram((0.5, -1.4), (1.6, -0.3), 0.140, 0.080, 1.50, 2.95, 1.2e-3),
    Ram((-1.8, -0.45), (0.4, -0.45), 0.160, 0.090, 1.20, 2.25, 1.0e-3),
    Ram((-1.9, -0.35), (0.0, 0.0), 0.110, 0.060, 1.15, 1.95, 5e-4),
    Ram((-1.15, -0.28), (0.3, -0.28), 0.070, 0.040, 0.80, 1.50, 2e-4),
)
# The third joint is a four-bar linkage: a rocker from (-0.45, -0.05) before the joint and a coupler to (0.35, -0.15)
# after it; the cylinder's head is the pin between them.
KNUCKLE = 3
ROCKER_FOOT, COUPLER_HEAD = (-0.45, -0.05), (0.35, -0.15)
ROCKER, COUPLER = 0.70, 0.62  # lengths [m]
ROCKER_MASS, COUPLER_MASS = 30.0, 25.0  # [kg]
START = (0.9, -0.5, -0.6, -0.5)


def concrete_pump(
    concrete: float = 2400.0,
    hose: float = 120.0,
    valves: Literal["servo", "ideal"] = "servo",
    start: Sequence[float] = START,
    discretization: fb.Discretization | None = None,
    friction: float = 2e4,
    gravity: Sequence[float] = (0.0, -9.81, 0.0),
) -> fb.Model:
    """Return the placing boom of a truck-mounted concrete pump, 26 m in a vertical plane.

    Parameters
    ----------
    concrete : float
        Density of what fills the delivery line [kg/m3]; 0 for an empty one.
    hose : float
        Mass of the end hose with its filling [kg].
    valves : "servo" or "ideal"
        ``"servo"``: two pressures in each cylinder, valves by the square root of pressure. ``"ideal"``: the valve
        commands the speed, whatever the load.
    start : sequence of 4 floats
        Start values of the joint angles: the first above the horizontal, the others from straight, negative folds down
        [rad].
    discretization : Discretization, optional
        Of each section; by default one assumed mode.
    friction : float
        Viscous friction of each cylinder's seals [N s/m].
    gravity : (3,)
        In world axes [m/s2].

    Returns
    -------
    Model
        Joints ``joint1`` ... ``joint4``, sections ``boom1`` ... ``boom4``, cylinders ``ram1`` ... ``ram4`` with inputs
        ``ram1.valve`` ..., links ``rocker`` and ``coupler`` of the knuckle at the third joint, ``hose`` at the tip.

    Raises
    ------
    ParameterError
        `valves` is neither word, or `start` has not four angles that the knuckle reaches.
    """
    if valves not in ("servo", "ideal"):
        raise ParameterError(f'concrete_pump: valves = {valves!r}; must be "servo" or "ideal".')
    if len(start) != len(SECTIONS):
        raise ParameterError(f"concrete_pump: start = {start!r}; must be {len(SECTIONS)} angles, one for each joint.")
    model = fb.Model("concrete pump", gravity=gravity)
    ground = model.add(fb.Ground("ground"))
    before: fb.Ground | fb.FlexibleBeam = ground
    per_meter = PIPE + concrete * BORE
    for number, (section, ram) in enumerate(zip(SECTIONS, RAMS, strict=True), 1):
        joint = model.add(fb.Revolute(f"joint{number}", start=float(start[number - 1])))
        boom = model.add(
            fb.FlexibleBeam(
                f"boom{number}",
                section.length,
                section=[(0.0, section.root), (section.length, section.tip)],
                material=STEEL,
                discretization=fb.AssumedModes(1, tip="auto") if discretization is None else discretization,
                bending="y",
            )
        )
        model.connect(before.frame_b, joint.frame_a)
        model.connect(joint.frame_b, boom.frame_a)
        _add_line(model, number, boom, per_meter * section.length)
        head = None if number == KNUCKLE else _bracket(model, f"ram{number}_head", boom, 0.0, ram.head)
        if head is None:
            head = _knuckle(model, before, boom, float(start[number - 1]))
        foot = _bracket(model, f"ram{number}_foot", before, getattr(before, "length", 0.0), ram.foot)
        cylinder = _cylinder(f"ram{number}", ram, valves, friction)
        model.add(cylinder)
        model.connect(foot, cylinder.frame_a)
        model.connect(head, cylinder.frame_b)
        before = boom
    model.connect(before.frame_b, model.add(fb.Payload("hose", hose)).frame_a)
    return model


def _cylinder(name: str, ram: Ram, valves: str, friction: float) -> fb.HydraulicCylinder:
    valve = {"max_speed": 0.1} if valves == "ideal" else {"supply_pressure": SUPPLY, "rated_flow": ram.flow}
    oil: dict[str, Any] = valve
    area_a, area_b = ram.areas
    return fb.HydraulicCylinder(
        name, area_a, area_b, retracted=ram.retracted, extended=ram.extended, friction=friction, **oil
    )


def _bracket(
    model: fb.Model, name: str, on: fb.Ground | fb.FlexibleBeam, joint: float, place: tuple[float, float]
) -> Port:
    """Add a bracket at (x, y) from a joint at `joint` along a section, or from the turret; return its eye."""
    if isinstance(on, fb.FlexibleBeam):
        bracket = model.add(fb.FixedTransform(name, (0.0, place[1], 0.0)))
        model.connect(on.station(joint + place[0]) if joint + place[0] else on.frame_a, bracket.frame_a)
    else:
        bracket = model.add(fb.FixedTransform(name, (*place, 0.0)))
        model.connect(on.frame_b, bracket.frame_a)
    return bracket.frame_b


def _add_line(model: fb.Model, number: int, boom: fb.FlexibleBeam, mass: float) -> None:
    """Add the delivery line along a section: by Simpson's rule, with its mass, centre and moment of inertia."""
    for part, place, share in (("root", boom.frame_a, 1 / 6), ("middle", boom.station(boom.length / 2), 2 / 3)):
        model.connect(place, model.add(fb.LumpedMass(f"line{number}_{part}", share * mass)).frame_a)
    model.connect(boom.frame_b, model.add(fb.LumpedMass(f"line{number}_tip", mass / 6)).frame_a)


def _knuckle(model: fb.Model, before: fb.Ground | fb.FlexibleBeam, after: fb.FlexibleBeam, angle: float) -> Port:
    """Add the linkage of the knuckle, which closes a loop; return the pin between its two links."""
    assert isinstance(before, fb.FlexibleBeam)
    direction, turn = linkage(angle)
    foot = _bracket(model, "rocker_foot", before, before.length, ROCKER_FOOT)
    rocker_pin = model.add(fb.Revolute("rocker_pin", start=direction))
    rocker = model.add(fb.RigidLink("rocker", ROCKER, ROCKER_MASS))
    pin = model.add(fb.Revolute("pin", start=turn))
    coupler = model.add(fb.RigidLink("coupler", COUPLER, COUPLER_MASS))
    coupler_pin = model.add(fb.Revolute("coupler_pin", start=angle - direction - turn))
    model.connect(foot, rocker_pin.frame_a)
    model.connect(rocker_pin.frame_b, rocker.frame_a)
    model.connect(rocker.frame_b, pin.frame_a)
    model.connect(pin.frame_b, coupler.frame_a)
    model.connect(coupler.frame_b, coupler_pin.frame_a)
    model.connect(coupler_pin.frame_b, _bracket(model, "coupler_head", after, 0.0, COUPLER_HEAD))
    return rocker.frame_b


def linkage(angle: float) -> tuple[float, float]:
    """Return the direction of the rocker in the section before, and the turn of the coupler against it [rad].

    Raises
    ------
    ParameterError
        The links do not reach each other at that angle of the joint.
    """
    head = np.array(
        [
            math.cos(angle) * COUPLER_HEAD[0] - math.sin(angle) * COUPLER_HEAD[1],
            math.sin(angle) * COUPLER_HEAD[0] + math.cos(angle) * COUPLER_HEAD[1],
        ]
    )
    across = head - ROCKER_FOOT
    distance = math.hypot(*across)
    along = (ROCKER**2 - COUPLER**2 + distance**2) / (2 * distance)
    if abs(along) >= ROCKER:
        raise ParameterError(
            f"concrete_pump: start: the knuckle's links do not meet at {angle:g} rad; must be above -2.5 rad."
        )
    below = math.sqrt(ROCKER**2 - along**2)
    unit = across / distance
    to_pin = along * unit + below * np.array([unit[1], -unit[0]])
    to_head = across - to_pin
    direction = math.atan2(to_pin[1], to_pin[0])
    turn = math.atan2(to_head[1], to_head[0]) - direction
    return direction, math.remainder(turn, 2 * math.pi)
