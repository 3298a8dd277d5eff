"""Where a run starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.constraints.consistent_state import closed_state
from flexblocks.constraints.dependent_variables import following_start
from flexblocks.dae.dae import DAE


def start_state(dae: DAE, x0: Any, p: np.ndarray, where: str) -> np.ndarray:
    """Return the start state and the work done so far, (nx + 1,).

    Loops are closed, and states that follow from the coordinates are put right; where the user gave them, starting from
    those values.
    """
    x = closed_state(dae, x0, p, where)
    given = () if x0 is None else tuple(x0) if isinstance(x0, Mapping) else dae.x.names
    x, _ = following_start(dae, x, dae.z.start, p, given, where)
    return np.append(x, 0.0)
