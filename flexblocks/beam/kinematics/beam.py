"""A slender beam before discretisation: mass, stiffness, damping, and the deformations it is free to make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from flexblocks.beam.properties.beam_profiles import BeamProfiles
from flexblocks.beam.properties.profile import UNIFORM, Profile
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.internal_forces import Cut

Number = float | ca.SX


@dataclass(frozen=True, eq=False)
class BeamDeformation:
    """One way in which a beam deforms: bending along y or z, extension, or torsion.

    Attributes
    ----------
    inertia : float or SX
        Unit of mass: m [kg]; in torsion the polar inertia of the beam [kg m2].
    stiffness : float or SX
        Unit of stiffness: EI/l^3 or EA/l [N/m]; in torsion GJ/l [N m].
    profiles : BeamProfiles
        The rest of the linear theory, dimensionless, with nominal values.
    tip : TipBody
        The rigid body at the tip that shapes the modes, in units of the beam (m, m l^2, m l); its `mass` alone counts
        in extension and in torsion.
    shear_stiffness : float, SX or None
        kappa G A/l [N/m]; None where sections stay normal to the axis.
    softness : float or SX
        EI/(kappa G A l^2) in units of the value that `profiles` has; other than 1 where one of these is a symbol.
    """

    inertia: Number
    stiffness: Number
    profiles: BeamProfiles
    tip: TipBody
    shear_stiffness: Number | None = None
    softness: Number = 1.0


@dataclass(frozen=True, eq=False)
class Beam:
    """A slender beam along x, clamped at its root; properties may vary along it.

    Attributes
    ----------
    length, mass : float or SX
        [m], [kg]
    damping_ratio : float or SX
        Share of critical damping of every mode.
    deformations : dict of BeamDeformation
        By ``"y"``, ``"z"`` (bending), ``"x"`` (extension), ``"torsion"``: those that it is free to make.
    density : Profile
        Of its mass per length.
    section_inertia : dict of float or SX
        rho I l [kg m2] by deformation; those left out have none.
    rotary : dict of Profile
        Profiles of these, by deformation.
    shortens : bool
        Whether the beam foreshortens as it bends (where sections are shifted normal to the axis).
    cuts : tuple of Cut
        Where internal forces are outputs.
    damping_time : float or SX
        Retardation time tau of the material [s]: stress = E (strain + tau * rate of strain).
    is_bulky : bool
        Whether what hangs on the tip is far larger than the beam: harder to turn than to move along with its length.
    """

    length: Number
    mass: Number
    damping_ratio: Number
    deformations: Mapping[str, BeamDeformation]
    density: Profile = UNIFORM
    section_inertia: Mapping[str, Number] = field(default_factory=dict)
    rotary: Mapping[str, Profile] = field(default_factory=dict)
    shortens: bool = False
    cuts: tuple[Cut, ...] = ()
    damping_time: Number = 0.0
    is_bulky: bool = False

    def damping(self, axis: str) -> Number:
        """Return the unit of damping sqrt(mass * stiffness), times the damping ratio [N s/m or N m s]."""
        deformation = self.deformations[axis]
        return self.damping_ratio * ca.sqrt(deformation.inertia * deformation.stiffness)
