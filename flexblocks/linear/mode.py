"""One mode of a linear model: how fast, how damped, and where its energy sits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Mode:
    """One mode: a pair of conjugate eigenvalues, a real one, or a rigid-body motion.

    Attributes
    ----------
    eigenvalue : complex
        [1/s]; of a pair the one with a positive imaginary part. Exactly 0 for a rigid-body motion.
    shape : ndarray (n,), complex
        Over the coordinates, with unit modal mass; its largest entry is real and positive.
    energy : "strain", "kinetic" or "state"
        What `participation` shares: elastic energy; kinetic energy where next to none is stored elastically (rigid-body
        motions, pendulums); squares of first-order states in a mode in which no coordinate takes part.
    participation : dict of float
        Share of each block, largest first; they add up to 1.
    deformation : dict of float
        The same, of elastic energy by what a block does where it can do several things: ``"link2 bending"``.
    strain, kinetic, total : dict of float
        Share of each block in the elastic energy, in the kinetic energy, and in both together; they add up to 1, or
        are empty where there is none.
    """

    eigenvalue: complex
    shape: np.ndarray
    energy: str
    participation: Mapping[str, float]
    deformation: Mapping[str, float]
    strain: Mapping[str, float]
    kinetic: Mapping[str, float]
    total: Mapping[str, float]

    @property
    def frequency(self) -> float:
        """Natural frequency, the magnitude of the eigenvalue [rad/s]."""
        return abs(self.eigenvalue)

    @property
    def damping_ratio(self) -> float:
        """Share of critical damping; negative for a motion that grows, nan for a rigid-body motion."""
        return (0.0 - self.eigenvalue.real) / self.frequency if self.frequency else float("nan")

    @property
    def motion(self) -> str:
        """How it goes on, in words: ``12.4 Hz, 0.6 %``, that is, of critical damping."""
        value = self.eigenvalue
        if value == 0:
            return "rigid body"
        if value.imag == 0:
            return f"{'unstable, grows' if value.real > 0 else 'decays'} by e in {1 / abs(value.real):.4g} s"
        unstable = ", unstable" if value.real > 0 else ""
        return f"{self.frequency / (2 * np.pi):.4g} Hz, {100 * self.damping_ratio:.2g} %{unstable}"

    @property
    def shares(self) -> str:
        """Who takes part, in words: ``71 % link2 bending, 24 % spring2``."""
        found = [f"{100 * share:.0f} % {name}" for name, share in self.deformation.items() if share >= 0.01]
        return ", ".join(found[:4])

    def __str__(self) -> str:
        return f"{self.motion}: {self.shares}"
