"""The planar flexible-link arm with lumped masses of Yu & Chen (2019)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

import flexblocks as fb
from flexblocks.errors import ParameterError

YOUNGS_MODULUS = 2.06e11  # [Pa]; the paper's table says GPa
GRAVITY = 9.81  # [m/s2]


@dataclass(frozen=True)
class LinkData:
    """Data of a link, the lumped mass on it and the motor that drives it: a column of Table 2, SI units."""

    length: float
    mass: float
    second_moment: float
    lumped_mass: float
    motor_torque: float
    gear_ratio: float
    coulomb: float
    viscous: float
    start: float

    @property
    def rigidity(self) -> float:
        """Flexural rigidity EI [N m2]."""
        return YOUNGS_MODULUS * self.second_moment


TIPS: dict[str, Literal["auto", "free", "pinned"]] = {
    "pinned": "pinned",
    "clamped-free": "free",
    "clamped-mass": "auto",
}
LINKS = (
    LinkData(0.475, 0.374, 16e-11, 2.94, 0.5, 64.0, 0.0345, 0.0037, math.pi / 4),
    LinkData(0.435, 0.29, 6.75e-11, 0.343, 0.32, 32.0, 0.0226, 0.0023, -math.pi / 4),
)


def link_data(i: int) -> LinkData:
    """Return the data of link i = 1, 2, ...; links beyond the paper's two are like the second."""
    return LINKS[min(i, len(LINKS)) - 1]


def yu_chen_2019(
    links: int = 2,
    lumped_mass_at: Sequence[float] | None = None,
    modes: int = 2,
    shapes: Literal["pinned", "clamped-free", "clamped-mass"] = "pinned",
    drives: Literal["direct", "geared"] = "direct",
    friction: bool = False,
    accelerometers: bool = False,
    gravity: Sequence[float] = (0.0, -GRAVITY, 0.0),
) -> fb.Model:
    """Return the arm of Yu & Chen, Shock and Vibration 2019, 5627271, Table 2.

    Parameters
    ----------
    links : int
        Number of links; the paper has 2. Further links are like the second.
    lumped_mass_at : sequence of `links` floats, optional
        For each link the distance of its lumped mass from its joint [m], l (1 + mu) with the paper's mu; by default at
        the ends.
    modes : int
        Modes of each link; 0 for rigid links.
    shapes : "pinned", "clamped-free" or "clamped-mass"
        Mode shapes: the paper's sines, or those of the clamped beam with a free tip, or with all outboard mass at its
        tip.
    drives : "direct" or "geared"
        ``"direct"``: the inputs are torques on the joints, as in the paper's equations. ``"geared"``: torques of the
        motors, behind gears of Table 2.
    friction : bool
        Whether the motor shafts have the friction of Table 2. With ``"geared"`` drives the gears magnify it at the
        joints; the paper does not say on which side it was measured.
    accelerometers : bool
        Whether there is an accelerometer at the end of each link, its y axis across the link.
    gravity : (3,)
        In world axes [m/s2].

    Returns
    -------
    Model
        Blocks motor1, gear1, friction1, joint1, link1, mass1, accelerometer1, ... The arm moves in the vertical xy
        plane; its joints start at 45 and -45 degrees, as in the paper's experiments.

    Raises
    ------
    ParameterError
        An invalid argument.
    """
    _check_arguments(links, lumped_mass_at, modes, shapes, drives)
    model = fb.Model(f"Yu & Chen 2019, {links} links", gravity=gravity)
    tip = model.add(fb.Ground("ground")).frame_b
    for i in range(1, links + 1):
        data = link_data(i)
        joint = model.add(fb.Revolute(f"joint{i}", start=data.start if i <= len(LINKS) else 0.0))
        link = model.add(
            fb.FlexibleBeam(
                f"link{i}",
                length=data.length,
                linear_density=data.mass / data.length,
                flexural_rigidity=data.rigidity,
                discretization=_discretization(modes, shapes),
                bending="y",
            )
        )
        mass = model.add(fb.LumpedMass(f"mass{i}", mass=data.lumped_mass))
        model.connect(tip, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        model.connect(link.frame_b if lumped_mass_at is None else link.station(lumped_mass_at[i - 1]), mass.frame_a)
        _drive(model, i, joint, geared=drives == "geared", friction=friction)
        tip = link.frame_b
        if accelerometers:
            model.connect(tip, model.add(fb.Accelerometer(f"accelerometer{i}")).frame_a)
    return model


def _drive(model: fb.Model, i: int, joint: fb.Revolute, geared: bool, friction: bool) -> None:
    """Add the motor of a joint, with gear and friction on request."""
    data = link_data(i)
    shaft, limit = joint.axis, data.motor_torque * data.gear_ratio
    if geared:
        gear = model.add(fb.Gear(f"gear{i}", ratio=data.gear_ratio))
        model.connect(gear.flange_b, joint.axis)
        shaft, limit = gear.flange_a, data.motor_torque
    model.connect(model.add(fb.TorqueSource(f"motor{i}", limit=limit)).flange_b, shaft)
    if friction:
        bearing = model.add(fb.Friction(f"friction{i}", viscous=data.viscous, coulomb=data.coulomb))
        model.connect(bearing.flange_b, shaft)


def _discretization(modes: int, shapes: str) -> fb.Rigid | fb.AssumedModes:
    """Return the discretisation of a link."""
    if modes == 0:
        return fb.Rigid()
    return fb.AssumedModes(modes, tip=TIPS[shapes])


def _check_arguments(links: int, lumped_mass_at: Sequence[float] | None, modes: int, shapes: str, drives: str) -> None:
    _check("links", links, 1 <= links <= 10_000, "a whole number > 0 and <= 10 000")
    _check("modes", modes, modes >= 0, "a whole number >= 0")
    for name, value, words in (
        ("shapes", shapes, ("pinned", "clamped-free", "clamped-mass")),
        ("drives", drives, ("direct", "geared")),
    ):
        _check(name, value, value in words, f"one of {', '.join(words)}")
    if lumped_mass_at is not None:
        holds = not isinstance(lumped_mass_at, str) and np.shape(lumped_mass_at) == (links,)
        _check("lumped_mass_at", lumped_mass_at, holds, f"{links} distances from the joint [m], one for each link")


def _check(name: str, value: object, holds: bool, words: str) -> None:
    if not holds:
        raise ParameterError(f"yu_chen_2019: {name} = {value!r}; must be {words}.")
