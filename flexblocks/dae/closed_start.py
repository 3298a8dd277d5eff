"""Start values as they were declared and as they close the loops of an arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class ClosedStart:
    """What the closing of the loops changed at the start values of the coordinates.

    Attributes
    ----------
    names, units : tuple of str
    declared : ndarray (n,)
        Start values of the blocks.
    closed : ndarray (n,)
        Start values with which the loops are closed.
    scale : ndarray (n,)
        Changes that count as 1: 1 rad, or the length of the loops [m].
    kept : tuple of str
        Coordinates whose start value was set, to something other than zero, and kept.
    strain_energy : dict of float
        Energy [J] that bent beams store at the start, by block; empty unless joints alone cannot close the loops.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    declared: np.ndarray
    closed: np.ndarray
    scale: np.ndarray
    kept: tuple[str, ...] = ()
    strain_energy: Mapping[str, float] = field(default_factory=dict)

    @property
    def moved(self) -> dict[str, tuple[float, float]]:
        """Declared and closed value of each coordinate that differs, apart from rounding."""
        return {
            name: (float(old), float(new))
            for name, old, new, scale in zip(self.names, self.declared, self.closed, self.scale, strict=True)
            if abs(new - old) > 1e-9 * scale
        }

    def __str__(self) -> str:
        units = dict(zip(self.names, self.units, strict=True))
        lines = [f"{name}: {old:g} -> {new:.6g} {units[name]}" for name, (old, new) in self.moved.items()]
        lines += [f"{name} stores {energy:.3g} J" for name, energy in self.strain_energy.items()]
        return "\n".join(lines) or "all start values kept"
