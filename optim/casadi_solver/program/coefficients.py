"""Coefficients of a parametric program: numbers, or functions of constants that may change between solves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from .constants import Constants


@dataclass(frozen=True)
class Coefficients:
    """A vector of coefficients.

    Attributes
    ----------
    fixed : float array (n,)
        Zero where the coefficient varies.
    places : int array (k,)
        Positions of the varying coefficients.
    rule : casadi.Function or None
        Constants -> the k varying coefficients; None if there are none.
    """

    fixed: np.ndarray
    places: np.ndarray
    rule: ca.Function | None

    @classmethod
    def of(cls, entries: Sequence, constants: Constants) -> Coefficients:
        """Return the coefficients of floats, and of SX expressions of the symbols of `constants`."""
        places: list[int] = []
        if constants.symbolic:
            places = [i for i, entry in enumerate(entries) if isinstance(entry, ca.SX)]
        if not places:
            return cls(np.array(entries, dtype=float), np.zeros(0, dtype=np.int64), None)
        fixed = np.array([0.0 if isinstance(entry, ca.SX) else entry for entry in entries], dtype=float)
        varying = ca.vertcat(*[entries[i] for i in places])
        return cls(fixed, np.array(places), ca.Function("coefficients", [constants.symbol], [varying]))

    def __len__(self) -> int:
        return len(self.fixed)

    def at(self, constants: np.ndarray) -> np.ndarray:
        """Return the numbers for values of the constants."""
        if self.rule is None:
            return self.fixed
        values = self.fixed.copy()
        values[self.places] = np.asarray(self.rule(constants)).ravel()
        return values

    def symbolic(self, constants: ca.MX) -> ca.DM | ca.MX:
        """Return the numbers (n x 1) for symbols of the constants; a DM if none varies."""
        if self.rule is None:
            return ca.DM(self.fixed)
        values = ca.MX(ca.DM(self.fixed))
        values[self.places.tolist()] = self.rule(constants)
        return values

    def reordered(self, order: np.ndarray) -> Coefficients:
        """Return the vector whose entry i is the present entry ``order[i]``."""
        new_position = np.empty(len(order), dtype=np.int64)
        new_position[order] = np.arange(len(order))
        return Coefficients(self.fixed[order], new_position[self.places], self.rule)
