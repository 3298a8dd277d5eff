"""Functions along a beam at a place that moves: piecewise polynomials of its symbol."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import casadi as ca
import numpy as np
from numpy.polynomial import legendre

from flexblocks.beam.properties.quadrature import gauss_legendre

# Coefficients below this share of a function's largest are rounding.
ROUNDING = 1e-14


def at_symbol(function: Callable[[np.ndarray], np.ndarray], ends: np.ndarray, points: int, xi: ca.SX) -> ca.SX:
    """Return functions (n, 1) at a symbol `xi`, as polynomials through `points` Gauss points on each panel.

    Parameters
    ----------
    function : callable
        Places (k,) to values (n, k), smooth between the `ends` (panels + 1,).
    ends : ndarray
        Beyond the first and the last the outermost polynomials go on.
    points : int
    xi : SX
    """
    nodes, weights = legendre.leggauss(points)
    panels = len(ends) - 1
    values = np.asarray(function(gauss_legendre(points, ends)[0])).reshape(-1, panels, points)
    if not len(values):
        return ca.SX(0, 1)
    projection = legendre.legvander(nodes, points - 1) * weights[:, None] * (2 * np.arange(points) + 1) / 2
    coefficients = np.einsum("npk,kc->npc", values, projection)
    small = ROUNDING * np.abs(coefficients).max(axis=(1, 2), keepdims=True)
    coefficients = np.where(np.abs(coefficients) > small, coefficients, 0.0)
    inside = panel_of(ends, xi)
    start, width = (ca.dot(ca.DM(each), inside) for each in (ends[:-1], np.diff(ends)))
    terms = _legendre(2 * (xi - start) / width - 1, _degree(coefficients) + 1)
    chosen = sum((inside[k] * ca.sparsify(ca.DM(coefficients[:, k])) for k in range(panels)), ca.SX(*values.shape[::2]))
    return ca.sparsify(ca.SX(chosen)[:, : len(terms)] @ ca.vertcat(*terms))


def panel_of(ends: np.ndarray, xi: ca.SX) -> ca.SX:
    """Return (panels, 1): 1 for the panel that `xi` is on, 0 for the others."""
    beyond = [ca.SX(1), *(xi >= end for end in ends[1:-1].tolist()), ca.SX(1, 1)]
    return ca.vertcat(*[here - there for here, there in pairwise(beyond)])


def _degree(coefficients: np.ndarray) -> int:
    used = np.flatnonzero(coefficients.any(axis=(0, 1)))
    return int(used[-1]) if len(used) else 0


def _legendre(s: ca.SX, count: int) -> list[ca.SX]:
    """Return the first Legendre polynomials of `s`."""
    terms = [ca.SX(1), s]
    for k in range(1, count - 1):
        terms.append(((2 * k + 1) * s * terms[k] - k * terms[k - 1]) / (k + 1))
    return terms[:count]
