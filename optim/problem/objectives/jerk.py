"""Jerk: the squared derivatives of the inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import ProblemError
from .objective import InputForm
from .squared_inputs import SquaredInputs


@dataclass(frozen=True)
class Jerk(SquaredInputs):
    """The integral over the motion of the sum of squared derivatives of all inputs.

    Exact by Gauss quadrature. As torque corresponds to the acceleration of a rigid arm, its rate corresponds to jerk.

    Parameters
    ----------
    order : 1 or 2
        Order of the derivative: 1 for the jerk of the equivalent rigid arm; 2 for its rate, which needs cubic inputs.
    relative_to : dict of float, optional
        Size of each input by name, over which it counts, as in `Effort`; by default sizes of each unit where there are
        several.
    """

    order: int = 1
    relative_to: Mapping[str, float] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.order, int) or isinstance(self.order, bool) or self.order not in (1, 2):
            raise ProblemError(f"Jerk: order = {self.order!r}; must be the integer 1 or 2.")
        super().__post_init__()

    def input_weights(self, inputs: Sequence[str]) -> Mapping[int, np.ndarray]:
        return {self.order: self.squares(inputs)}

    def check_inputs(self, inputs: InputForm, names: Sequence[str], others: Collection[str] = ()) -> None:
        super().check_inputs(inputs, names, others)
        if self.order > inputs.degree:
            raise ProblemError(
                f"plan: objective = Jerk(order={self.order}) with inputs = '{inputs.name}', whose derivatives of that "
                'order vanish or jump; use inputs="cubic".'
            )

    def __str__(self) -> str:
        what = "der(u)" if self.order == 1 else "der(der(u))"
        return f"jerk, the integral of {what}^2 over all inputs{self.over}"
