"""Velocity forces of an axially moving beam, by the acceleration of its particles as a field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.mass_moments import Field, MassProducts, Matrix, velocity_forces
from flexblocks.beam.kinematics.slide import Slide
from flexblocks.beam.shapes.sliding_shapes import SlidingShapes

Number = float | ca.SX


@dataclass(frozen=True, eq=False)
class SlidingForces:
    """An axially moving beam whose planes of bending have the same shapes.

    With psi as in `sliding_shapes` and chi = (1 - xi) dpsi/dxi + l dpsi/dl - psi, at the extension l, a deflection
    sum phi_i a_i of a particle changes at sum phi_i b_i + psi_i a_i l'/l, and this at sum 2 psi_i b_i l'/l + chi_i a_i
    (l'/l)^2 when neither l' nor the rates of the coordinates change; b_i are the a_i of these rates.

    Attributes
    ----------
    slide : Slide
    length, linear_density : float or SX
        Of the whole beam [m], [kg/m].
    shapes : SlidingShapes
    angles : ndarray (n,)
        1 where the coordinate is an angle, the amplitude that times l.
    amplitudes, speeds : dict of SX (n, 1)
        a_i [m] and b_i [m/s] by axis.
    slope : callable
        Total derivative (k, 1) in l of an expression (k, 1) of the configuration.
    """

    slide: Slide
    length: Number
    linear_density: Number
    shapes: SlidingShapes
    angles: np.ndarray
    amplitudes: Mapping[str, ca.SX]
    speeds: Mapping[str, ca.SX]
    slope: Callable[[ca.SX], ca.SX]

    def forces(self, omega: ca.SX, rates: ca.SX, extension: int) -> ca.SX:
        """Return the velocity forces (6 + k, 1) on the hub of angular velocity omega (3, 1) and on the coordinates.

        `rates` (k, 1) are those of the coordinates, of which that with the index `extension` is the length outside.
        """
        products, growth = self._products, self.slide.growth
        place, rate, drift = [Field(along=ca.SX(1))], [Field(one=self.slide.speed)], [Field()]
        for axis in "yz":
            if axis not in self.amplitudes:
                place, rate, drift = [*place, Field()], [*rate, Field()], [*drift, Field()]
                continue
            a, b = self.amplitudes[axis], self.speeds[axis]
            moved = self.slide.moved(a)
            place.append(Field(parts={"phi": a}))
            rate.append(Field(parts={"phi": b, "psi": moved}))
            drift.append(Field(parts={"psi": 2 * growth * b, "chi": growth * moved}))
        on_hub, accelerations = velocity_forces(products, omega, place, rate, drift)
        force, pull = ca.SX(rates.shape[0], 1), ca.SX(1, 1)
        for axis, b in self.speeds.items():
            acceleration = accelerations["xyz".index(axis)]
            force += ca.jacobian(b, rates).T @ products.on("phi", acceleration)
            pull += self.amplitudes[axis].T @ products.on("psi", acceleration)
        force[extension] = on_hub[3] + pull / self.slide.extension
        return ca.vertcat(on_hub, force)

    @cached_property
    def _products(self) -> MassProducts:
        """The integrals over the mass; those with chi are derivatives in l of the others.

        No mass passes the mouth of the hub with a deflection, or a rate of it, that is not zero.
        """
        out, density, shapes = self.slide.extension, self.linear_density, self.shapes
        mean, drift, coupling, change = shapes.mean, shapes.drift, shapes.coupling, shapes.change
        along = shapes.swing + mean
        grown = ca.DM(self.angles)
        both = ca.repmat(grown, 1, len(self.angles)) + ca.repmat(grown.T, len(self.angles), 1)
        mass = density * self.length
        first = mass * out - mass * self.length / 2
        second = out * (first - mass * self.length / 2) + mass * self.length**2 / 3
        across = {
            ("phi", "phi"): shapes.mass,
            ("phi", "psi"): coupling,
            ("psi", "psi"): change,
            ("phi", "chi"): both * coupling + self._grown(coupling) - change,
            # Its part that is not symmetric does no work.
            ("psi", "chi"): ((both - 1) * change + self._grown(change)) / 2,
        }
        means = {"phi": mean, "psi": drift, "chi": grown * drift + self._grown(drift)}
        moments = {"phi": shapes.moment, "psi": along, "chi": (grown + 1) * along + self._grown(along) - drift}
        return MassProducts(
            straight=(mass, first, second),
            mean={family: out * (density * integral) for family, integral in means.items()},
            moment={family: out**2 * (density * integral) for family, integral in moments.items()},
            gram={pair: out * (density * ca.sparsify(integral)) for pair, integral in across.items()},
        )

    def _grown(self, integral: Matrix) -> Matrix:
        """Return l times the derivative in l of an integral; zero where it is a constant."""
        if isinstance(integral, ca.DM):
            return ca.DM(*integral.shape)
        return self.slide.extension * ca.reshape(self.slope(ca.vec(ca.densify(integral))), *integral.shape)
