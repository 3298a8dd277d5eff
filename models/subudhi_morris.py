"""The planar arm with flexible links and joints of Subudhi & Morris (2002)."""

from __future__ import annotations

from typing import Literal

import flexblocks as fb
from flexblocks.errors import ParameterError

# Table 1, the same for both links: [m], [kg/m], [N m2]; [kg m2], 1, [N m/rad]; [kg], [kg m2].
LENGTH, LINEAR_DENSITY, FLEXURAL_RIGIDITY = 0.5, 0.2, 1.0
ROTOR_INERTIA, GEAR_RATIO, JOINT_STIFFNESS = 0.02, 1.0, 100.0
PAYLOAD_MASS, PAYLOAD_INERTIA = 0.1, 0.005


def subudhi_morris_2002(
    links: int = 2,
    modes: int = 2,
    shapes: Literal["clamped-mass", "clamped-free", "as-printed"] = "clamped-mass",
    joints: Literal["flexible", "rigid"] = "flexible",
    rotor_mount: Literal["relative", "carried"] = "relative",
) -> fb.Model:
    """Return the arm of Subudhi & Morris, Robotics and Autonomous Systems 41 (2002) 257-270, Table 1.

    Parameters
    ----------
    links : int
        Number of links; the paper has 2.
    modes : int
        Modes of each link; 0 for rigid links.
    shapes : "clamped-mass", "clamped-free" or "as-printed"
        Mode shapes. ``"clamped-mass"``: the tip body of each link is everything outboard. ``"as-printed"``: it follows
        eqs 47 and 48 as printed, with their rotor inertia and doubled payload term.
    joints : "flexible" or "rigid"
        Rotor and link joined by a spring, or rigidly.
    rotor_mount : "relative" or "carried"
        Rotor kinetic energy from the rate relative to the mount (eq 7), or from the true spin, which includes the rate
        of the mount.

    Returns
    -------
    Model
        Blocks motor1, rotor1, spring1, joint1, link1, ..., payload. The arm moves in the xy plane without gravity.

    Raises
    ------
    ParameterError
        An invalid argument.
    """
    _check("links", links, 1 <= links <= 10_000, "a whole number > 0 and <= 10 000")
    _check("modes", modes, modes >= 0, "a whole number >= 0")
    for name, value, words in (
        ("shapes", shapes, ("clamped-mass", "clamped-free", "as-printed")),
        ("joints", joints, ("flexible", "rigid")),
        ("rotor_mount", rotor_mount, ("relative", "carried")),
    ):
        _check(name, value, value in words, f"one of {', '.join(words)}")
    model = fb.Model(f"Subudhi & Morris 2002, {links} links")
    tip = model.add(fb.Ground("ground")).frame_b
    for i in range(1, links + 1):
        motor = model.add(fb.TorqueSource(f"motor{i}"))
        rotor = model.add(fb.Rotor(f"rotor{i}", inertia=ROTOR_INERTIA, gear_ratio=GEAR_RATIO))
        joint = fb.Revolute(f"joint{i}")
        model.connect(motor.flange_b, rotor.flange_a)
        if joints == "flexible":
            spring = model.add(fb.TorsionalSpring(f"spring{i}", stiffness=JOINT_STIFFNESS))
            model.add(joint)
            model.connect(rotor.flange_b, spring.flange_a)
            model.connect(spring.flange_b, joint.axis)
        else:
            model.add(joint)
            model.connect(rotor.flange_b, joint.axis)
        if rotor_mount == "carried":
            model.connect(tip, rotor.frame_a)
        link = model.add(
            fb.FlexibleBeam(
                f"link{i}",
                length=LENGTH,
                linear_density=LINEAR_DENSITY,
                flexural_rigidity=FLEXURAL_RIGIDITY,
                discretization=_discretization(modes, shapes, links - i),
                bending="y",
            )
        )
        model.connect(tip, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        tip = link.frame_b
    payload = model.add(fb.Payload("payload", mass=PAYLOAD_MASS, inertia=PAYLOAD_INERTIA))
    model.connect(tip, payload.frame_a)
    return model


def _discretization(modes: int, shapes: str, outboard: int) -> fb.Rigid | fb.AssumedModes:
    """Return the discretisation of a link with `outboard` links beyond it."""
    if modes == 0:
        return fb.Rigid()
    if shapes == "as-printed":
        return fb.AssumedModes(modes, tip=printed_tip_body(outboard))
    # A tip body without mass is a free tip on purpose.
    return fb.AssumedModes(modes, tip=fb.TipBody(0.0) if shapes == "clamped-free" else "auto")


def printed_tip_body(outboard: int) -> fb.TipBody:
    """Return the tip body of a link with `outboard` links beyond it, by eqs 47 and 48 as printed.

    The paper prints them for two links. For more, the outboard links are stretched out, each with the terms of eq 47:
    its inertia about its joint, and the rotor at that joint.
    """
    link_mass = LINEAR_DENSITY * LENGTH
    if outboard == 0:
        return fb.TipBody(PAYLOAD_MASS, PAYLOAD_INERTIA + PAYLOAD_MASS * LENGTH**2, 0.0)
    mass, inertia, moment = PAYLOAD_MASS, PAYLOAD_INERTIA, 0.0
    for k in range(outboard):
        mass += link_mass
        inertia += link_mass * LENGTH**2 / 12 + link_mass * (LENGTH * (k + 0.5)) ** 2 + ROTOR_INERTIA * GEAR_RATIO**2
        moment += link_mass * LENGTH * (k + 0.5)
    reach = outboard * LENGTH
    return fb.TipBody(mass, inertia + PAYLOAD_MASS * reach**2, moment + PAYLOAD_MASS * reach)


def _check(name: str, value: object, holds: bool, words: str) -> None:
    if not holds:
        raise ParameterError(f"subudhi_morris_2002: {name} = {value!r}; must be {words}.")
