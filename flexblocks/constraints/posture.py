"""Posture of an arm: the arguments of functions of coordinates, from values of the coordinates."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.dependent_variables import with_dependent_variables
from flexblocks.dae.dae import DAE


def posture(dae: DAE, x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the arguments `DAE.posture_symbols` at the coordinates in x (nx,) and the parameters p (np,).

    Raises
    ------
    ComputationError
        The dependent variables cannot be solved for.
    """
    x, z = with_dependent_variables(dae, x, dae.z.start, p)
    return dae.posture(x, z, p)
