"""Internal forces by the method of sections: the efforts that hold a beam together at a cut.

They follow from the balance of all that is outboard: loads, weight and inertia. They converge as the motion does, where
EI v'' converges two orders later and misses what a mode cannot bend.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.beam.properties.beam_profiles import BeamProfiles
from flexblocks.beam.properties.tip_body import FREE
from flexblocks.beam.shapes.axial_torsional import RodShapes
from flexblocks.beam.shapes.combined import Stacked
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.shape_integrals import DiscretizedDeformation
from flexblocks.interfaces import Coordinate, Local


@dataclass(frozen=True)
class Cut:
    """A cut just inboard of x = xi l; `label` comes before the names of its forces."""

    xi: float
    label: str

    def coordinates(self, deformations: tuple[str, ...]) -> tuple[Coordinate, ...]:
        """Return the held coordinates: hinge and slide in each plane of bending, slide along x, hinge about x."""
        bent = [axis for axis in deformations if axis in ("y", "z")]
        held = [(f"{stem}_{axis}", unit) for axis in bent for stem, unit in (("moment", "rad"), ("shear", "m"))]
        held.append(("tension", "m"))
        if "torsion" in deformations:
            held.append(("torque", "rad"))
        return tuple(Coordinate(f"{self.label}{name}", unit, held=True) for name, unit in held)


@dataclass(frozen=True, eq=False)
class HeldCut:
    """A cut with the symbols of its coordinates."""

    cut: Cut
    local: Local

    @property
    def xi(self) -> float:
        return self.cut.xi

    def __getitem__(self, name: str) -> ca.SX:
        """Return the symbol of ``"moment_y"``, ``"shear_y"``, ``"tension"`` and so on; zero if it has none."""
        return self.local.symbols.get(f"{self.cut.label}{name}", ca.SX(1, 1))


@dataclass(frozen=True)
class CutShapes(Shapes):
    """A hinge and a slide at each cut: all that is outboard turns by 1, or is shifted by 1."""

    places: tuple[float, ...]

    @property
    def size(self) -> int:
        return 2 * len(self.places)

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        step = _steps(self.places, xi)
        reach = np.maximum(np.subtract.outer(-np.array(self.places), -np.asarray(xi, dtype=float)), 0.0)
        none = np.zeros_like(step)
        hinge, slide = (reach, step) if order == 0 else (step, none) if order == 1 else (none, none)
        return np.stack([hinge, slide], axis=1).reshape(self.size, *np.shape(xi))

    @property
    def bounds(self) -> np.ndarray:
        return np.unique([0.0, *self.places, 1.0])

    @property
    def points(self) -> int:
        return 2


@dataclass(frozen=True)
class CutRods(RodShapes):
    """A step at each cut: all that is outboard is shifted along the beam, or twisted, by 1."""

    places: tuple[float, ...]

    @property
    def size(self) -> int:
        return len(self.places)

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        step = _steps(self.places, xi)
        return step if order == 0 else np.zeros_like(step)

    @property
    def bounds(self) -> np.ndarray:
        return np.unique([0.0, *self.places, 1.0])

    @property
    def points(self) -> int:
        return 2


def _steps(places: tuple[float, ...], xi: float | np.ndarray) -> np.ndarray:
    return np.where(np.subtract.outer(-np.array(places), -np.asarray(xi, dtype=float)) >= 0, 1.0, 0.0)


@lru_cache(maxsize=64)
def with_cuts(plane: DiscretizedDeformation, places: tuple[float, ...], is_rod: bool) -> DiscretizedDeformation:
    """Return a deformation with cuts at these places; computed once for all equal beams."""
    return DiscretizedDeformation(
        Stacked((plane.shapes, (CutRods if is_rod else CutShapes)(places))), FREE, plane.profiles
    )


@lru_cache(maxsize=64)
def cuts_along(profiles: BeamProfiles, places: tuple[float, ...]) -> DiscretizedDeformation:
    """Return the cuts along a beam that does not stretch."""
    return DiscretizedDeformation(CutRods(places), FREE, profiles)
