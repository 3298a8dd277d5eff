"""A slim surgical arm, bent by two tendons that run through discs along its flexible spine."""

from __future__ import annotations

from collections.abc import Sequence

import flexblocks as fb
from flexblocks.errors import ParameterError

TENDON_RIGIDITY = 5.0e3  # of a braid of 0.4 mm [N]


def tendon_arm(
    length: float = 0.2,
    discs: int = 5,
    offset: float = 8e-3,
    diameter: float = 1.4e-3,
    youngs_modulus: float = 54e9,
    disc_mass: float = 1.0e-3,
    tool: float = 4e-3,
    pretension: float = 2.0,
    discretization: fb.Discretization | None = None,
    damping_time: float = 5e-3,
    gravity: Sequence[float] = (0.0, -9.81, 0.0),
) -> fb.Model:
    """Return a continuum arm of a superelastic spine with discs, bent in a vertical plane by two tendons with winches.

    Parameters
    ----------
    length : float
        Of the spine, which is clamped and lies along x [m].
    discs : int
        Number of discs, at equal distances, the last at the tip.
    offset : float
        Distance of the tendons from the spine [m].
    diameter : float
        Of the spine [m].
    youngs_modulus : float
        Of the spine [Pa].
    disc_mass : float
        Of each disc [kg].
    tool : float
        Mass at the tip [kg].
    pretension : float
        Tension of both tendons at the start, with the spine straight [N].
    discretization : Discretization, optional
        Of each piece of the spine between two discs; by default one rigid segment, which bends as far as you like.
    damping_time : float
        Kelvin-Voigt damping of the tendons [s].
    gravity : (3,)
        In world axes [m/s2].

    Returns
    -------
    Model
        Pieces of the spine ``spine1``, ``spine2`` ...; tendons ``upper`` (on the side of +y) and ``lower`` with the
        inputs ``upper.speed``, ``lower.speed`` of their winches [m/s], negative pulls; the ``tool`` at the tip.

    Raises
    ------
    ParameterError
        `discs` is not a whole number > 0 and <= 10 000.
    """
    if isinstance(discs, bool) or not isinstance(discs, int) or not 1 <= discs <= 10_000:
        raise ParameterError(f"tendon_arm: discs = {discs!r}; must be a whole number > 0 and <= 10 000.")
    model = fb.Model("tendon-driven arm", gravity=gravity)
    ground = model.add(fb.Ground("ground"))
    nitinol = fb.Material(density=6450.0, youngs_modulus=youngs_modulus, poissons_ratio=0.3)
    # Stretched by the pretension, a tendon is as long as the spine.
    unstretched = length / (1 + pretension / TENDON_RIGIDITY)
    tendons = [
        fb.Cable(name, unstretched, TENDON_RIGIDITY, discs - 1, damping_time=damping_time, winch=True, limit=0.05)
        for name in ("upper", "lower")
    ]
    place = ground.frame_b
    for tendon in tendons:
        model.add(tendon)
    for number in range(discs + 1):
        if number:
            spine = fb.FlexibleBeam(
                f"spine{number}",
                length / discs,
                section=fb.Tube(outer=diameter, inner=0.0),
                material=nitinol,
                discretization=fb.RigidSegments(1) if discretization is None else discretization,
                bending="y",
            )
            model.connect(place, model.add(spine).frame_a)
            place = spine.frame_b
            disc = model.add(fb.LumpedMass(f"disc{number}", disc_mass))
            model.connect(place, disc.frame_a)
        spec = "frame_a" if number == 0 else "frame_b" if number == discs else f"frame_{number}"
        for tendon, side in zip(tendons, (1.0, -1.0), strict=True):
            eyelet = model.add(fb.FixedTransform(f"{tendon.name}_eyelet{number}", (0.0, side * offset, 0.0)))
            model.connect(place, eyelet.frame_a)
            model.connect(eyelet.frame_b, tendon.port(spec))
    model.connect(place, model.add(fb.Payload("tool", tool)).frame_a)
    return model
