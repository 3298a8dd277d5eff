"""A program with its numbers and a start, as IPOPT gets it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Posed:
    """The arguments of `casadi.nlpsol`, by its names, with its signs.

    Attributes
    ----------
    p : float array
        Parameters.
    lbx, ubx : float arrays (n,)
    lbg, ubg : float arrays (m,)
    x0, lam_x0 : float arrays (n,)
        Start, and its multipliers.
    lam_g0 : float array (m,)
    """

    p: np.ndarray
    lbx: np.ndarray
    ubx: np.ndarray
    lbg: np.ndarray
    ubg: np.ndarray
    x0: np.ndarray
    lam_x0: np.ndarray
    lam_g0: np.ndarray

    @property
    def low(self) -> np.ndarray:
        """Lower bounds of variables and constraints (n + m,)."""
        return np.append(self.lbx, self.lbg)

    @property
    def high(self) -> np.ndarray:
        """Upper bounds of variables and constraints (n + m,)."""
        return np.append(self.ubx, self.ubg)

    def has_the_numbers_of(self, other: Posed) -> bool:
        """Whether it is the same program, whatever the start."""
        names = ("p", "lbx", "ubx", "lbg", "ubg")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
