"""Admissible ranges of coordinates, outside which a block has no physics, such as a beam pushed all the way in."""

from __future__ import annotations

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError


def refuse_out_of_range(dae: DAE, q: np.ndarray, where: str = "") -> None:
    """Refuse coordinates (n,) out of range.

    Raises
    ------
    ParameterError
        A coordinate is out of the range of its block.
    """
    for bound in dae.tree.ranges:
        value = float(bound.share @ q)
        if not bound.low <= value <= bound.high:
            raise ParameterError(
                f"{where}{bound.name} = {value:g} {bound.unit}; must be between {bound.low:g} and {bound.high:g} "
                f"{bound.unit}."
            )
