"""What a block carries: the inertia outboard of each of its outlets."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np


class Carried(dict[str, np.ndarray]):
    """Inertia of all that is outboard of a block, rigid and in the zero configuration, by its outlets.

    ``carried["frame_b"]`` is the inertia (6, 6) in twist order (omega, v) at that outlet; zero where nothing hangs.
    """

    def __missing__(self, outlet: str) -> np.ndarray:
        return np.zeros((6, 6))

    @property
    def key(self) -> Hashable:
        """The same for equal inertias."""
        return tuple((outlet, inertia.tobytes()) for outlet, inertia in sorted(self.items()))
