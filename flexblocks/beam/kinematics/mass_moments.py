"""Mass moments of a deforming body with its kinetic energy, and the velocity forces of a beam, by fields over it.

A field is kept by its coefficients, so that the integral of a sum of many fields takes one product with the matrix of a
family of functions, where the derivatives of an energy take one for each term of the sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import casadi as ca

from flexblocks.interfaces import Frame, column, skew

Number = float | ca.SX
Matrix = ca.SX | ca.DM
NOTHING = ca.SX(1, 1)


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


@dataclass(frozen=True, eq=False)
class Field:
    """The field one + along * x + sum of parts[f] . f(x), over families f of functions.

    Attributes
    ----------
    one, along : SX
    parts : dict of SX (n, 1)
        The coefficients of the functions of each family.
    """

    one: ca.SX = field(default_factory=lambda: NOTHING)
    along: ca.SX = field(default_factory=lambda: NOTHING)
    parts: Mapping[str, ca.SX] = field(default_factory=dict)

    @staticmethod
    def combined(terms: Iterable[tuple[Number, Field]]) -> Field:
        """Return the sum of factors times fields."""
        one, along, parts = NOTHING, NOTHING, {}
        for factor, each in terms:
            one, along = one + factor * each.one, along + factor * each.along
            for family, coefficients in each.parts.items():
                part = ca.sparsify(factor * coefficients)
                if part.nnz():
                    parts[family] = parts[family] + part if family in parts else part
        return Field(ca.sparsify(one), ca.sparsify(along), parts)


@dataclass(frozen=True, eq=False)
class MassProducts:
    """Integrals over the mass of a beam of products of functions.

    Attributes
    ----------
    straight : tuple
        int dm [kg], int x dm [kg m], int x^2 dm [kg m2].
    mean, moment : dict of (n, 1)
        int f dm, int x f dm of each family f.
    gram : dict of (n, m)
        int f g^T dm of pairs of families (f, g); one of (f, g) and (g, f) is enough.
    """

    straight: tuple[Number, Number, Number]
    mean: Mapping[str, Matrix]
    moment: Mapping[str, Matrix]
    gram: Mapping[tuple[str, str], Matrix]

    def total(self, of: Field) -> ca.SX:
        """Return the integral of a field."""
        return self._with(self.straight[0] * of.one + self.straight[1] * of.along, self.mean, of)

    def first(self, of: Field) -> ca.SX:
        """Return the integral of x times a field."""
        return self._with(self.straight[1] * of.one + self.straight[2] * of.along, self.moment, of)

    def on(self, family: str, of: Field) -> ca.SX:
        """Return the integrals (n, 1) of the functions of a family times a field."""
        total = of.one * self.mean[family] + of.along * self.moment[family]
        for other, coefficients in of.parts.items():
            matrix = self.gram[family, other] if (family, other) in self.gram else self.gram[other, family].T
            total += matrix @ coefficients
        return ca.sparsify(total)

    def form(self, left: Field, right: Field) -> ca.SX:
        """Return the integral of the product of two fields; the coefficients of the right one are multiplied first."""
        total = NOTHING
        if left.one.nnz():
            total += left.one * self.total(right)
        if left.along.nnz():
            total += left.along * self.first(right)
        for family, coefficients in left.parts.items():
            total += coefficients.T @ self.on(family, right)
        return ca.sparsify(total)

    @staticmethod
    def _with(total: ca.SX, means: Mapping[str, Matrix], of: Field) -> ca.SX:
        for family, coefficients in of.parts.items():
            total += ca.SX(means[family]).T @ coefficients
        return ca.sparsify(total)


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


@dataclass(frozen=True, eq=False)
class PlaneField:
    """Deflection of a beam in one plane, by a family of functions.

    Attributes
    ----------
    axis : int
        1 or 2, of the deflection y or z.
    family : str
    a, rates : SX (n, 1)
        Coefficients and their rates.
    """

    axis: int
    family: str
    a: ca.SX
    rates: ca.SX


def plane_velocity_forces(products: MassProducts, omega: ca.SX, moved: PlaneField) -> tuple[ca.SX, ca.SX]:
    """Return the velocity forces on a frame, torque over force (6), and on the coefficients (n), of one deflection v.

    Points P = (x, v) accelerate at omega x (omega x P + 2 P') when neither frame nor coefficients do. With the first
    moment S, its rate D, and the inertia J about the frame, their sums over the mass are

        force = omega x (omega x S + 2 D),  torque = omega x J omega + 2 int P x (omega x P') dm.
    """
    i, k, a, rates = moved.axis, 3 - moved.axis, moved.a, moved.rates
    mean, moment = ca.SX(products.mean[moved.family]), ca.SX(products.moment[moved.family])
    omega = ca.sparsify(omega)
    spin = skew(omega)
    S, twice_D, J = ca.SX(3, 1), ca.SX(3, 1), ca.SX(3, 3)
    S[0], S[i], twice_D[i] = products.straight[1], mean.T @ a, (2 * mean).T @ rates
    force = spin @ ca.sparsify(spin @ ca.sparsify(S) + ca.sparsify(twice_D))
    # Products with the Gram matrix; of functions that are orthogonal and all of one size, with that number.
    gram, product = products.gram[moved.family, moved.family], moment.T @ a
    unit = _multiple_of_one(gram)
    weighted = ca.sparsify(gram @ a) if unit is None else a
    square = ca.dot(a, weighted) * (1 if unit is None else unit)
    J[0, 0], J[i, i], J[k, k] = square, products.straight[2], products.straight[2] + square
    J[0, i] = J[i, 0] = -product
    # 2 int P x (omega x P') = 2 int omega (P.P') - P' (P.omega).
    growth, coriolis = (2 if unit is None else 2 * unit) * ca.dot(weighted, rates), ca.SX(3, 1)
    coriolis[0], coriolis[k], coriolis[i] = omega[0] * growth, omega[k] * growth, -omega[0] * ((2 * moment).T @ rates)
    torque = spin @ ca.sparsify(ca.sparsify(J) @ omega) + coriolis
    # Along the deflection omega (omega.P) - omega^2 v.
    across = (omega[0] ** 2 + omega[k] ** 2) * (1 if unit is None else unit)
    on_shapes = (omega[0] * omega[i]) * moment - across * weighted
    return ca.sparsify(ca.vertcat(torque, force)), ca.sparsify(on_shapes)


def _multiple_of_one(gram: Matrix) -> ca.SX | None:
    """Return the number that a matrix is, times the unit matrix; None if it is none."""
    entries = [ca.SX(gram[k, k]) for k in range(gram.shape[0])]
    is_diagonal = gram.nnz() == len(entries) and gram.sparsity().is_diag()
    return entries[0] if is_diagonal and all(ca.is_equal(entry, entries[0]) for entry in entries) else None
