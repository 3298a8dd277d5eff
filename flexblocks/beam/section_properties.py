"""Section properties of a beam: stiffness and inertia per length, from sections and a material or from numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flexblocks.beam.kinematics.beam import Number
from flexblocks.beam.properties.beam_profiles import RelativeProfile
from flexblocks.beam.properties.material import Material
from flexblocks.beam.properties.profile import Distribution, Profile, SumOfDistributions, mean, profile
from flexblocks.beam.properties.section import Section

FORMULAS: dict[str, Callable[[Section, Material], float]] = {
    "linear_density": lambda section, material: material.density * section.area,
    "flexural_rigidity": lambda section, material: material.youngs_modulus * section.second_moment("y"),
    "flexural_rigidity_z": lambda section, material: material.youngs_modulus * section.second_moment("z"),
    "axial_rigidity": lambda section, material: material.youngs_modulus * section.area,
    "torsional_rigidity": lambda section, material: material.shear_modulus * section.torsion_constant,
    "shear_rigidity": lambda section, material: (
        material.shear_modulus * section.shear_area("y", material.poissons_ratio)
    ),
    "shear_rigidity_z": lambda section, material: (
        material.shear_modulus * section.shear_area("z", material.poissons_ratio)
    ),
    "section_inertia": lambda section, material: material.density * section.second_moment("y"),
    "section_inertia_z": lambda section, material: material.density * section.second_moment("z"),
    "polar_inertia": lambda section, material: material.density * section.polar_moment,
}


@dataclass(frozen=True)
class OfSection:
    """A section property as a function of the section, for a given material."""

    name: str
    material: Material

    def __call__(self, section: Section) -> float:
        return FORMULAS[self.name](section, self.material)


@dataclass(frozen=True, eq=False)
class Property:
    """A property of a beam: its mean (perhaps a symbol), the nominal value of that, and its profile along the beam."""

    mean: Number
    nominal: float
    profile: Profile

    def relative_to(self, of: float) -> RelativeProfile:
        """Return it relative to another quantity."""
        return RelativeProfile(self.nominal / of, self.profile)


def property_of(block: Any, name: str) -> Property | None:
    """Return a property of a beam block, from its section and material or from its field; None if it has neither.

    A property for bending along z defaults to that for y, and the polar inertia to the sum of the two others.
    """
    nominal = block.nominal
    if nominal.section is not None:
        distribution = Distribution(nominal.section, nominal.length, OfSection(name, nominal.material))
        return Property(mean(distribution), mean(distribution), profile(distribution))
    if getattr(nominal, name) is not None:
        distribution = Distribution(getattr(nominal, name), nominal.length)
        value = mean(distribution)
        return Property(getattr(block, name) if distribution.is_uniform else value, value, profile(distribution))
    if name == "polar_inertia" and nominal.section_inertia is not None:
        return _polar_inertia(block)
    return property_of(block, name.removesuffix("_z")) if name.endswith("_z") else None


def known_property(block: Any, name: str) -> Property:
    """Return a property that the beam block is known to have."""
    known = property_of(block, name)
    assert known is not None, name
    return known


def _polar_inertia(block: Any) -> Property:
    """Return the sum of the moments of inertia of flat sections about two axes across the beam."""
    nominal, (first, second) = block.nominal, (known_property(block, f"section_inertia{axis}") for axis in ("", "_z"))
    about_y = nominal.section_inertia if nominal.section_inertia_z is None else nominal.section_inertia_z
    parts = (Distribution(part, nominal.length) for part in (nominal.section_inertia, about_y))
    return Property(first.mean + second.mean, first.nominal + second.nominal, profile(SumOfDistributions(*parts)))
