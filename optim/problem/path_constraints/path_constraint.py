"""Path constraint: bounds on values at every instant of a motion.

Each kind has its own file with everything specific to it, so that a new kind is a new file and a line in
`flexblocks.optim.problem.path_constraints`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from ..signals.signals import Signals


@dataclass(frozen=True, eq=False)
class BoundedValue:
    """A value (1, 1) at one instant with its name and bounds.

    Attributes
    ----------
    name : str
    value : casadi.SX (1, 1)
    low, high : float
    most, least : float
        Of a value (D^2 - d^2) / (2 D), the greatest d, or of one of the other sign the least; 0 if it is neither.
    """

    name: str
    value: ca.SX
    low: float = -math.inf
    high: float = math.inf
    most: float = 0.0
    least: float = 0.0

    def beyond(self, excess: Any) -> Any:
        """Return by how much the quantity itself is beyond its bound if the value is by `excess` > 0.

        Far from the surface of a ball of 10 mm the value is not the distance: 0.2 m off it is 2 m.
        """
        if self.most:
            return np.sqrt(self.most**2 + 2 * self.most * np.maximum(excess, 0.0)) - self.most
        if self.least:
            return self.least - np.sqrt(np.maximum(self.least**2 - 2 * self.least * np.maximum(excess, 0.0), 0.0))
        return excess


def size_of(low: float, high: float) -> float:
    """Return the size of a range of limits: half its width, or the magnitude of its only finite end; may be 0."""
    ends = [abs(end) for end in (low, high) if math.isfinite(end)]
    return (high - low) / 2 if len(ends) == 2 else max(ends, default=math.inf)


class PathConstraint(ABC):
    """A path constraint: bounds on values at every instant of a motion.

    Attributes
    ----------
    is_distance : bool
        Whether the values are distances [m] rather than signals with limits in their own unit.
    may_be_lifted : bool
        Whether the homotopy in the obstacles may first solve without it.
    is_way : bool
        Whether it leaves only a way to go along, which a first guess has to take.
    """

    is_distance: ClassVar[bool] = False
    may_be_lifted: ClassVar[bool] = True
    is_way: ClassVar[bool] = False

    @property
    @abstractmethod
    def label(self) -> str:
        """Its name in messages and in the names of its values."""

    @abstractmethod
    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        """Return its bounded values at an instant; `label` is its label, numbered if several constraints share it.

        Raises
        ------
        FlexblocksError
            It contains an unknown name.
        """

    def size(self, bounded: BoundedValue) -> float:
        """Return what a violation is large or small against, in its unit; 0 or infinite if there is nothing."""
        return size_of(bounded.low, bounded.high)

    def refusal(self, where: str, bounded: BoundedValue, value: float) -> str:
        """Return the message for an equilibrium, the start or goal `where`, at which `value` violates its bounds."""
        return (
            f"{bounded.name} = {value:.6g} at rest there; its limits are {bounded.low:g} to {bounded.high:g}. Move the "
            f"{where} or widen the limit."
        )

    def check_via(self, where: str, values: Mapping[str, float]) -> None:  # noqa: B027  (most constraints do not concern via points)
        """Refuse the values of a via point `where` that violate it.

        Raises
        ------
        ProblemError
        """
