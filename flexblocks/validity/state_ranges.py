"""The warning where states leave the ranges that their blocks declare, as pressures below zero, joints their limits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.user_warning import warn
from flexblocks.validity.large_deflections import is_quiet
from flexblocks.warning_kinds import STATE_RANGES

MOST = 3  # states that a warning names
ROUNDING = (
    1e-6  # of a limit, of the motion or of the range: what holds a joint at its limit is off by the tolerance of a run
)


def beyond_state_ranges(dae: DAE, x: np.ndarray, times: np.ndarray | None = None, *, planned: bool = False) -> str:
    """Return which states (samples, nx) leave their ranges, the farthest of each kind first, and what that means.

    Ranges that plans keep are none of a motion that is `planned`: it has limits of its own.
    """
    kinds: dict[str, list[tuple[float, str]]] = {}
    for state, bound in dae.tree.state_ranges.items():
        if planned and bound.kept:
            continue
        values = x[:, dae.x.index(state)]
        off = np.maximum(bound.low - values, values - bound.high)
        worst = int(np.argmax(off))
        limit = bound.low if values[worst] < bound.low else bound.high
        sizes = [abs(limit), np.ptp(values), bound.high - bound.low]
        if off[worst] > 0 and off[worst] > ROUNDING * max(size for size in sizes if np.isfinite(size)):
            unit = dae.x.unit(state)
            when = "" if times is None else f" at t = {times[worst]:.4g} s"
            text = f"{state} = {values[worst]:.3g} {unit}{when}, beyond {limit:.3g} {unit}"
            kinds.setdefault(bound.beyond, []).append((off[worst], text))
    return "; ".join(f"{listing([text for _, text in sorted(found, reverse=True)], MOST)}: {beyond}"
                     for beyond, found in kinds.items())  # fmt: skip


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
        warn(f"{where}: {texts[0]}.{more}", STATE_RANGES)
