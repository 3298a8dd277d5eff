"""Path constraint: values of every instant of a motion, and the bounds that they keep.

Each kind is a file of its own and says there all that the rest asks of it, so that a new kind is a new file and a line
in `flexblocks.optim.problem.path_constraints`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

from ..signals.signals import Signals


@dataclass(frozen=True, eq=False)
class BoundedValue:
    """A value of one instant (1, 1) that a path constraint bounds, with its name and bounds."""

    name: str
    value: ca.SX
    low: float = -math.inf
    high: float = math.inf


class PathConstraint(ABC):
    """Something that holds at every instant of a motion: bounds on values of that instant.

    Attributes
    ----------
    is_distance : bool
        Whether the values are distances [m] to be kept, not signals with limits in their own unit.
    may_be_lifted : bool
        Whether a plan may first be searched without it.
    """

    is_distance: ClassVar[bool] = False
    may_be_lifted: ClassVar[bool] = True

    @property
    @abstractmethod
    def label(self) -> str:
        """What it is called in messages and in the names of its values."""

    @abstractmethod
    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        """Return its values at an instant; `label` is its label, numbered where several have the same.

        Raises
        ------
        FlexblocksError
            It names what the arm has not.
        """

    def refusal(self, where: str, bounded: BoundedValue, value: float) -> str:
        """Return what to say of a posture of rest, the start or goal `where`, with a `value` beyond its bounds."""
        return (
            f"{bounded.name} = {value:.6g} at rest there; its limits are {bounded.low:g} to {bounded.high:g}. Move the "
            f"{where} or widen the limit."
        )

    def check_via(self, where: str, values: Mapping[str, float]) -> None:  # noqa: B027  (most bind no via point)
        """Refuse the values of a via point `where` it cannot hold.

        Raises
        ------
        ProblemError
        """
