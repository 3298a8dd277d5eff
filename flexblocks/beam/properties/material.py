"""Isotropic linear-elastic material."""

from __future__ import annotations

from dataclasses import dataclass, fields

from flexblocks.errors import ParameterError
from flexblocks.plausibility import computable, needed
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import MATERIAL_UNITS

# The softest gels have 1e3 Pa or so, and are no beams; 1e4 Pa is far below the softest silicones, at 5e4 Pa.
SOFTEST = 1e4
# Whatever is heavier than twice water is a metal, a glass, a stone or a composite of these, above 1e9 Pa all; filled
# rubbers, the exception, have 1e6 Pa and more.
HEAVY, SOFTEST_HEAVY = 2000.0, 1e6
# The lightest foams that carry anything; the heaviest metal has 22.6 g/cm3.
LIGHTEST = 25.0


@dataclass(frozen=True)
class Material:
    """A homogeneous, isotropic, elastic material.

    Parameters
    ----------
    density : float
        [kg/m3]
    youngs_modulus : float
        E [Pa]
    poissons_ratio : float
        nu, from 0 to less than 0.5; the shear modulus is E/(2 (1 + nu)).

    Raises
    ------
    ParameterError
        A value out of range.

    Warns
    -----
    FlexblocksWarning
        Values that no solid has, as if they were in other units: E in GPa or MPa, the density in g/cm3.
    """

    density: float
    youngs_modulus: float
    poissons_ratio: float = 0.3

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ParameterError(f"Material: {field.name} = {value!r}; must be a finite number.")
            if not computable(value):
                raise ParameterError(f"Material: {field.name} = {value!r}; must be {needed(value, 'a finite number')}.")
        if self.density <= 0 or self.youngs_modulus <= 0:
            raise ParameterError(
                f"Material: density = {self.density:g} kg/m3, youngs_modulus = {self.youngs_modulus:g} Pa; "
                "both must be > 0."
            )
        if not 0 <= self.poissons_ratio < 0.5:
            raise ParameterError(
                f"Material: poissons_ratio = {self.poissons_ratio:g}; must be >= 0 and < 0.5 (steel 0.3)."
            )

        for doubt in _doubts(self.density, self.youngs_modulus):
            warn(f"Material: {doubt}", MATERIAL_UNITS)

    @property
    def shear_modulus(self) -> float:
        """G [Pa]."""
        return self.youngs_modulus / (2 * (1 + self.poissons_ratio))


def _doubts(density: float, youngs_modulus: float) -> list[str]:
    """Return what the values look like, if they are those of no solid."""
    doubts = []
    if youngs_modulus < SOFTEST:
        doubts.append(f"youngs_modulus = {youngs_modulus:g} Pa is softer than any solid; {youngs_modulus:g} GPa is")
        doubts[-1] += f" youngs_modulus={youngs_modulus:g}e9."
    elif youngs_modulus < SOFTEST_HEAVY and density > HEAVY:
        doubts.append(
            f"youngs_modulus = {youngs_modulus:g} Pa is softer than any solid of {density:g} kg/m3; "
            f"{youngs_modulus:g} MPa (N/mm2) is youngs_modulus={youngs_modulus:g}e6."
        )
    if density < LIGHTEST:
        doubts.append(
            f"density = {density:g} kg/m3 is lighter than foam; {density:g} g/cm3 is density={1000 * density:g}."
        )
    return doubts
