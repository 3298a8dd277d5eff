"""Consistent states: loops closed, coordinates in range, dependent variables solved for."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexblocks.constraints.closed_state import closed_state
from flexblocks.constraints.dependent_variables import with_dependent_variables
from flexblocks.constraints.ranges import refuse_out_of_range
from flexblocks.constraints.states_at_posture import named_states, with_states_at_posture
from flexblocks.dae.dae import DAE


def consistent_state(dae: DAE, values: Any, p: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the consistent state (nx,) for a user's values, and guesses (nz,) of the algebraic variables there.

    Parameters
    ----------
    dae : DAE
    values : dict, array (nx,) or None
        As for `flexblocks.interfaces.variables.Variables.values`; None means the start values.
    p : ndarray (np,)
    where : str
        Name of the caller, for messages.

    Raises
    ------
    NameUnknownError, ParameterError
        See `Variables.values`; a coordinate out of its block's range.
    ComputationError
        The loops cannot be closed, or the dependent variables cannot be solved for.
    """
    # Loops, ranges, dependent variables; an arm without any of them keeps its values as they are.
    x, z = dae.x.values(values, where), dae.z.start
    has_ranges = dae.tree.ranges or dae.tree.positive_states
    if has_ranges:
        refuse_out_of_range(dae, x, where)
    if dae.tree.loops.closures:
        x = closed_state(dae, values, p, where)
        if has_ranges:
            refuse_out_of_range(dae, x, where)
    if dae.tree.dependent_names:
        x, z = with_dependent_variables(dae, x, z, p, named_states(dae, values), where)
    if dae.tree.states_at_outputs:
        x = with_states_at_posture(dae, x, p, named_states(dae, values))
    return x, z
