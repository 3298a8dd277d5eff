"""Finite beam elements: Hermite cubics between nodes, with deflections and slopes of the nodes as coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.beam.discretization import Discretization, check_number, numbered_coordinates
from flexblocks.beam.kinematics.beam import BeamDeformation
from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles
from flexblocks.beam.properties.quadrature import gauss_legendre, panels
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.axial_torsional import HatShapes
from flexblocks.beam.shapes.combined import Stacked
from flexblocks.beam.shapes.hermite import HermiteShapes, PartHermiteShapes, ShearHermiteShapes
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.interfaces import Coordinate

# Gauss points on each smooth piece of an element, for its mean properties: exact within rounding for a cone whose
# diameter halves inside one element.
POINTS = 16


@dataclass(frozen=True)
class FiniteElements(Discretization):
    """The beam is `n` equal Hermite elements, clamped at the root.

    Parameters
    ----------
    n : int
        Elements along the beam.

    Raises
    ------
    ParameterError
        `n` is not a whole number > 0.

    Notes
    -----
    Coordinates of node k = 1..n at x = k l/n: ``deflection_y[k]`` [m] and ``slope_y[k]`` [rad], the derivative dv/dx,
    so that a positive slope turns the section about +z; ``deflection_z[k]`` and ``slope_z[k]``, dw/dx, which turns it
    about -y. Node n is the tip. Mass and stiffness matrices are the consistent ones, and bands. On request
    ``extension[k]`` [m] and ``torsion[k]`` [rad], linear between nodes.

    Frequencies of bending converge from above with error (1/n)^4, those of extension and torsion with (1/n)^2. Static
    deflections of a uniform beam under forces and moments at nodes are exact. Where properties vary, they are
    integrated inside the elements; a jump costs accuracy unless it is at a node.

    A beam that shears has cubic deflections and quadratic rotations with constant shear in each element
    (Przemieniecki 1968, section 5.6), which do not lock; a slope is then the rotation of the section, and frequencies
    converge with error (1/n)^2.
    Modal damping counts in everything outboard, rigid and in the zero configuration, as the tip body.
    """

    n: int

    keyword = "elements"

    def __post_init__(self) -> None:
        check_number("FiniteElements", self.n, most=1000)

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        if axis not in ("y", "z"):
            return numbered_coordinates(axis, self.n)
        stems = ((f"deflection_{axis}", "m"), (f"slope_{axis}", "rad"))
        return tuple(Coordinate(f"{stem}[{k}]", unit) for k in range(1, self.n + 1) for stem, unit in stems)

    @property
    def can_shear(self) -> bool:
        return True

    @property
    def follows_shear(self) -> bool:
        return True

    def following_shear(self, deformation: BeamDeformation) -> tuple[DiscretizedDeformation, ca.SX]:
        profiles = deformation.profiles
        # Elements that are alike but for rounding are of one kind.
        phi = tuple(float(f"{value:.12e}") for value in self._phi(profiles))
        kinds, each = [1 / (1 + value * deformation.softness) for value in sorted(set(phi))], ca.SX.eye(2 * self.n)
        shares = ca.vertcat(*(share * each for rigid in kinds for share in (rigid, 1 - rigid)))
        return _parts(self.n, phi, deformation.tip, profiles), ca.sparsify(shares)

    @property
    def can_guide_in_shear(self) -> bool:
        return False

    @property
    def can_slide(self) -> bool:
        return True

    def feels_tip(self, damped: bool) -> bool:
        return damped

    def richer(self) -> FiniteElements:
        return FiniteElements(self.n + 1)

    def audited_by(self) -> FiniteElements:
        return FiniteElements(2 * self.n)

    def shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        del tip
        if profiles.shear is None:
            return HermiteShapes(self.n)
        return ShearHermiteShapes(self.n, self._phi(profiles))

    def _phi(self, profiles: BeamProfiles) -> tuple[float, ...]:
        """Return 12 EI/(kappa G A h^2) of each element, h its length."""
        assert profiles.shear is not None
        xi, w = gauss_legendre(POINTS, panels(np.linspace(0.0, 1.0, self.n + 1), profiles.breaks))
        element = np.minimum((xi * self.n).astype(int), self.n - 1)
        # The mean rigidities of each element, in bending and in shear.
        bending = np.bincount(element, w * profiles.rigidity(xi))
        shear = np.bincount(element, w * profiles.shear.profile(xi))
        return tuple((12 * self.n**2 * bending / (profiles.shear.ratio * shear)).tolist())

    def rod_shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        del tip, profiles
        return HatShapes(self.n)


@lru_cache(maxsize=64)
def _parts(n: int, phi: tuple[float, ...], tip: TipBody, profiles: BeamProfiles) -> DiscretizedDeformation:
    """Return what elements deform in without shear and in shear alone, those of one `phi` after those of another."""
    members = [tuple(value == kind for value in phi) for kind in sorted(set(phi))]
    parts = (PartHermiteShapes(n, which, shears) for which in members for shears in (False, True))
    return DiscretizedDeformation(Stacked(tuple(parts)), tip, profiles)
