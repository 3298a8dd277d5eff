"""Gains by loop, from what the user gave: a number for all, one for each, or a dict by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.errors import NameUnknownError, ParameterError, listing, nearest


def gains(given: Any, names: Sequence[str], where: str, positive: bool = False) -> np.ndarray:
    """Return a gain (k,) for each of the k names.

    Raises
    ------
    ParameterError
        Not a finite number >= 0 (> 0 with `positive`) for each.
    NameUnknownError
        A dict with a name that is none of them.
    """
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise NameUnknownError(f"{where}: there is no '{name}' ({listing(names)}).{nearest(str(name), names)}")
        if missing := [name for name in names if name not in given]:
            raise ParameterError(f"{where}: nothing given for {listing(missing)}; give a number for each name.")
        given = [given[name] for name in names]
    try:
        found = np.array(given, dtype=float)
        found = np.full(len(names), found) if found.ndim == 0 else found
    except (TypeError, ValueError):
        found = np.zeros((0, 0))
    least = "> 0" if positive else ">= 0"
    fits = found.shape == (len(names),) and np.all(np.isfinite(found))
    if not fits or np.any(found < 0) or (positive and np.any(found == 0)):
        raise ParameterError(
            f"{where} = {given!r}; must be a finite number {least}, or {len(names)} of them, in the order "
            f"{listing(names)}, or a dict by name."
        )
    return found
