"""Phases joined to one motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.interpolate import PPoly

from flexblocks.simulation.trajectory import ENERGIES, GROUPS, Trajectory


def joined_trajectory(parts: Sequence[Trajectory]) -> Trajectory:
    """Return one motion of several, each of which begins at time 0 where the one before it ends.

    Where they meet, values are those after it, as at a jump of an input. Work goes on adding up. Parameters are
    those that stay the same.
    """
    first, *rest = parts
    if not rest:
        return first
    begins = np.cumsum([0.0, *(part.t[-1] for part in parts[:-1])])
    energies, work = [], 0.0
    for part in parts:
        energy = part.energy.copy()
        energy[:, ENERGIES.index("work")] += work
        work = energy[-1, ENERGIES.index("work")]
        energies.append(energy)
    groups = {group: energies if group == "energy" else [getattr(part, group) for part in parts] for group in GROUPS}
    times = [begin + part.t for begin, part in zip(begins, parts, strict=True)]
    return replace(
        first,
        t=_stacked(times),
        p={name: value for name, value in first.p.items() if all(part.p[name] == value for part in rest)},
        complete=all(part.complete for part in parts),
        **{group: _stacked(values) for group, values in groups.items()},
    )


def joined_inputs(parts: Sequence[Mapping[str, PPoly]]) -> dict[str, PPoly]:
    """Return the inputs of several phases, each over its own time, over the time of the whole motion."""
    found = {}
    for name, first in parts[0].items():
        whole = PPoly(first.c.copy(), first.x.copy(), extrapolate=False)
        for part in parts[1:]:
            whole.extend(part[name].c, whole.x[-1] + part[name].x[1:])
        found[name] = whole
    return found


def _stacked(values: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([*(value[:-1] for value in values[:-1]), values[-1]])
