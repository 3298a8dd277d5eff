"""Collocation schemes: Radau IIA and Lobatto IIIA."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from numpy.polynomial.legendre import Legendre

from flexblocks.argument_types import short
from flexblocks.errors import meant

from ..errors import ProblemError

HIGHEST_DEGREE = 9  # the highest for which CasADi tabulates the points


@dataclass(frozen=True, eq=False)
class Collocation:
    """An implicit Runge-Kutta scheme whose last stage is the end of the interval.

    Attributes
    ----------
    name : str
    words : str
        Description, for display.
    nodes : ndarray (d,)
        Collocation points as fractions of the interval; the last is 1.
    integral : ndarray (d, d)
        Butcher's matrix: over an interval of length h, x_j = x_0 + h sum_l integral[j, l] der(x)_l.
    """

    name: str
    words: str
    nodes: np.ndarray
    integral: np.ndarray

    @property
    def degree(self) -> int:
        return len(self.nodes)

    @property
    def double_integral(self) -> np.ndarray:
        """Second integral (d, d): q_j = q_0 + h nodes[j] v_0 + h^2 sum_l double_integral[j, l] a_l."""
        return self.integral @ self.integral

    @property
    def inner(self) -> list[int]:
        """Numbers, from 1, of the points that are not mesh points."""
        return [j for j, c in enumerate(self.nodes.tolist(), 1) if 0 < c < 1]

    @property
    def is_symmetric(self) -> bool:
        """Whether the scheme is symmetric (time-reversible): no oscillation loses or gains energy, however fast."""
        return np.allclose(self.nodes, 1 - self.nodes[::-1])


@lru_cache
def radau(degree: int) -> Collocation:
    """Return Radau IIA of `degree` stages: order 2 degree - 1, stiffly accurate (Hairer & Wanner II, IV.5).

    It damps oscillations that the mesh does not resolve.

    Raises
    ------
    ProblemError
        `degree` is not a whole number from 1 to 9.
    """
    _check_degree("radau", degree, 1)
    return _collocation("radau", "Radau", np.array(ca.collocation_points(int(degree), "radau")))


@lru_cache
def lobatto(degree: int) -> Collocation:
    """Return Lobatto IIIA of `degree` stages: order 2 degree - 2, symmetric (Hairer & Wanner II, IV.5).

    Its first point is the beginning of the interval. It conserves the energy of every oscillation of a linear system.

    Raises
    ------
    ProblemError
        `degree` is not a whole number from 2 to 9.
    """
    _check_degree("lobatto", degree, 2)
    inner = np.sort(Legendre.basis(int(degree) - 1).deriv().roots().real)
    return _collocation("lobatto", "Lobatto", np.concatenate([[0.0], (inner + 1) / 2, [1.0]]))


SCHEMES = {"radau": radau, "lobatto": lobatto}


def collocation(scheme: str, degree: int) -> Collocation:
    """Return the scheme of a name and degree.

    Raises
    ------
    ProblemError
        There is no such scheme.
    """
    if not isinstance(scheme, str) or scheme not in SCHEMES:
        names = ", ".join(f'"{name}"' for name in SCHEMES)
        raise ProblemError(f"plan: scheme = {scheme!r}{meant(scheme, SCHEMES, f'must be one of {names}.')}")
    return SCHEMES[scheme](degree)


def _collocation(name: str, words: str, nodes: np.ndarray) -> Collocation:
    powers = np.arange(len(nodes))
    # The rows integrate 1, s, s^2, ... exactly from 0 to each node.
    integrals = nodes[:, None] ** (powers + 1) / (powers + 1)
    return Collocation(name, words, nodes, np.linalg.solve((nodes[:, None] ** powers).T, integrals.T).T)


def _check_degree(scheme: str, degree: int, lowest: int) -> None:
    whole = isinstance(degree, (int, np.integer)) and not isinstance(degree, bool)
    if not whole or not lowest <= degree <= HIGHEST_DEGREE:
        raise ProblemError(
            f'plan: degree = {short(degree)} of scheme "{scheme}"; must be a whole number from {lowest} to '
            f"{HIGHEST_DEGREE}."
        )
