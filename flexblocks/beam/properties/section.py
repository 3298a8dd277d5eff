"""Cross-sections of beams, symmetric about y and z: area, second moments, torsion and shear, extreme fibres.

A beam that deflects along y bends about z: `second_moment("y")` is the integral of y^2 over the section.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import casadi as ca

from flexblocks.errors import ParameterError
from flexblocks.plausibility import computable, needed


def _how_to_taper(name: str, size: object) -> str:
    """Return where to say that a size changes along the beam, if that is what it does."""
    if not callable(size) and (isinstance(size, str) or not isinstance(size, Sequence)):
        return ""
    return f" Of a beam that tapers the section itself varies: section=[(0, {name}(...)), (length, {name}(...))]."


@dataclass(frozen=True)
class Section(ABC):
    """Base of all cross-sections; sizes are in m."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < math.inf:
                message = f"{type(self).__name__}: {field.name} = {value!r}; must be a finite number in m."
                raise ParameterError(message + _how_to_taper(type(self).__name__, value))
            if not computable(value):
                name = type(self).__name__
                raise ParameterError(f"{name}: {field.name} = {value:g} m; must be {needed(value)}.")
            least = " >= 0" if self._may_vanish(field.name) else " > 0"
            if value < 0 or (value == 0 and not self._may_vanish(field.name)):
                raise ParameterError(f"{type(self).__name__}: {field.name} = {value:g} m; must be{least}.")
        self._check()

    def _may_vanish(self, name: str) -> bool:
        del name
        return False

    def _check(self) -> None:  # noqa: B027 - most sections have nothing to add
        """Refuse sizes that do not fit each other."""

    @property
    @abstractmethod
    def area(self) -> float:
        """[m2]"""

    @abstractmethod
    def second_moment(self, axis: str) -> float:
        """Return the second moment of area for deflection along `axis` [m4]."""

    @property
    @abstractmethod
    def torsion_constant(self) -> float:
        """Saint-Venant's torsion constant J, torque = G J twist per length [m4]."""

    @abstractmethod
    def shear_area(self, axis: str, poissons_ratio: float) -> float:
        """Return kappa A, the area that carries shear along `axis` [m2]."""

    @abstractmethod
    def extreme_fibre(self, axis: str) -> float:
        """Return the distance of the outermost fibre from the centroid along `axis` [m]."""

    @property
    def polar_moment(self) -> float:
        """Second moment about the beam's axis [m4]."""
        return self.second_moment("y") + self.second_moment("z")

    @property
    def has_corners(self) -> bool:
        """Whether bending stresses in both planes add up in a corner; on an ellipse they add by squares."""
        return True

    def bending_stress(self, moment: Mapping[str, ca.SX]) -> ca.SX:
        """Return the largest stress [Pa] by moments [N m] of bending along y and/or z."""
        stress = [moment_ * self.extreme_fibre(axis) / self.second_moment(axis) for axis, moment_ in moment.items()]
        if len(stress) == 1 or self.has_corners:
            return sum((ca.fabs(part) for part in stress), ca.SX(1, 1))
        square = ca.sumsqr(ca.vertcat(*stress))
        # The square root has no derivative at zero, where the stress is least; the inner choice keeps gradients finite.
        return ca.if_else(square > 0, ca.sqrt(ca.if_else(square > 0, square, 1.0)), 0.0)


@dataclass(frozen=True, kw_only=True)
class Rectangle(Section):
    """A solid rectangle.

    Parameters
    ----------
    width : float
        Along z [m].
    height : float
        Along y [m], the direction of a deflection along y.

    Notes
    -----
    Torsion constant by Saint-Venant's series (Timoshenko & Goodier 1970, section 109), shear coefficient
    10 (1 + nu)/(12 + 11 nu) (Cowper 1966).
    """

    width: float
    height: float

    @property
    def area(self) -> float:
        return self.width * self.height

    def second_moment(self, axis: str) -> float:
        return self.area * (2 * self.extreme_fibre(axis)) ** 2 / 12

    @property
    def torsion_constant(self) -> float:
        thin, wide = sorted((self.width, self.height))
        odd = range(1, 40, 2)  # 20 terms: J of a square within 1e-7, of slender sections nearer
        series = sum(math.tanh(n * math.pi * wide / (2 * thin)) / n**5 for n in odd)
        return wide * thin**3 / 3 * (1 - 192 / math.pi**5 * thin / wide * series)

    def shear_area(self, axis: str, poissons_ratio: float) -> float:
        del axis
        return 10 * (1 + poissons_ratio) / (12 + 11 * poissons_ratio) * self.area

    def extreme_fibre(self, axis: str) -> float:
        return (self.height if axis == "y" else self.width) / 2


@dataclass(frozen=True, kw_only=True)
class Tube(Section):
    """A circular tube, or a solid circular rod.

    Parameters
    ----------
    outer, inner : float
        Diameters [m]; `inner` 0 is a solid rod.

    Notes
    -----
    Shear coefficient of the hollow circle by Cowper (1966).
    """

    outer: float
    inner: float = 0.0

    def _may_vanish(self, name: str) -> bool:
        return name == "inner"

    def _check(self) -> None:
        if self.inner >= self.outer:
            raise ParameterError(
                f"Tube: inner = {self.inner:g} m, outer = {self.outer:g} m; the inner diameter must be the smaller."
            )

    @property
    def area(self) -> float:
        return math.pi * (self.outer**2 - self.inner**2) / 4

    def second_moment(self, axis: str) -> float:
        del axis
        return math.pi * (self.outer**4 - self.inner**4) / 64

    @property
    def torsion_constant(self) -> float:
        return self.polar_moment

    def shear_area(self, axis: str, poissons_ratio: float) -> float:
        del axis
        nu, ratio = poissons_ratio, (self.inner / self.outer) ** 2
        coefficient = 6 * (1 + nu) * (1 + ratio) ** 2 / ((7 + 6 * nu) * (1 + ratio) ** 2 + (20 + 12 * nu) * ratio)
        return coefficient * self.area

    def extreme_fibre(self, axis: str) -> float:
        del axis
        return self.outer / 2

    @property
    def has_corners(self) -> bool:
        return False


@dataclass(frozen=True, kw_only=True)
class ISection(Section):
    """A doubly symmetric I-section, its web along y.

    Parameters
    ----------
    height, width : float
        Overall, along y and along z [m].
    web, flange : float
        Thickness of the web and of each flange [m].

    Notes
    -----
    Torsion constant of thin walls, the sum of b t^3/3. The web, over the full height, carries shear along y; the
    flanges, with 5/6 of their area, carry it along z. Warping is neglected.
    """

    height: float
    width: float
    web: float
    flange: float

    def _check(self) -> None:
        if self.web >= self.width or 2 * self.flange >= self.height:
            raise ParameterError(
                f"ISection: width = {self.width:g} m with web = {self.web:g} m, height = {self.height:g} m with "
                f"flange = {self.flange:g} m; must be web < width and 2 flange < height."
            )

    @property
    def _clear(self) -> float:
        """Height between the flanges [m]."""
        return self.height - 2 * self.flange

    @property
    def area(self) -> float:
        return 2 * self.width * self.flange + self._clear * self.web

    def second_moment(self, axis: str) -> float:
        if axis == "y":
            return (self.width * self.height**3 - (self.width - self.web) * self._clear**3) / 12
        return (2 * self.flange * self.width**3 + self._clear * self.web**3) / 12

    @property
    def torsion_constant(self) -> float:
        return (2 * self.width * self.flange**3 + (self.height - self.flange) * self.web**3) / 3

    def shear_area(self, axis: str, poissons_ratio: float) -> float:
        del poissons_ratio
        return self.height * self.web if axis == "y" else 5 / 3 * self.width * self.flange

    def extreme_fibre(self, axis: str) -> float:
        return (self.height if axis == "y" else self.width) / 2
