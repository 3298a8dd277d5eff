"""Interpolation of a beam's tangent: the points along the beam at which it is taken, and the functions between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexblocks.beam.properties.quadrature import gauss_legendre, gauss_lobatto, panels
from flexblocks.beam.shapes.shape_functions import Shapes
from flexblocks.beam.shapes.strain_functions import jumps, lagrange, lagrange_at
from flexblocks.beam.shapes.strain_shapes import PiecewisePolynomials, RodStrainShapes, StrainShapes


@dataclass(frozen=True, eq=False)
class TangentInterpolation:
    """The interpolation of the tangent, and of the position by its integrals.

    Attributes
    ----------
    places : ndarray (k,)
        Points x/l.
    shapes : RodStrainShapes
        Functions whose strain is 1 at one of the places and 0 at the others.
    """

    places: np.ndarray
    shapes: RodStrainShapes


@lru_cache(maxsize=64)
def tangent_interpolation(strained: tuple[Shapes, ...], points: int, in_space: bool) -> TangentInterpolation:
    """Return the interpolation of the tangent of a beam with these strains.

    Parameters
    ----------
    strained : tuple of Shapes
        Of each way of deforming.
    points : int
        On each piece on which the strains are continuous.
    in_space : bool
        Whether each section costs a rotation in space. On one piece they are then Gauss-Lobatto points, of which one is
        the root, which does not turn and is not counted, and one the tip, whose rotation is wanted anyway: one rotation
        fewer than of Gauss points, for the same degree.
    """
    ends = panels(*(jumps(part) for each in strained for part in _functions(each)))
    if in_space and len(ends) == 2:
        # The root last: in the triangular square root of a Gram matrix it then is a particle that does not move.
        places = gauss_lobatto(points + 1)[::-1]
        return TangentInterpolation(places, RodStrainShapes(lagrange_at(places)))
    return TangentInterpolation(gauss_legendre(points, ends)[0], RodStrainShapes(lagrange(ends, points)))


def _functions(shapes: Shapes) -> list[PiecewisePolynomials]:
    if isinstance(shapes, StrainShapes):
        return [shapes.curvature, shapes.sheared]
    return [shapes.strained] if isinstance(shapes, RodStrainShapes) else []
