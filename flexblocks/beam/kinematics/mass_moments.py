"""Mass moments of a deforming body, and the kinetic energy in terms of them."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.interfaces import Frame, column, skew


@dataclass(frozen=True)
class MassMoments:
    """Moments of the mass of a body whose points P move at P' in the axes of a frame.

    Attributes
    ----------
    mass : float or SX
        int dm [kg].
    first, drift : SX (3, 1)
        int P dm [kg m], int P' dm [kg m/s].
    second, flow : SX (3, 3)
        int P P^T dm [kg m2], int P P'^T dm, of which only the part that is not symmetric counts.
    relative : SX
        int P'.P' dm [kg m2/s2], twice the kinetic energy relative to the frame.
    """

    mass: float | ca.SX
    first: ca.SX
    drift: ca.SX
    second: ca.SX
    flow: ca.SX
    relative: ca.SX

    def kinetic_energy(self, frame: Frame) -> ca.SX:
        """Return 1/2 m v.v + v.(omega x S + c) + 1/2 omega.(tr E - E) omega + omega.h + 1/2 relative [J].

        With S, c, E the first moment, the drift and the second moment, and h the axial vector of the flow.
        """
        inertia, F = ca.trace(self.second) * ca.SX.eye(3) - self.second, self.flow
        spin = column([F[1, 2] - F[2, 1], F[2, 0] - F[0, 2], F[0, 1] - F[1, 0]])
        omega, v = frame.omega, frame.v
        translation = ca.dot(v, (self.mass / 2) * v + skew(omega) @ ca.sparsify(self.first) + self.drift)
        return translation + ca.dot(omega, ca.sparsify(inertia / 2) @ omega + spin) + self.relative / 2
