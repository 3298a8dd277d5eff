"""Deflections and slopes of a beam that is linear in its coordinates, as constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from flexblocks.beam.properties.quadrature import gauss_legendre
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.interfaces import Coordinate, SmallDeflections, Twist

# The tip is one more place, of weight zero.
POINTS, PANELS = 3, 8
# Gauss points at which a pull is felt: exact for a pull that is linear along the beam and slopes of second degree.
FELT = 3
# Relative difference of rigidities up to which planes of bending are equally stiff: a twist then changes little.
ALIKE = 1e-3
# Functions of the twist that bending induces: the load that tips a cantilever over is right within 0.02 % with three,
# with two within 0.3 %.
INDUCED = 3
REMEDY = "StrainModes(n) holds at any deflection."


def small_deflections(
    name: str, coordinates: Sequence[Coordinate], shapes: Mapping[str, tuple[Shapes, int, np.ndarray]]
) -> SmallDeflections:
    """Return the measure of a beam's deflections.

    Parameters
    ----------
    name : str
        Of its discretisation.
    coordinates : sequence of Coordinate
        All n of the block.
    shapes : dict
        By plane of bending the shapes, the index of their first coordinate, and the amplitudes in units of the length
        of a unit of each coordinate.
    """
    xi, w = gauss_legendre(POINTS, np.linspace(0.0, 1.0, PANELS + 1))
    places, weights = np.append(xi, 1.0), np.append(w, 0.0)
    return SmallDeflections(
        deflections=along(places, len(coordinates), shapes, 0),
        slopes=along(places, len(coordinates), shapes, 1),
        weights=weights,
        name=name,
        remedy=REMEDY,
    )


def twist(
    size: int,
    shapes: Mapping[str, tuple[Shapes, int, np.ndarray]],
    torsion: tuple[Shapes, int] | None,
    rigidity: Mapping[str, Callable[[np.ndarray], np.ndarray]],
    length: float,
) -> Twist | None:
    """Return what a twist does to bending in two planes; None where both are equally stiff all along.

    Parameters
    ----------
    size : int
        Coordinates of the block.
    shapes
        As of `small_deflections`.
    torsion : tuple, optional
        The functions of torsion, and the index of their first coordinate; None of a beam that is not free to twist.
    rigidity : dict of callable
        Of places x/l (k,): by plane EI there (k,), by "torsion" GJ [N m2].
    length : float
        [m]
    """
    xi, weights = gauss_legendre(POINTS, np.linspace(0.0, 1.0, PANELS + 1))
    rigidities = np.array([rigidity[axis](xi) for axis in shapes])
    if len(rigidities) < 2 or np.allclose(*rigidities, rtol=ALIKE):
        return None
    curvatures, twists = np.zeros((len(shapes), len(xi), size)), np.zeros((len(xi), size))
    for plane, (functions, first, scale) in zip(curvatures, shapes.values(), strict=True):
        plane[:, first : first + functions.size] = (functions.strain(xi) * scale[:, None]).T
    if torsion is not None:
        functions, first = torsion
        twists[:, first : first + functions.size] = functions.derivative(xi, 0).T
    # The modes of torsion of a uniform rod, clamped and free.
    numbers = np.pi * (np.arange(INDUCED) + 0.5)
    rates = numbers * np.cos(numbers * xi[:, None])
    against = np.einsum("k,ki,kj->ij", weights * rigidity["torsion"](xi), rates, rates)
    return Twist(curvatures, twists, np.sin(numbers * xi[:, None]), against, rigidities, weights, 1 - xi, length)


def along(
    places: np.ndarray, size: int, shapes: Mapping[str, tuple[Shapes, int, np.ndarray]], order: int
) -> np.ndarray:
    """Return deflections over the length, or slopes (`order` 1), at places x/l, as (planes, k, size)."""
    planes = []
    for of_plane, first, scale in shapes.values():
        rows = np.zeros((len(places), size))
        rows[:, first : first + of_plane.size] = (of_plane.derivative(places, order) * scale[:, None]).T
        planes.append(rows)
    return np.array(planes)
