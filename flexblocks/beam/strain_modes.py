"""Geometric variable strain: a geometrically exact beam whose strains are combinations of a few functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal

import casadi as ca
import numpy as np

from flexblocks.beam.discretization import Discretization, check_number, numbered_coordinates
from flexblocks.beam.kinematics.beam import Beam, BeamDeformation
from flexblocks.beam.kinematics.deflection import Flexure
from flexblocks.beam.kinematics.strain_deflection import StrainFlexure
from flexblocks.beam.properties.beam_profiles import EULER_BERNOULLI, BeamProfiles
from flexblocks.beam.properties.distributed_parameter import takes_a_place, value_at
from flexblocks.beam.properties.profile import Profile
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.shapes.ritz_modes import ritz_modes, rod_modes
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation, discretized_bending
from flexblocks.beam.shapes.strain_functions import balancing_shear, own_strains, polynomial_strains, sizes
from flexblocks.beam.shapes.strain_shapes import PiecewisePolynomials, RodStrainShapes, StrainShapes
from flexblocks.errors import ParameterError
from flexblocks.interfaces import Coordinate, Frame, Local

MOST_POINTS = 1000  # a choice: what is more is a typing error
ANGLE = 0.8  # rad that a beam at rest is curved or twisted by, for each of which a point more is taken


@dataclass(frozen=True, repr=False)
class StrainModes(Discretization):
    """The beam's curvatures and other strains are combinations of `n` functions each; exact at any deflection.

    Parameters
    ----------
    n : int
        Functions for each strain: the curvature of each plane of bending, and where there are any, twist, extension and
        the shear strain of each plane; on each piece between `breaks`.
    functions : "polynomials", "modes" or tuple of callables
        Strains under moments and forces that are Legendre polynomials along the beam: of a uniform beam polynomials
        themselves, else divided by the rigidity. ``"modes"``: the strains of the clamped beam's natural modes with all
        that hangs on its tip, scaled to a mean square of 1. Or `n` functions of x/l from 0 to 1 of your own, for all
        strains alike.
    breaks : tuple of float
        Places x/l at which the polynomials start anew, or functions of your own are not smooth.
    points : int, optional
        Gauss points on each piece at which the direction of the axis is taken; by default n + 1, of functions other
        than polynomials n + 2. In space, where no strain jumps, as many Gauss-Lobatto points besides the root. A beam
        that is curved or twisted has one more for every 0.8 rad by which it is so.
    curvature : float, callable or pair of these
        How the unloaded beam is bent: the angle [rad] by which its axis turns towards y from the root to the tip, along
        an arc; or a function of x/l, the curvature times the length. A pair is towards y, and towards z.
    twist : float or callable
        How the unloaded beam is twisted: the angle [rad] by which the section at the tip is turned about x against the
        root; or a function of x/l, the angle per length times the length.

    Raises
    ------
    ParameterError
        An argument is something else.

    Notes
    -----
    Stiffness, density and the planes of bending are those of the sections, which a twist turns along the beam; so is a
    curvature. The length is that of the axis, and energy is stored by what the strains differ from those at rest by.
    With n = 0 a curved or twisted beam is rigid.

    Coordinates, i = 1, 2, ...: ``curvature_y[i]``, ``curvature_z[i]`` [rad], whose functions add up to the curvature
    times the length; ``torsion[i]`` [rad], likewise to the twist per length; ``extension[i]`` [m], to the extension
    times the length; ``shear_y[i]``, ``shear_z[i]`` [rad], to shear strains, in a beam that shears and whose sections
    have rotary inertia; without it sections are in balance, Q = -M', and each curvature has its shear strain. The first
    polynomial is 1: by it alone the tip turns by the coordinate, or moves.

    Geometric variable strain (Renda et al. 2020, IEEE RA-L 5, 4006; Boyer et al. 2021, IEEE T-RO 37, 847). Strains are
    those of a geometrically exact rod: curvature and twist in the axes of the section, and r' in these axes. The stored
    energy is quadratic in them, with a constant stiffness matrix; for polynomials on a uniform beam it is diagonal. In
    one plane the angle of a section is exact, in space it comes from a Magnus step of fourth order from each point to
    the next. The position is the integral of the direction of the axis, interpolated between the points.
    """

    n: int
    functions: Literal["polynomials", "modes"] | tuple[Callable[[float], float], ...] = "polynomials"
    breaks: tuple[float, ...] = ()
    points: int | None = None
    curvature: Any = 0.0
    twist: Any = 0.0

    keyword = "strains"
    flexure_type = StrainFlexure

    def __post_init__(self) -> None:
        self._check_rest()
        if self.n != 0 or isinstance(self.n, bool) or not self.is_shaped:
            check_number("StrainModes", self.n, most=30)
        if isinstance(self.functions, str) and self.functions not in ("polynomials", "modes"):
            raise ParameterError(
                f"StrainModes: functions = {self.functions!r}; must be 'polynomials', 'modes' or a tuple of {self.n} "
                "functions of x/l."
            )
        if not isinstance(self.functions, str):
            self._check_own()
        if self.points is not None:
            # With fewer points than functions, some of these would move nothing.
            whole = isinstance(self.points, int) and not isinstance(self.points, bool)
            if not (whole and self.n <= self.points <= MOST_POINTS):
                raise ParameterError(
                    f"StrainModes: points = {self.points!r}; must be a whole number from {self.n}, the number of "
                    f"functions, to {MOST_POINTS}."
                )
        places = tuple(self.breaks) if isinstance(self.breaks, (tuple, list)) else None
        if places is None or not all(isinstance(place, (int, float)) and 0.0 < place < 1.0 for place in places):
            raise ParameterError(f"StrainModes: breaks = {self.breaks!r}; must be places x/l between 0 and 1.")
        if places and self.functions == "modes":
            raise ParameterError(
                "StrainModes: breaks with functions = 'modes'; modes know where the beam has its jumps."
            )
        object.__setattr__(self, "breaks", tuple(sorted({float(place) for place in places})))

    def _check_rest(self) -> None:
        pair = isinstance(self.curvature, (tuple, list))
        if pair:
            object.__setattr__(self, "curvature", tuple(self.curvature))
        if pair and len(self.curvature) != 2:
            raise ParameterError(
                f"StrainModes: curvature = {self.curvature!r}; must be an angle [rad] or a function of x/l, or a pair "
                "of these, towards y and towards z."
            )
        curvatures = self.curvature if pair else (self.curvature,)
        for name, value in (*(("curvature", each) for each in curvatures), ("twist", self.twist)):
            given: Any = value
            if callable(value) and takes_a_place(value):
                given = value_at(value, 0.3, f"StrainModes: {name}")
            number = isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
            if not number or not math.isfinite(float(given)):
                raise ParameterError(
                    f"StrainModes: {name} = {value!r}; must be a finite angle [rad], or a function of x/l."
                )

    @property
    def is_shaped(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the unloaded beam is curved or twisted."""
        return bool(self._rest)

    @property
    def _rest(self) -> dict[str, Any]:
        """Curvatures and twist of the unloaded beam, as they were given, by deformation; those that are not zero."""
        along_y, along_z = self.curvature if isinstance(self.curvature, tuple) else (self.curvature, 0.0)
        given = {"y": along_y, "z": along_z, "torsion": self.twist}
        return {axis: value for axis, value in given.items() if callable(value) or value != 0.0}

    def rigid(self) -> Discretization:
        if not self.is_shaped:
            return super().rigid()
        return replace(self, n=0, functions="polynomials", points=self.points and max(self.points, 1))

    def _check_own(self) -> None:
        functions = tuple(self.functions) if isinstance(self.functions, (tuple, list)) else ()
        if len(functions) != self.n or not all(callable(function) for function in functions):
            raise ParameterError(
                f"StrainModes: functions = {self.functions!r}; must be 'polynomials', 'modes' or a tuple of {self.n} "
                "functions of x/l."
            )
        if not all(map(takes_a_place, functions)):
            raise ParameterError(f"StrainModes: functions = {self.functions!r}; each must take one argument, x/l.")
        object.__setattr__(self, "functions", functions)
        places = np.linspace(0.01, 0.99, 4 * self.n + 7).tolist()
        answers = [[value_at(f, place, "StrainModes: functions") for place in places] for f in functions]
        try:
            values = np.array(answers, dtype=float)
        except (TypeError, ValueError):
            values = np.zeros(0)
        if values.shape != (self.n, len(places)):
            raise ParameterError(
                f"StrainModes: functions give {answers[0][0]!r} at x/l = {places[0]:g}; must be one number each."
            )
        if not np.isfinite(values).all() or np.linalg.matrix_rank(values) < self.n:
            raise ParameterError(f"StrainModes: functions = {self.functions!r}; must be finite and independent.")

    def __repr__(self) -> str:
        # Without what is as usual: messages name discretisations.
        more = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self)[1:] if getattr(self, f.name) != f.default)
        return f"StrainModes({', '.join([f'n={self.n}', *more])})"

    @property
    def size(self) -> int:
        """Functions of each strain along the whole beam."""
        return self.n * (len(self.breaks) + 1) if self.functions == "polynomials" else self.n

    def coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        return numbered_coordinates(axis, self.size, "curvature", "rad")

    def shear_coordinates(self, axis: str) -> tuple[Coordinate, ...]:
        # A mode has its curvature and its shear strain.
        return () if self.functions == "modes" else numbered_coordinates(axis, self.size, "shear", "rad")

    @property
    def can_shear(self) -> bool:
        return True

    @property
    def follows_shear(self) -> bool:
        return self.functions != "modes"

    def following_shear(self, deformation: BeamDeformation) -> tuple[DiscretizedDeformation, ca.SX]:
        if deformation.profiles.rotary is not None:
            # Shear strains have functions of their own.
            plane = discretized_bending(self, deformation.tip, deformation.profiles)
            return plane, ca.SX.eye(plane.shapes.size)
        each = ca.SX.eye(self.size)
        return _balanced(self, deformation.tip, deformation.profiles), ca.vertcat(each, deformation.softness * each)

    def has_coordinates_of(self, other: Discretization) -> bool:
        """A polynomial is the same one, however many there are."""
        if not isinstance(other, StrainModes):
            return False
        alike = self.functions == other.functions and self.breaks == other.breaks and self._rest == other._rest
        return alike and (self.n == other.n or (self.functions == "polynomials" and not self.breaks))

    def richer(self) -> StrainModes:
        return replace(self, n=self.n + 1) if isinstance(self.functions, str) else self

    def audited_by(self) -> StrainModes:
        return replace(self, n=self.n + 2) if isinstance(self.functions, str) else self

    def shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        if self.functions == "modes":
            modes = ritz_modes(self.n, tip, profiles)
            factors = 1 / sizes(modes.curvature)
            return StrainShapes(modes.curvature.scaled(factors), modes.sheared.scaled(factors))
        curvature = self._strains(profiles.rigidity)
        if profiles.shear is None:
            return StrainShapes(curvature, _none(curvature))
        if profiles.rotary is None:
            return StrainShapes(curvature, balancing_shear(curvature, profiles.rigidity, profiles.shear))
        return _apart(curvature, self._strains(profiles.shear.profile))

    def rod_shapes(self, tip: TipBody, profiles: BeamProfiles = EULER_BERNOULLI) -> Shapes:
        if self.functions == "modes":
            strains = rod_modes(self.n, tip, profiles).strained
            return RodStrainShapes(strains.scaled(1 / sizes(strains)))
        return RodStrainShapes(self._strains(profiles.rigidity))

    def balanced(self, profiles: BeamProfiles) -> Shapes:
        """Return curvatures, then the shear strains that are in balance with them."""
        assert profiles.shear is not None
        curvature = self._strains(profiles.rigidity)
        return _apart(curvature, balancing_shear(curvature, profiles.rigidity, profiles.shear))

    def _strains(self, rigidity: Profile) -> PiecewisePolynomials:
        if isinstance(self.functions, str):
            return polynomial_strains(self.n, rigidity, self.breaks)
        return own_strains(self.functions, self.breaks)

    @property
    def _points(self) -> int:
        # The angles of polynomials are interpolated exactly, of degree n; those of modes are of higher degrees.
        return self.n + 1 if self.functions == "polynomials" else self.n + 2

    def flexure(self, beam: Beam, root: Frame, local: Local) -> Flexure:
        flexure = super().flexure(beam, root, local)
        assert isinstance(flexure, StrainFlexure)
        rest = {axis: own_strains((_function(value),), self.breaks) for axis, value in self._rest.items()}
        turned = sum(float(sizes(each)[0]) for each in rest.values())
        points = self.points or max(self._points, 2) + math.ceil(turned / ANGLE) if rest else self._points
        return replace(flexure, points=self.points or points, local=local, rest=rest)


def _function(value: Any) -> Callable[[float], float]:
    """Return a function of x/l, which a number is the constant value of."""
    function: Any = value if callable(value) else lambda _: float(value)
    return function


def _none(functions: PiecewisePolynomials) -> PiecewisePolynomials:
    """Return as many functions that are zero."""
    return functions.scaled(np.zeros(len(functions.coefficients)))


def _apart(curvature: PiecewisePolynomials, sheared: PiecewisePolynomials) -> StrainShapes:
    """Return curvatures without shear strain, then shear strains without curvature."""
    return StrainShapes(curvature.stacked(_none(sheared)), _none(curvature).stacked(sheared))


@lru_cache(maxsize=64)
def _balanced(strains: StrainModes, tip: TipBody, profiles: BeamProfiles) -> DiscretizedDeformation:
    return DiscretizedDeformation(strains.balanced(profiles), tip, profiles)
