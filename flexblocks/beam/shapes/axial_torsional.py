"""Shape functions of extension and torsion, whose first derivative is the strain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.beam.properties.profile import UNIFORM, Profile
from flexblocks.beam.shapes.hinges import PseudoJoints
from flexblocks.beam.shapes.shape_functions import Shapes


class RodShapes(Shapes):
    """Base of all: functions that are zero at the root, whose slope stores energy."""

    def rotation(self, xi: float | np.ndarray) -> np.ndarray:
        """Return the rotations of the sections: in torsion the functions themselves."""
        return self.deflection(xi)

    def strain(self, xi: float | np.ndarray) -> np.ndarray:
        return self.slope(xi)

    def shear(self, xi: float | np.ndarray) -> np.ndarray:
        return np.zeros_like(self.slope(xi))


@dataclass(frozen=True)
class HatShapes(RodShapes):
    """Functions linear on each of equal elements, 1 at one of the nodes xi = k/elements, k = 1, 2, ...."""

    elements: int

    @property
    def size(self) -> int:
        return self.elements

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        place = np.asarray(xi, dtype=float) * self.elements
        element = np.minimum(place.astype(int), self.elements - 1)
        # Rows: the hat at the root, which is held, then those at nodes 1, 2, ...
        hats = np.zeros((self.size + 1, *place.shape))
        outer = place - element if order == 0 else np.full_like(place, self.elements)
        inner = 1 - outer if order == 0 else -outer
        np.put_along_axis(hats, element[None], inner[None], axis=0)
        np.put_along_axis(hats, element[None] + 1, outer[None], axis=0)
        return hats[1:]

    @property
    def bounds(self) -> np.ndarray:
        return np.linspace(0.0, 1.0, self.elements + 1)

    @property
    def points(self) -> int:
        return 3


@dataclass(frozen=True)
class StepShapes(RodShapes):
    """Functions 0 inboard of a pseudo-joint and 1 outboard: extension and torsion of rigid segments."""

    joints: PseudoJoints

    @property
    def size(self) -> int:
        return self.joints.size

    def derivative(self, xi: float | np.ndarray, order: int) -> np.ndarray:
        return self.joints.derivative(xi, order + 1)

    @property
    def bounds(self) -> np.ndarray:
        return self.joints.bounds

    @property
    def points(self) -> int:
        return 2

    def stiffness(self, rigidity: Profile = UNIFORM) -> np.ndarray:
        """The strain is all in the pseudo-joints."""
        return self.joints.stiffness(rigidity)
