"""Isotropic linear-elastic material."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from flexblocks.errors import ParameterError


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
    """

    density: float
    youngs_modulus: float
    poissons_ratio: float = 0.3

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise ParameterError(f"Material: {field.name} = {value!r}; must be a finite number.")
        if self.density <= 0 or self.youngs_modulus <= 0:
            raise ParameterError(
                f"Material: density = {self.density:g} kg/m3, youngs_modulus = {self.youngs_modulus:g} Pa; "
                "both must be > 0."
            )
        if not 0 <= self.poissons_ratio < 0.5:
            raise ParameterError(
                f"Material: poissons_ratio = {self.poissons_ratio:g}; must be >= 0 and < 0.5 (steel 0.3)."
            )

    @property
    def shear_modulus(self) -> float:
        """G [Pa]."""
        return self.youngs_modulus / (2 * (1 + self.poissons_ratio))
