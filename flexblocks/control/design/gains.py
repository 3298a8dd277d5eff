"""Gains from user input: one number for all, a sequence, or a dict by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexblocks.errors import NameUnknownError, ParameterError, listing, nearest


def gains(values: Any, names: Sequence[str], where: str, positive: bool = False) -> np.ndarray:
    """Return a gain (k,) for each of the k names.

    Raises
    ------
    ParameterError
        Some gain is missing, not finite, or negative (with `positive`: not > 0).
    NameUnknownError
        A dict with an unknown name.
    """
    # A dict becomes a list in the order of the names.
    if isinstance(values, Mapping):
        for name in values:
            if name not in names:
                raise NameUnknownError(f"{where}: there is no '{name}' ({listing(names)}).{nearest(str(name), names)}")
        if missing := [name for name in names if name not in values]:
            raise ParameterError(f"{where}: no value for {listing(missing)}; must be a number for each name.")
        values = [values[name] for name in names]
    # Values that are not numbers become an array that fails the shape test below.
    try:
        array = np.array(values, dtype=float)
        array = np.full(len(names), array) if array.ndim == 0 else array
    except (TypeError, ValueError):
        array = np.zeros((0, 0))
    least = "> 0" if positive else ">= 0"
    fits = array.shape == (len(names),) and np.all(np.isfinite(array))
    if not fits or np.any(array < 0) or (positive and np.any(array == 0)):
        raise ParameterError(
            f"{where} = {values!r}; must be a finite number {least}, or {len(names)} of them, in the order "
            f"{listing(names)}, or a dict by name."
        )
    return array
