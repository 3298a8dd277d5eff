"""Redundant inputs: of several that hold one posture at rest, those within the limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import scipy
from flexblocks.statics.balance import unknown_slices
from flexblocks.statics.operating_point import OperatingPoint

from ...errors import ProblemError
from ...tolerances import ROUNDING
from ..equilibrium import balance_jacobian, equilibration
from .admissible import Admissible
from .inverse_statics import Posture, posture


def held_within(
    dae: DAE,
    at: OperatingPoint,
    prescribed: Mapping[str, float],
    admissible: Admissible,
    where: str,
) -> Posture | None:
    """Return the equilibrium with the same coordinates that keeps limits and path values, if `at` does not.

    Four ropes hold a platform in a plane by any pull on each other; the least forces that do are pushes, too. None if
    `at` keeps them, if nothing else holds these coordinates, or if no equilibrium keeps the limits of the inputs.
    """
    if (admissible.keeps_limits(at) and admissible.keeps_path(at)) or not _is_redundant(dae, at, prescribed):
        return None
    try:
        return replace(posture(dae, prescribed, at, admissible, where), freedom=0)
    except ProblemError:  # what is beyond which limit is reported of `at`
        return None


def _is_redundant(dae: DAE, at: OperatingPoint, prescribed: Mapping[str, float]) -> bool:
    """Return whether inputs or first-order states can change with the prescribed coordinates in balance."""
    index, J = unknown_slices(dae), balance_jacobian(dae, at)
    free = np.setdiff1d(np.arange(J.shape[1]), [dae.q_names.index(name) for name in prescribed])
    row, column = (factors[:, None] for factors in equilibration(J[:, free]))
    idle = scipy.linalg.null_space(row * J[:, free] * column.T, rcond=ROUNDING)
    holding = np.isin(free, np.r_[index.w, index.u])
    return bool(np.any(np.abs(idle[holding]) > ROUNDING))
