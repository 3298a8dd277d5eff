"""A beam from the parameters of its block, or a refusal of parameters that are inconsistent."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.beam import Beam, BeamDeformation, Number
from flexblocks.beam.properties.beam_profiles import BeamProfiles
from flexblocks.beam.properties.material import Material
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.section_properties import FORMULAS, Property, known_property, property_of
from flexblocks.errors import ParameterError, listing

# The fields that an option needs if there is no section, and those it allows besides.
NEEDS = {
    "axial": ("axial_rigidity",),
    "torsion": ("torsional_rigidity", "polar_inertia"),
    "shear": ("shear_rigidity",),
    "rotary_inertia": ("section_inertia",),
}
# Square of the size of what hangs on a tip, in units of the beam's length, from which on it is bulky: so many roundings
# are lost where its turns cancel.
BULKY = 10.0
ALLOWS = {"shear": ("shear_rigidity_z",), "rotary_inertia": ("section_inertia_z", "polar_inertia")}


def check_properties(block: Any) -> None:
    """Refuse a beam block whose properties are incomplete or specified twice.

    Raises
    ------
    ParameterError
        Names the fields to set or to leave out.
    """
    specified = [name for name in FORMULAS if getattr(block, name, None) is not None]
    if block.section is not None or block.material is not None:
        if block.section is None or not isinstance(block.material, Material):
            raise ParameterError(
                f"{block.where}: section = {block.section!r}, material = {block.material!r}; "
                "must be given together, as section=fb.Rectangle(...), material=fb.Material(...)."
            )
        if specified:
            raise ParameterError(
                f"{block.where}: section and {listing(specified)} are both specified; a section with its material "
                "determines all of these: leave out one or the other."
            )
    else:
        _check_numbers(block, specified)
    check_damping(block)
    if block.shear and not block.discretization.can_shear:
        raise ParameterError(
            f"{block.where}: shear = True with {block.discretization!r}, which is not flexible in shear (can_shear); "
            "take another discretisation, such as fb.FiniteElements(n) or clamped fb.AssumedModes(n), or leave it out."
        )


def check_damping(block: Any) -> None:
    """Refuse a beam block whose damping is specified twice.

    Raises
    ------
    ParameterError
        Names both fields.
    """
    ratio, time = block.damping_ratio, block.damping_time
    if isinstance(ratio, float) and isinstance(time, float) and ratio and time:
        raise ParameterError(
            f"{block.where}: damping_ratio = {ratio:g} and damping_time = {time:g} s; each "
            "is the whole damping of the beam: set one of the two."
        )


def _check_numbers(block: Any, specified: list[str]) -> None:
    missing = [name for name in ("linear_density", "flexural_rigidity") if name not in specified]
    if missing:
        raise ParameterError(
            f"{block.where}: {listing(missing)} not given; needs linear_density and flexural_rigidity, "
            "or section and material."
        )
    options = tuple(option for option in NEEDS if hasattr(block, option))
    check_options(block, options, ", or section and material instead of numbers")


def check_options(block: Any, among: tuple[str, ...], instead: str = "") -> None:
    """Refuse a beam block whose options lack a number that they need, or numbers that no option uses.

    Parameters
    ----------
    block : FlexibleBeam or SlidingBeam
    among : tuple of str
        The options that it has.
    instead : str
        What else would do, for the message.

    Raises
    ------
    ParameterError
        Names the fields to set or to leave out.
    """
    users: dict[str, list[str]] = {}
    for option in among:
        for name in (*NEEDS[option], *ALLOWS.get(option, ())):
            users.setdefault(name, []).append(option)
        missing = [name for name in NEEDS[option] if getattr(block, name) is None and not _follows(block, name)]
        if getattr(block, option) and missing:
            raise ParameterError(f"{block.where}: {option} = True needs {listing(missing)}{instead}.")
    for name, options in users.items():
        if getattr(block, name) is not None and not any(getattr(block, option) for option in options):
            raise ParameterError(
                f"{block.where}: {name} has no effect; set {' or '.join(f'{o}=True' for o in options)}, "
                "or leave it out."
            )


def _follows(block: Any, name: str) -> bool:
    """Whether a number follows from others: the polar inertia of sections whose moments about both axes are known."""
    return name == "polar_inertia" and getattr(block, "rotary_inertia", False) and block.section_inertia is not None


def beam_from_block(block: Any, carried: np.ndarray) -> Beam:
    """Return the beam that a block describes.

    Parameters
    ----------
    block : FlexibleBeam
        Numbers among its fields may be symbols.
    carried : ndarray (6, 6)
        Inertia of what hangs on its tip, see `flexblocks.interfaces.Local`.
    """
    # Units of mass, length and inertia, from nominal values.
    density = known_property(block, "linear_density")
    mass, length = density.nominal * block.nominal.length, block.nominal.length
    inertia = _inertia(block)
    # Each deformation with its stiffness, profiles and tip body.
    deformations = {}
    for axis in block.deformations:
        tip = block.nominal.discretization.tip_body(tip_body(carried, axis if axis in ("y", "z") else "y"))
        if axis == "x":
            rigidity = known_property(block, "axial_rigidity")
            profiles, body = BeamProfiles(density.profile, rigidity.profile), TipBody(tip.mass / mass)
            deformations[axis] = BeamDeformation(
                density.mean * block.length, rigidity.mean / block.length, profiles, body
            )
        elif axis == "torsion":
            rigidity, polar = known_property(block, "torsional_rigidity"), inertia[axis]
            profiles, body = (
                BeamProfiles(polar.profile, rigidity.profile),
                TipBody(tip.polar_inertia / (polar.nominal * length)),
            )
            deformations[axis] = BeamDeformation(
                polar.mean * block.length, rigidity.mean / block.length, profiles, body
            )
        else:
            deformations[axis] = _bending(block, axis, density, inertia.get(axis), tip.relative(mass, length))
    return Beam(
        length=block.length,
        mass=density.mean * block.length,
        damping_ratio=block.damping_ratio,
        damping_time=block.damping_time,
        deformations=deformations,
        density=density.profile,
        section_inertia={axis: per_length.mean * block.length for axis, per_length in inertia.items()},
        rotary={axis: per_length.profile for axis, per_length in inertia.items()},
        shortens=block.stiffening,
        cuts=block.cuts,
        is_bulky=any(_is_bulky(tip_body(carried, axis), mass, length) for axis in deformations if axis in ("y", "z")),
    )


def _is_bulky(tip: TipBody, mass: float, length: float) -> bool:
    return tip.inertia > BULKY * (tip.mass + mass) * length**2


def tip_body(carried: np.ndarray, axis: str) -> TipBody:
    """Return what hangs on the tip, as bending along `axis` feels it."""
    about = 2 if axis == "y" else 1
    # T = 1/2 m v.v + v.(omega x S) + ...: the entry at (v_z, omega_y) is -S_x.
    return TipBody(carried[3, 3], carried[about, about], -carried[5, 1], polar_inertia=carried[0, 0])


def _bending(block: Any, axis: str, density: Property, turning: Property | None, tip: TipBody) -> BeamDeformation:
    suffix = "_z" if axis == "z" else ""
    rigidity = known_property(block, f"flexural_rigidity{suffix}")
    shear = known_property(block, f"shear_rigidity{suffix}") if block.shear else None
    length, mass = block.nominal.length, density.nominal * block.nominal.length
    profiles = BeamProfiles(
        density=density.profile,
        rigidity=rigidity.profile,
        shear=shear.relative_to(rigidity.nominal / length**2) if shear else None,
        rotary=turning.relative_to(mass * length) if turning else None,
    )
    return BeamDeformation(
        inertia=density.mean * block.length,
        stiffness=rigidity.mean / block.length**3,
        profiles=profiles,
        tip=tip,
        shear_stiffness=shear.mean / block.length if shear else None,
        softness=_softness(block, rigidity, shear) if shear else 1.0,
    )


def _softness(block: Any, rigidity: Property, shear: Property) -> Number:
    """Return EI/(kappa G A l^2) in units of its nominal value; 1 if none of these is a symbol."""
    ratio = rigidity.mean / (shear.mean * block.length**2)
    nominal = rigidity.nominal / (shear.nominal * block.nominal.length**2)
    return ratio / nominal if isinstance(ratio, ca.SX) else 1.0


def made_for_numbers(
    block: Any, instead: str = "fb.FiniteElements(n) or fb.StrainModes(n), whose shapes follow it"
) -> dict[str, str]:
    """Return the parameters of a beam block that its shapes are made for, so that they cannot stay symbolic, and why.

    Those of a beam that shears decide how much of each shape is shear; without shear they are the shapes of all beams
    that are alike, or functions in which these converge.
    """
    if not block.shear or block.discretization.follows_shear:
        return {}
    names = {"length", *(f"{name}_rigidity{axis}" for name in ("flexural", "shear") for axis in ("", "_z"))}
    if getattr(block, "rotary_inertia", False):
        names |= {"linear_density", "section_inertia", "section_inertia_z"}
    if block.discretization.tip_body(TipBody(1.0)).mass:
        names.add("linear_density")
    why = f"{block.discretization!r} with shear = True has shapes that are made for its number; take {instead}"
    return dict.fromkeys(sorted(names), why)


def _inertia(block: Any) -> dict[str, Property]:
    """Return the inertia per length against turning [kg m] by deformation, of those that count."""
    names = {"y": "section_inertia", "z": "section_inertia_z", "torsion": "polar_inertia"}
    wanted = ("y", "z", "torsion") if block.rotary_inertia else ("torsion",) if block.torsion else ()
    inertias = {axis: property_of(block, names[axis]) for axis in wanted}
    return {axis: inertia for axis, inertia in inertias.items() if inertia is not None}
