"""Inertia and velocity forces of a beam from its tangents at a few places, and the rotations of its sections there.

The position P = l sum_k a_k t_k makes all moments of the mass sums over pairs of tangents, with integrals of the a_k,
which are constants. With u = L' t, L L' the Gram matrix of the a_k, they are sums over single u: as many particles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.beam.kinematics.rotary_energy import TURNS
from flexblocks.beam.kinematics.section_rotations import SectionRotation
from flexblocks.beam.shapes.shape_integrals import ShapeIntegrals
from flexblocks.interfaces import skew

# Relative difference within which two constants are one: roundings of Gauss points and of integrals.
EQUAL = 64 * 2.0**-52


@dataclass(frozen=True, eq=False)
class Tangents:
    """Tangents (3) of a beam in the axes of a frame.

    Attributes
    ----------
    directions : list of SX (3, 1)
    jacobians : list of SX (3, n)
        Their derivatives with respect to the coordinates.
    drifts : list of SX (3, 1)
        Their second derivatives relative to the world, when neither frame nor coordinates accelerate.
    """

    directions: list[ca.SX]
    jacobians: list[ca.SX]
    drifts: list[ca.SX]


def translating(
    tangents: Tangents, integrals: ShapeIntegrals, mass: float | ca.SX, share: float, length: float | ca.SX
) -> tuple[ca.SX, ca.SX]:
    """Return inertia (6 + n, 6 + n) and velocity forces (6 + n) of the mass on the axis.

    Parameters
    ----------
    tangents : Tangents
    integrals : ShapeIntegrals
        Of the functions a_k.
    mass, length : float or SX
        Of the whole beam [kg], [m].
    share : float
        The mass that counts, in units of it.
    """
    products, unit = in_unit(integrals.mass, mass * length**2)
    means, first_unit = in_unit(integrals.mean, mass * length)
    columns = [
        ca.horzcat(t, J, drift)
        for t, J, drift in zip(tangents.directions, tangents.jacobians, tangents.drifts, strict=True)
    ]
    n = tangents.jacobians[0].shape[1]
    # First moments, of positions, of their derivatives and of accelerations.
    first = ca.sparsify(weighted(means, columns) * first_unit)
    rotation, on_rates, of_rates = ca.SX(3, 3), ca.SX(3, n), ca.SX(n, n)
    torque, on_coordinates = ca.SX(3, 1), ca.SX(n, 1)
    for row in square_root(products).T:
        # One share is 1, which costs nothing; its square is the mass of the particle.
        largest = float(row[np.argmax(np.abs(row))])
        particle = ca.sparsify(weighted(row / largest, columns))
        place, J, drift = particle[:, 0], ca.sparsify(particle[:, 1:-1]), ca.sparsify(particle[:, -1])
        lever, heavy, moved = skew(ca.sparsify(place)), skew(ca.sparsify(largest**2 * place)), largest**2 * J
        rotation += heavy.T @ lever
        on_rates += heavy @ J
        of_rates += ca.triu(moved.T @ J)
        torque += heavy @ drift
        on_coordinates += moved.T @ drift
    lever = skew(ca.sparsify(first[:, 0]))
    inertia = ca.blockcat(
        [
            [unit * ca.triu(rotation), lever, unit * on_rates],
            [ca.SX(3, 3), share * mass * ca.SX.eye(3), first[:, 1:-1]],
            [ca.SX(n, 3), ca.SX(n, 3), unit * of_rates],
        ]
    )
    bias = ca.vertcat(unit * torque, first[:, -1], unit * on_coordinates)
    return ca.triu2symm(ca.sparsify(inertia)), ca.sparsify(bias)


def rotating(
    sections: list[SectionRotation],
    products: Mapping[str, np.ndarray],
    inertia: Mapping[str, float | ca.SX],
    omega: ca.SX,
    rates: ca.SX,
) -> tuple[ca.SX, ca.SX]:
    """Return inertia (6 + n, 6 + n) and velocity forces (6 + n) of sections that turn about their centroids.

    Parameters
    ----------
    sections : list of SectionRotation
        At places between which angular velocities are interpolated.
    products : dict of ndarray
        By deformation the integrals over pairs of interpolating functions.
    inertia : dict of float or SX
        By deformation the inertia of all sections about the axis about which it turns them [kg m2].
    omega : SX (3, 1)
        Angular velocity of the root.
    rates : SX (n, 1)
    """
    n = rates.numel()
    total, bias = ca.SX(6 + n, 6 + n), ca.SX(6 + n, 1)
    # In the axes of the sections; angular velocities are maps times (omega, v, rates).
    spins = [[ca.sparsify(section.R.T @ each) for each in section.spin(omega)] for section in sections]
    maps = [ca.horzcat(section.R.T, ca.SX(3, 3), ca.sparsify(section.R.T @ section.turning)) for section in sections]
    momenta = [ca.SX(3, 1) for _ in sections]
    for axis, of_axis in inertia.items():
        i = TURNS[axis][0]
        rows = [ca.horzcat(J[i, :], spin[i], drift[i]) for J, (spin, drift) in zip(maps, spins, strict=True)]
        for share in square_root(products[axis]).T:
            row = ca.sparsify(weighted(share, rows))
            J = ca.sparsify(row[:, : 6 + n])
            total += of_axis * ca.triu(J.T @ J)
            bias += of_axis * (J.T @ row[:, -1])
        for k, share in enumerate(products[axis]):
            momenta[k][i] += of_axis * weighted(share, rows)[:, -2]
    for J, (spin, _), momentum in zip(maps, spins, momenta, strict=True):
        bias += J.T @ (skew(ca.sparsify(spin)) @ ca.sparsify(momentum))
    return ca.triu2symm(ca.sparsify(total)), ca.sparsify(bias)


def in_unit(constants: np.ndarray, unit: float | ca.SX) -> tuple[np.ndarray, float | ca.SX]:
    """Return constants and the unit that is left to multiply with: 1 where that is a number, which costs nothing."""
    return (constants, unit) if isinstance(unit, ca.SX) else (constants * unit, 1.0)


def weighted(shares: np.ndarray, columns: list[ca.SX]) -> ca.SX:
    """Return the sum of shares times matrices of one shape.

    Those of one share are added before they are multiplied: Gauss weights are symmetric.
    """
    total, left = ca.SX(*columns[0].shape) if columns else ca.SX(1, 1), [k for k, share in enumerate(shares) if share]
    while left:
        size = abs(shares[left[0]])
        equal = [k for k in left if abs(abs(shares[k]) - size) <= EQUAL * size]
        left = [k for k in left if k not in equal]
        terms = [columns[k] if shares[k] > 0 else -columns[k] for k in equal]
        together = sum(terms[1:], terms[0])
        total += together if abs(size - 1.0) <= EQUAL else float(size) * together
    return total


def square_root(products: np.ndarray) -> np.ndarray:
    """Return L (n, m) with L L' a Gram matrix: lower triangular, without columns that are zero."""
    scale = np.sqrt(np.maximum(np.diag(products), np.finfo(float).tiny))
    relative = products / np.outer(scale, scale)
    try:
        root = np.linalg.cholesky(relative)
    except np.linalg.LinAlgError:
        # On a piece far shorter than the beam the functions are dependent within rounding.
        values, vectors = np.linalg.eigh(relative)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
    root = np.where(np.abs(root) < 1e-14, 0.0, root)
    return scale[:, None] * root[:, np.abs(root).max(axis=0) > 0]
