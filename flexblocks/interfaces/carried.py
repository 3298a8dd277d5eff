"""What a block carries: the inertia outboard of each of its outlets."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Carried:
    """Inertia of all that is outboard of a block, rigid and in the zero configuration, by its outlets.

    ``carried["frame_b"]`` is the inertia (6, 6) in twist order (omega, v) at that outlet; zero where nothing hangs.

    Attributes
    ----------
    inertias : dict of ndarray (6, 6)
        Of the outlets at which something hangs.
    """

    inertias: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __getitem__(self, outlet: str) -> np.ndarray:
        return self.inertias.get(outlet, np.zeros((6, 6)))

    @property
    def key(self) -> Hashable:
        """The same for equal inertias."""
        return tuple((outlet, inertia.tobytes()) for outlet, inertia in sorted(self.inertias.items()))
