"""Lumped arm for rigid-body packages: each flexible link a chain of rigid segments on hinges with springs.

A link of length l with s springs is cut into s pieces of length h = l / s with a spring EI / h in the middle of each.
So it has s + 1 rigid segments, the first and the last half as long, and with its joint as many coordinates as a beam
with s modes. Its deflection converges with the square of h.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Segment:
    """A rigid segment that turns on a hinge about z; x points along it.

    Attributes
    ----------
    inboard_length : float
        Of the segment before, at whose end the hinge is [m].
    length, mass, center, inertia : float
        Length [m], mass [kg], centre of mass along x [m], inertia about it [kg m2].
    stiffness : float
        Of the spring on the hinge [N m/rad]; 0 for a joint.
    """

    inboard_length: float
    length: float
    mass: float
    center: float
    inertia: float
    stiffness: float

    @property
    def is_joint(self) -> bool:
        return self.stiffness == 0

    def with_end_body(self, mass: float, inertia: float) -> Segment:
        """Return the segment with a body on its end."""
        whole = self.mass + mass
        center = (self.mass * self.center + mass * self.length) / whole
        about = self.inertia + self.mass * (self.center - center) ** 2 + inertia + mass * (self.length - center) ** 2
        return replace(self, mass=whole, center=center, inertia=about)


@dataclass(frozen=True)
class Drive:
    """A rotor behind a spring on every joint; the rotor turns relative to its mount."""

    rotor_inertia: float
    stiffness: float


@dataclass(frozen=True)
class LumpedArm:
    """Segments from the ground outward, gravity along -y [m/s2], and drives, or torques straight on the joints."""

    segments: tuple[Segment, ...]
    gravity: float = 0.0
    drive: Drive | None = None

    @property
    def joints(self) -> np.ndarray:
        """Indices of the segments on joints."""
        return np.flatnonzero([segment.is_joint for segment in self.segments])

    @property
    def stiffness(self) -> np.ndarray:
        """Stiffnesses of the hinge springs [N m/rad]."""
        return np.array([segment.stiffness for segment in self.segments])

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Return the tip (k, 2) [m] at angles (k, n) of the hinges."""
        angles = np.cumsum(q, axis=1)
        lengths = np.array([segment.length for segment in self.segments])
        return np.stack([np.cos(angles) @ lengths, np.sin(angles) @ lengths], axis=1)


def flexible_link(
    length: float, mass: float, rigidity: float, springs: int, inboard_length: float = 0.0
) -> list[Segment]:
    """Return the segments of one link of EI = `rigidity` [N m2]."""
    h = length / springs
    segments = []
    for i in range(springs + 1):
        extent = h / 2 if i in (0, springs) else h
        m = mass * extent / length
        segments.append(Segment(inboard_length, extent, m, extent / 2, m * extent**2 / 12, rigidity / h if i else 0.0))
        inboard_length = extent
    return segments
