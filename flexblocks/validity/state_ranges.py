"""The warning where states leave the ranges within which the physics of their blocks holds, as pressures below zero."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.interfaces import StateRange
from flexblocks.user_warning import warn
from flexblocks.validity.large_deflections import is_quiet

MOST = 3  # states that a warning names


def beyond_state_ranges(dae: DAE, x: np.ndarray, times: np.ndarray | None = None) -> str:
    """Return which states (samples, nx) leave their ranges, the farthest of each kind first, and what that means."""
    kinds: dict[str, list[tuple[float, str]]] = {}
    for state, bound in _ranges(dae):
        values = x[:, dae.x.index(state)]
        off = np.maximum(bound.low - values, values - bound.high)
        worst = int(np.argmax(off))
        if off[worst] > 0:
            unit, limit = dae.x.unit(state), bound.low if values[worst] < bound.low else bound.high
            when = "" if times is None else f" at t = {times[worst]:.4g} s"
            text = f"{state} = {values[worst]:.3g} {unit}{when}, beyond {limit:.3g} {unit}"
            kinds.setdefault(bound.beyond, []).append((off[worst], text))
    return "; ".join(f"{listing([text for _, text in sorted(found, reverse=True)], MOST)}: {beyond}"
                     for beyond, found in kinds.items())  # fmt: skip


@lru_cache(maxsize=32)
def _ranges(dae: DAE) -> tuple[tuple[str, StateRange], ...]:
    blocks = dae.tree.blocks.items()
    return tuple((f"{name}.{state}", bound) for name, block in blocks for state, bound in block.state_ranges().items())


def warn_of_states(where: str, beyond: Mapping[str, str]) -> None:
    """Warn, once, of states that leave their ranges in any of some motions or equilibria.

    Parameters
    ----------
    where : str
        The call, for the message.
    beyond : dict of str
        `beyond_state_ranges` of each, by what it is called, as ``"in run 3, "``.
    """
    texts = [f"{name}{text}" for name, text in beyond.items() if text]
    if texts and not is_quiet():
        more = f" And likewise in {len(texts) - 1} more." if len(texts) > 1 else ""
        warn(f"{where}: {texts[0]}.{more}")
