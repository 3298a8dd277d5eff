"""Mass moments of a deforming body, and the kinetic energy in terms of them; its velocity forces from fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from flexblocks.beam.shapes.fields import Field, MassProducts
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


def velocity_forces(
    products: MassProducts, omega: ca.SX, place: Sequence[Field], rate: Sequence[Field], drift: Sequence[Field]
) -> tuple[ca.SX, list[Field]]:
    """Return the velocity forces on a frame, torque over force (6), and the accelerations that they come from (3).

    Points P(x) of a body that move at P' in the axes of a frame of angular velocity omega accelerate at
    omega x (omega x P) + 2 omega x P' + P'' when neither the frame nor the coordinates do.

    Parameters
    ----------
    products : MassProducts
    omega : SX (3, 1)
        In the axes of the frame.
    place, rate, drift : sequence of 3 Field
        P, P' and what is left of P'' at zero second derivatives of the coordinates, by axis.
    """
    accelerations = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        centripetal = [(omega[i] * omega[m], place[m]) for m in (j, k)]
        centripetal.append((-(omega[j] ** 2 + omega[k] ** 2), place[i]))
        coriolis = [(2 * omega[j], rate[k]), (-2 * omega[k], rate[j])]
        accelerations.append(Field.combined([*centripetal, *coriolis, (1.0, drift[i])]))
    force = [products.total(acceleration) for acceleration in accelerations]
    torque = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        torque.append(products.form(place[j], accelerations[k]) - products.form(place[k], accelerations[j]))
    return ca.sparsify(ca.vertcat(*torque, *force)), accelerations
