"""Parts of a fit: estimates, starts, records beside what is predicted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Estimate:
    """One unknown of a fit.

    Attributes
    ----------
    name, unit : str
    value : float
    deviation : float
        Standard deviation, infinite where the data do not determine it.
    low, high : float
        95 % interval; of what is positive by nature it is one of the logarithm.
    kind : str
        ``"parameter"``, ``"output offset"``, ``"input offset"`` or ``"start"``.
    """

    name: str
    unit: str
    value: float
    deviation: float
    low: float
    high: float
    kind: str


@dataclass(frozen=True, eq=False)
class Attempt:
    """One start of an identification.

    Attributes
    ----------
    start : dict of float
    cost : float
        Negative logarithm of the likelihood where it ended, without constants; infinite where it failed.
    status : str
    evaluations : int
        Of all records with their derivatives.
    """

    start: Mapping[str, float]
    cost: float
    status: str
    evaluations: int


@dataclass(frozen=True, eq=False)
class FittedRecord:
    """One record beside what the fit predicts.

    Attributes
    ----------
    name : str
    t : ndarray (n,)
        [s]
    measured : ndarray (n, ny)
        nan in gaps.
    predicted : ndarray (n, ny)
    residuals : ndarray (n, ny)
        Measured less predicted in standard deviations, whitened; nan in gaps.
    """

    name: str
    t: np.ndarray
    measured: np.ndarray
    predicted: np.ndarray
    residuals: np.ndarray
