"""Signals of a motion: their time series, in groups that share axes, with their limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from flexblocks.simulation.trajectory import Trajectory

# Words of coordinates that bend a beam: tip deflections say the same and more.
BENDING = ("mode[", "bending", "curvature", "deflection_y[", "deflection_z[", "slope", "bend_")


@dataclass(frozen=True, eq=False)
class Signals:
    """Signals of one run.

    Attributes
    ----------
    names, units : tuple of str
    groups : tuple of str
        For each signal the title of the axes it belongs to; what is most looked at comes first.
    values : ndarray (frames, k)
    limits : dict of (float, float)
        By name; infinite where there is none.
    """

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    values: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def signals(motion: Trajectory, rows: np.ndarray, limits: Mapping[str, tuple[float, float]] | None = None) -> Signals:
    """Return all signals of a motion at some of its samples: tip deflections, coordinates, inputs, then the others."""
    ordered = sorted(
        (name for group in ("u", "x", "y", "z", "energy") for name in motion.names[group]),
        key=lambda name: _rank(name, motion),
    )
    values = [motion[name][rows] for name in ordered]
    return Signals(
        tuple(ordered),
        tuple(motion.unit(name) for name in ordered),
        tuple(f"{_kind(name, motion)} [{motion.unit(name)}]" for name in ordered),
        np.column_stack(values) if values else np.zeros((len(rows), 0)),
        {name: limit for name, limit in (limits or {}).items() if name in ordered},
    )


def _rank(name: str, motion: Trajectory) -> tuple[int, bool]:
    kind, still = _kind(name, motion), bool(np.ptp(motion[name]) == 0)
    order = ("joint", "input", "tip deflection", "stress", "position", "energy")
    return next((i for i, word in enumerate(order) if kind.startswith(word)), len(order)), still


def _kind(name: str, motion: Trajectory) -> str:
    """Return what a signal is, for the title of its axes."""
    word = name.rpartition(".")[2]
    if name in motion.names["energy"]:
        return "energy"
    if name in motion.names["u"]:
        return "inputs"
    if name.startswith("der("):
        bent = any(part in name for part in BENDING)
        return "rates of deformation" if bent else "rates"
    if ".tip_deflection_" in name:
        return "tip deflections"
    if "stress" in word:
        return "stress"
    if name in motion.names["x"] or name in motion.names["z"]:
        bent = any(part in word for part in (*BENDING, "torsion", "extension"))
        return "deformation" if bent else "joints and rotors"
    if word in ("x", "y", "z"):
        return "positions"
    return word.partition("[")[0].rstrip("_xyz").replace("_", " ") or word
