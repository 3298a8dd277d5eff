"""Iterate: a primal-dual point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Iterate:
    """A primal-dual iterate of the minimised program, with CasADi's signs.

    Attributes
    ----------
    x, lam_x : float arrays (n,)
    g, lam_g : float arrays (m,)
    f : float
    """

    x: np.ndarray
    f: float
    g: np.ndarray
    lam_x: np.ndarray
    lam_g: np.ndarray
