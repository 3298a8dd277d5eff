"""The warning where outputs are beyond the ranges in which their blocks are meant to work, as a cylinder's length."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexblocks.constraints.ranges import output_ranges
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.user_warning import warn
from flexblocks.validity.large_deflections import is_quiet
from flexblocks.warning_kinds import OUTPUT_RANGES

# Share of a range beyond which is no more rest against an end stop, which yields by 0.2 % under pressure.
SHARE = 0.01


def beyond_ranges(dae: DAE, p: np.ndarray, output: Callable[[str], float], share: float = 0.0) -> str:
    """Return which outputs are beyond their ranges by more than a share of these, and where they are; or nothing.

    `output` gives their values, with the parameters `p`.
    """
    texts = []
    for name, (low, high) in output_ranges(dae, p).items():
        value = output(name)
        if max(low - value, value - high) > share * (high - low):
            texts.append(f"{name} = {value:.4g} {dae.y.unit(name)}, whose range is {low:.4g} to {high:.4g}")
    return listing(texts, 4) if texts else ""


def warn_beyond_ranges(dae: DAE, where: str, p: np.ndarray, output: Callable[[str], float]) -> None:
    """Warn, once, of outputs beyond their ranges at a point at rest, see `beyond_ranges`."""
    if not is_quiet() and (text := beyond_ranges(dae, p, output, SHARE)):
        warn(f"{where}: beyond what its blocks are made for, there is {text}.", OUTPUT_RANGES)
