"""Dimensionless beam properties in one deformation: the profiles for which shape functions are made."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.beam.properties.profile import UNIFORM, Profile


@dataclass(frozen=True)
class RelativeProfile:
    """A second property of a beam: `ratio` to the first, as means, and its own profile."""

    ratio: float
    profile: Profile = UNIFORM


@dataclass(frozen=True)
class BeamProfiles:
    """Properties along a beam in one plane of bending, in extension or in torsion.

    Attributes
    ----------
    density, rigidity : Profile
        In units of their means: mass per length and EI, or EA, or polar inertia per length and GJ.
    shear : RelativeProfile or None
        Rigidity in shear kappa G A, its mean in units of EI/l^2; None where sections stay normal to the axis.
    rotary : RelativeProfile or None
        Inertia of the sections rho I, its mean in units of m l; None where they have none.
    """

    density: Profile = UNIFORM
    rigidity: Profile = UNIFORM
    shear: RelativeProfile | None = None
    rotary: RelativeProfile | None = None

    @property
    def is_uniform_euler_bernoulli(self) -> bool:
        """Whether it is a uniform Euler-Bernoulli beam, without shear and rotary inertia."""
        return self == EULER_BERNOULLI

    @property
    def breaks(self) -> tuple[float, ...]:
        """Positions x/l at which a property is not smooth."""
        profiles = [self.density, self.rigidity, *(share.profile for share in (self.shear, self.rotary) if share)]
        return tuple(sorted({place for profile in profiles for place in profile.breaks}))

    @property
    def is_uniform(self) -> bool:
        profiles = [self.density, self.rigidity, *(share.profile for share in (self.shear, self.rotary) if share)]
        return all(profile == UNIFORM for profile in profiles)


EULER_BERNOULLI = BeamProfiles()
