"""What the intervals of a trajectory have in common: how states and inputs are described on each."""

from __future__ import annotations

from dataclasses import dataclass

from .collocation import Collocation
from .input_shape import InputShape
from .static_modes import ALL_MOVE, StaticModes


@dataclass(frozen=True)
class IntervalForm:
    """The form of an interval: two that are equal have the same kernels.

    Attributes
    ----------
    scheme : Collocation
    shape : InputShape
    is_free : bool
        Whether the duration is a variable.
    designed : tuple of int
        Places of the parameters that are variables.
    static : StaticModes
        What is carried quasi-statically.
    """

    scheme: Collocation
    shape: InputShape
    is_free: bool = False
    designed: tuple[int, ...] = ()
    static: StaticModes = ALL_MOVE
