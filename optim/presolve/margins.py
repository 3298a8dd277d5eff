"""Margins: limits narrowed in the plan by what the arm may exceed them between collocation points, or in a replay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flexblocks.dae.dae import DAE
from flexblocks.errors import suggestion

from ..errors import ProblemError
from .path_values import PathValues

Ranges = dict[str, tuple[float, float]]


def narrowed(ranges: Ranges, margins: Mapping[str, float]) -> Ranges:
    """Return limits narrowed at each end by the margins of their names."""
    by_name = {name: margins.get(name, 0.0) for name in ranges}
    return {name: (low + by_name[name], high - by_name[name]) for name, (low, high) in ranges.items()}


def check_margins(
    dae: DAE, ranges: Iterable[Ranges], paths: Iterable[PathValues], margins: Mapping[str, float]
) -> None:
    """Refuse margins of what is not limited, and margins that leave nothing of a limit.

    Parameters
    ----------
    dae : DAE
    ranges : iterable of dict
        Limits by name in each phase; margins are for those of states, as those of inputs hold at every instant.
    paths : sequence of PathValues
        Other limits and path constraints of each phase.
    margins : dict of float

    Raises
    ------
    ProblemError
    """
    limited = [(name, *ends) for phase in ranges for name, ends in phase.items() if name in dae.x]
    limited += [value for path in paths for value in zip(path.names, path.low, path.high, strict=True)]
    names = list(dict.fromkeys(name for name, *_ in limited))
    for name in margins:
        if name not in names:
            raise ProblemError(
                f"plan: margins: '{name}' is no limit of a state, an output or along the path{suggestion(name, names)}"
            )
    for name, low, high in limited:
        if low + 2 * margins.get(name, 0.0) > high:
            raise ProblemError(
                f"plan: margins: {name} = {margins[name]:g}; must be at most {(high - low) / 2:g}, half of its range."
            )
