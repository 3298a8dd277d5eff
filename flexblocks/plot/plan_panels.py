"""Panels of a plan's picture: which quantities share axes, and the words for limits that none of them shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from flexblocks.optim import Plan
    from flexblocks.simulation import Trajectory

NEAR = 1.6  # a limit is drawn within this multiple of its curve's magnitude: one far away would flatten the curve
APART = 10.0  # curves that are smaller than others by more than this factor would look like zero beside them
NOTHING = 1e-9  # of the largest of its unit: what is zero but for rounding

Limits = Mapping[str, tuple[float, float]]


def panels(plan: Plan) -> list[list[str]]:
    """Return the names for each axes: inputs, then what the goal names, what is limited, deflections.

    Of inputs and of the rest, those of one unit and magnitude share axes; what stays zero and is no input has none.
    """
    motion, problem = plan.trajectory, plan.transcribed.problem
    driven = [name for phase in problem.phases for name in (phase.goal or phase.passing or {})]
    deflections = [name for name in motion.names["y"] if ".tip_deflection_" in name]
    limited = [name for phase in problem.phases for name in problem.ranges_in(phase)]
    inputs = list(motion.names["u"])
    others = [name for name in dict.fromkeys([*driven, *limited, *deflections]) if name in motion]
    return _by_magnitude(motion, inputs) + _by_magnitude(motion, [name for name in others if name not in inputs], True)


def near(limits: Limits, motion: Trajectory, names: list[str]) -> dict[str, tuple[float | None, float | None]]:
    """Return the limits of one axes that are near its curves."""
    largest = max(_peak(motion, name) for name in names)

    def drawn(bound: float) -> float | None:
        return bound if abs(bound) <= NEAR * largest else None

    return {name: (drawn(limits[name][0]), drawn(limits[name][1])) for name in names if name in limits}


def out_of_sight(limits: Limits, motion: Trajectory, names: list[str]) -> str:
    """Return words for the limits of one axes that are too far from its curves to be drawn; empty if there is none."""
    drawn = near(limits, motion, names)
    far: dict[str, list[str]] = {}
    for name, sides in drawn.items():
        low, high = (None if side is not None else limit for side, limit in zip(sides, limits[name], strict=True))
        if words := _words(low, high):
            unit = motion.unit(name)
            far.setdefault(words if unit == "1" else f"{words} {unit}", []).append(name)
    parts = [
        words if len(of) == len(names) else f"{', '.join(name.rpartition('.')[0] or name for name in of)} {words}"
        for words, of in far.items()
    ]
    return f"out of sight: {'; '.join(parts)}" if parts else ""


def _by_magnitude(motion: Trajectory, names: list[str], drop_zero: bool = False) -> list[list[str]]:
    units: dict[str, list[str]] = {}
    for name in names:
        units.setdefault(motion.unit(name), []).append(name)
    groups = []
    for of_unit in units.values():
        peaks = {name: _peak(motion, name) for name in of_unit}
        least = NOTHING * max(peaks.values())
        left = [name for name in of_unit if peaks[name] > least or not drop_zero]
        while left:
            largest = max(peaks[name] for name in left)
            together = [name for name in left if peaks[name] * APART >= largest or peaks[name] <= least]
            groups.append(together)
            left = [name for name in left if name not in together]
    return groups


def _peak(motion: Trajectory, name: str) -> float:
    return float(np.abs(motion[name]).max())


def _words(low: float | None, high: float | None) -> str:
    has_low, has_high = (side is not None and np.isfinite(side) for side in (low, high))
    if has_low and has_high:
        return f"±{high:.3g}" if low == -(high or 0.0) else f"{low:.3g} to {high:.3g}"
    if has_high:
        return f"at most {high:.3g}"
    return f"at least {low:.3g}" if has_low else ""
