"""Consistent states: loops closed, coordinates in range, dependent variables where the coordinates put them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.constraints.closed_state import closed_state
from flexblocks.constraints.coordinate_ranges import refuse_out_of_range
from flexblocks.constraints.dependent_variables import with_dependent_variables
from flexblocks.dae.dae import DAE


def consistent_state(dae: DAE, values: Any, p: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the state (nx,) that a user gave, completed, and guesses (nz,) of the algebraic variables there.

    Parameters
    ----------
    dae : DAE
    values : dict, array (nx,) or None
        As for `flexblocks.interfaces.variables.Variables.values`; None stands for the start values.
    p : ndarray (np,)
    where : str
        What was called, for messages.

    Raises
    ------
    NameUnknownError, ParameterError
        See `Variables.values`; a coordinate out of its block's range.
    ComputationError
        The loops cannot be closed, or the dependent variables not be found.
    """
    # An arm without loops, ranges or dependent variables passes as it is.
    x, z = closed_state(dae, values, p, where) if dae.tree.loops.closures else dae.x.values(values, where), dae.z.start
    if dae.tree.ranges:
        refuse_out_of_range(dae, x[: dae.tree.size], where)
    if dae.dependent_names:
        named = () if values is None else tuple(values) if isinstance(values, Mapping) else dae.x.names
        x, z = with_dependent_variables(dae, x, z, p, named, where)
    return x, z
