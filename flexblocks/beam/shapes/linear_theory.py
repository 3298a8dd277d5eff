"""The linear theory of one deformation of a beam, dimensionless: what its shapes are made for."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.beam.properties.profile import UNIFORM, Profile


@dataclass(frozen=True)
class Share:
    """A second property of a line: `ratio` to the first, as means, and its own profile."""

    ratio: float
    profile: Profile = UNIFORM


@dataclass(frozen=True)
class Line:
    """Properties along a beam in one plane of bending, in extension or in torsion.

    Attributes
    ----------
    density, rigidity : Profile
        In units of their means: mass per length and EI, or EA, or polar inertia per length and GJ.
    shear : Share or None
        Rigidity in shear kappa G A, its mean in units of EI/l^2; None where sections stay across the axis.
    rotary : Share or None
        Inertia of the sections rho I, its mean in units of m l; None where they have none.
    """

    density: Profile = UNIFORM
    rigidity: Profile = UNIFORM
    shear: Share | None = None
    rotary: Share | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is a uniform line of points: that of Euler and Bernoulli."""
        return self == PLAIN

    @property
    def breaks(self) -> tuple[float, ...]:
        """Places x/l at which a property is not smooth."""
        profiles = [self.density, self.rigidity, *(share.profile for share in (self.shear, self.rotary) if share)]
        return tuple(sorted({place for profile in profiles for place in profile.breaks}))

    @property
    def is_uniform(self) -> bool:
        profiles = [self.density, self.rigidity, *(share.profile for share in (self.shear, self.rotary) if share)]
        return all(profile == UNIFORM for profile in profiles)


PLAIN = Line()
