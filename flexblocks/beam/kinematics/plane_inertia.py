"""Inertia and velocity forces of an inextensible beam that bends in one plane, by the angles of its tangents.

The velocity of a point is that of the root and l sum_k a_k phi_k n_k, with the normals n_k and the rates phi_k of the
tangents against the world, as of a chain of rods in its absolute angles: inertia g_jk cos(theta_j - theta_k), forces
g_jk sin(theta_j - theta_k) phi_k^2, with constants g_jk. Angles are sums of coordinates with constant shares, so that
constants lead from these to the coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from operator import mul

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.kinetic_energy import dot
from flexblocks.beam.kinematics.rotary_energy import TURNS
from flexblocks.beam.kinematics.strain_inertia import in_unit, square_root, weighted
from flexblocks.beam.shapes.shape_integrals import ShapeIntegrals
from flexblocks.interfaces import skew


@dataclass(frozen=True, eq=False)
class PlaneCurve:
    """A beam's axis in one plane by the angles of its tangents at K places.

    Attributes
    ----------
    axis : str
        Towards which it bends, ``"y"`` or ``"z"``.
    angles : list of SX
        Positive as positive slopes are [rad].
    shares : ndarray (K, n)
        Of the coordinates in the angles.
    """

    axis: str
    angles: list[ca.SX]
    shares: np.ndarray

    @cached_property
    def cosines(self) -> list[ca.SX]:
        return [ca.cos(angle) for angle in self.angles]

    @cached_property
    def sines(self) -> list[ca.SX]:
        return [ca.sin(angle) for angle in self.angles]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.angles)), 2))

    def translating(
        self,
        integrals: ShapeIntegrals,
        mass: float | ca.SX,
        share: float,
        length: float | ca.SX,
        omega: ca.SX,
        rates: ca.SX,
    ) -> tuple[ca.SX, ca.SX]:
        """Return inertia (6 + n, 6 + n) and velocity forces (6 + n) of the mass on the axis.

        Parameters
        ----------
        integrals : ShapeIntegrals
            Of the functions a_k.
        mass, length : float or SX
            Of the whole beam [kg], [m].
        share : float
            The mass that counts, in units of it.
        omega : SX (3, 1)
            Angular velocity of the root.
        rates : SX (n, 1)
        """
        i, sign = TURNS[self.axis]
        j, count, n = "xyz".index(self.axis), len(self.angles), rates.numel()
        products, unit = in_unit(integrals.mass, mass * length**2)
        means, first_unit = in_unit(integrals.mean, mass * length)
        spin, spin_x, spin_j = sign * omega[i], omega[0], omega[j]
        relative = [dot(row, rates) for row in self.shares]
        squares = [(spin + rate) ** 2 for rate in relative]
        cosines, sines = self.cosines, self.sines
        # What turns tangents: omega about the normal of the plane, and the rates.
        turning = np.zeros((count, 6 + n))
        turning[:, i], turning[:, 6:] = sign, self.shares

        cosine = [products[a, b] * (cosines[a] * cosines[b] + sines[a] * sines[b]) for a, b in self.pairs]
        inertia = ca.SX(6 + n, 6 + n)
        for row, column in combinations_with_replacement(np.flatnonzero(turning.any(axis=0)).tolist(), 2):
            both = np.outer(turning[:, row], turning[:, column])
            on_pairs = np.array([both[a, b] + both[b, a] for a, b in self.pairs])
            inertia[row, column] = weighted(on_pairs, cosine) + float(np.diag(products) @ np.diag(both))
        # Turns that leave the plane, of as many particles.
        roots = square_root(products).T
        places = [(weighted(row, cosines), weighted(row, sines)) for row in roots]
        inertia[0, 0] = _sum(y * y for _, y in places)
        inertia[j, j] = _sum(x * x for x, _ in places)
        inertia[0, j] = -_sum(x * y for x, y in places)
        inertia *= unit

        # Velocity forces: phi^2 towards the centre of turning, and what comes from turning out of the plane.
        force = [ca.SX(1, 1) for _ in range(count)]
        for a, b in self.pairs:
            sine = (sines[a] * cosines[b] - cosines[a] * sines[b]) * products[a, b]
            force[a] += sine * squares[b]
            force[b] -= sine * squares[a]
        up = [spin_x * y - spin_j * x for x, y in zip(cosines, sines, strict=True)]
        outward = [spin_x * x + spin_j * y for x, y in zip(cosines, sines, strict=True)]
        lift = [(spin + 2 * rate) * each for rate, each in zip(relative, outward, strict=True)]
        for k in range(count):
            force[k] -= outward[k] * weighted(products[k], up)
        lifts = [weighted(row, lift) for row in roots]
        bias = ca.vertcat(*[weighted(column, force) for column in turning.T])
        bias[0] += _sum(y * z for (_, y), z in zip(places, lifts, strict=True))
        bias[j] -= _sum(x * z for (x, _), z in zip(places, lifts, strict=True))
        bias *= unit
        along, across = ([mean * each for mean, each in zip(means, part, strict=True)] for part in (cosines, sines))
        raised, lifted = weighted(means, up), weighted(means, lift)
        acceleration = self._in_space(
            spin_j * raised - _sum(map(mul, squares, along)), -spin_x * raised - _sum(map(mul, squares, across))
        )
        acceleration[i] = sign * lifted
        bias[3:6] = first_unit * acceleration

        # First moments of the places and of their derivatives.
        inertia[3:6, 3:6] = share * mass * ca.SX.eye(3)
        inertia[:3, 3:6] = first_unit * skew(self._in_space(_sum(along), _sum(across)))
        for a, shares in enumerate(self.shares.T):
            inertia[3:6, 6 + a] = first_unit * self._in_space(-weighted(shares, across), weighted(shares, along))
        return ca.triu2symm(ca.sparsify(inertia)), ca.sparsify(bias)

    def moved(self, shares: np.ndarray) -> ca.SX:
        """Return the derivatives (3, n) of a weighted sum of the tangents with respect to the coordinates."""
        columns = (shares * column for column in self.shares.T)
        moved = [self._in_space(-weighted(each, self.sines), weighted(each, self.cosines)) for each in columns]
        return ca.sparsify(ca.horzcat(*moved))

    def _in_space(self, along: ca.SX, across: ca.SX) -> ca.SX:
        """Return a vector (3) in the plane from its components along x and along `axis`."""
        vector = ca.SX(3, 1)
        vector[0], vector["xyz".index(self.axis)] = along, across
        return ca.sparsify(vector)


def _sum(terms: Iterable[ca.SX]) -> ca.SX:
    return sum(terms, ca.SX(1, 1))
