"""Composite Gauss-Legendre quadrature on [0, 1], over panels on which functions are smooth."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np


def panels(*breaks: Iterable[float]) -> np.ndarray:
    """Return the bounds of the panels into which these breaks divide [0, 1]."""
    places = np.unique([0.0, 1.0, *(float(place) for group in breaks for place in group)])
    # Breaks that differ by rounding are one.
    return places[np.concatenate([[True], np.diff(places) > 1e-12])]


def gauss_legendre(points: int, bounds: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss-Legendre points and weights on [0, 1], `points` of them on each panel between the bounds."""
    nodes, weights = _on_standard_panel(points)
    bounds = np.array([0.0, 1.0]) if bounds is None else bounds
    start, width = bounds[:-1, None], np.diff(bounds)[:, None]
    return (start + width * (nodes + 1) / 2).ravel(), (width * weights / 2).ravel()


@lru_cache(maxsize=32)
def gauss_lobatto(points: int) -> np.ndarray:
    """Return Gauss-Lobatto points on [0, 1], both ends among them; exact to the degree 2 points - 3."""
    inner = np.polynomial.legendre.Legendre.basis(points - 1).deriv().roots()
    return np.concatenate([[0.0], np.sort(inner.real + 1) / 2, [1.0]])


@lru_cache(maxsize=32)
def _on_standard_panel(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss-Legendre points and weights on [-1, 1]; a tenth of the assembly of a beam, if made each time."""
    return np.polynomial.legendre.leggauss(points)


def within(bounds: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return the bounds of the panels, or parts of panels, that lie between `start` and `end`."""
    inner = bounds[(bounds > start + 1e-12) & (bounds < end - 1e-12)]
    return np.concatenate([[start], inner, [end]])
