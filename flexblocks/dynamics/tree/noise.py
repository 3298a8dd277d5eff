"""Noise of sensors: inputs that a run in time draws anew at each tick of a clock, unless they are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Noise:
    """The law of an input that is drawn at each tick of a clock, and held in between.

    Attributes
    ----------
    name : str
        Of the input.
    kind : "normal" or "lost"
        Normally distributed with the standard deviation `size`, or 1 with the probability `size`, else 0.
    size : float
    """

    name: str
    kind: Literal["normal", "lost"]
    size: float
