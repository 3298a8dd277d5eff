"""Fields over a beam: linear combinations of functions of x, and the integrals of their products over its mass.

A field is kept by its coefficients, so that the integral of a sum of many fields takes one product with the matrix of a
family of functions, where the derivatives of an energy take one for each term of the sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import casadi as ca

Number = float | ca.SX
Matrix = ca.SX | ca.DM
NOTHING = ca.SX(1, 1)


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
