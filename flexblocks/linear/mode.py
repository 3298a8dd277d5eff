"""Mode of a linear model: eigenvalue, shape, and distribution of its energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

NO_DAMPING = 1e-9  # of critical: below it, to either side, is the rounding of an eigenvalue without damping


@dataclass(frozen=True, eq=False)
class Mode:
    """Mode of a linear model: a pair of conjugate eigenvalues, a real one, or a rigid-body motion.

    Attributes
    ----------
    eigenvalue : complex
        [1/s]; of a pair the one with a positive imaginary part. Exactly 0 for a rigid-body motion.
    shape : ndarray (n,), complex
        Mode shape over the coordinates, with unit modal mass; its largest entry is real and positive.
    energy : "strain", "kinetic" or "state"
        Quantity that `participation` distributes: elastic energy; kinetic energy if almost none is stored elastically
        (rigid-body motions, pendulums); squares of first-order states if no coordinate takes part.
    participation : dict of float
        Share of each block, largest first; they add up to 1.
    deformation : dict of float
        The same, with the elastic energy of beams split by type of deformation: ``"link2 bending"``.
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
        """Damping ratio (fraction of critical); negative for a growing mode, nan for a rigid-body motion."""
        return (0.0 - self.eigenvalue.real) / self.frequency if self.frequency else float("nan")

    @property
    def motion(self) -> str:
        """Frequency and damping ratio as text: ``78.1 rad/s, 0.6 %``."""
        value = self.eigenvalue
        if value == 0:
            return "rigid body"
        if value.imag == 0:
            return f"{'unstable, grows' if value.real > 0 else 'decays'} by e in {1 / abs(value.real):.4g} s"
        ratio = self.damping_ratio if abs(self.damping_ratio) > NO_DAMPING else 0.0
        unstable = ", unstable" if ratio < 0 else ""
        return f"{self.frequency:.4g} rad/s, {100 * ratio:.2g} %{unstable}"

    @property
    def shares(self) -> str:
        """Participation as text: ``71 % link2 bending, 24 % spring2``."""
        parts = [f"{100 * share:.0f} % {name}" for name, share in self.deformation.items() if share >= 0.01]
        return ", ".join(parts[:4])

    def __str__(self) -> str:
        return f"{self.motion}: {self.shares}"
