"""Damping of an arm's beams that was chosen for its modes, with what it makes of them here and in other postures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.linear.modes import Modes
from flexblocks.modeling.model import Model


@dataclass(frozen=True, eq=False)
class OtherPosture:
    """The modes of the damped arm in another posture.

    Attributes
    ----------
    posture : dict of float
        Coordinates that differ from the posture for which damping was chosen [rad or m].
    modes : Modes or None
    refusal : str
        Why the arm cannot be held there; empty if it can.
    """

    posture: Mapping[str, float]
    modes: Modes | None
    refusal: str = ""

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value:.4g}" for name, value in self.posture.items())
        return f"{where}: {_ratios(elastic(self.modes)) if self.modes else self.refusal}"


@dataclass(frozen=True, eq=False)
class DampingChoice:
    """Damping parameters of beams that give modes of the assembled arm the damping ratio that was requested.

    Attributes
    ----------
    model : Model
        The arm with this damping.
    values : dict of float
        The parameters by name: ``{"link1.damping_ratio": 0.0031, ...}``; of ``damping_time`` in s.
    ratio : float
        The damping ratio that was requested.
    modes : Modes
        All modes at the posture, from slow to fast.
    chosen : tuple of int
        Indices of those that were to have the ratio.
    elsewhere : tuple of OtherPosture
    """

    model: Model
    values: Mapping[str, float]
    ratio: float
    modes: Modes
    chosen: tuple[int, ...]
    elsewhere: tuple[OtherPosture, ...] = ()

    @property
    def largest_miss(self) -> float:
        """Largest deviation of the chosen modes from the requested ratio, as a fraction of it."""
        return float(np.max(np.abs(self.modes.damping_ratio[list(self.chosen)] / self.ratio - 1.0)))

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.4g}" for name, value in self.values.items())
        return f"DampingChoice({self.model.name!r}: {values})"

    def __str__(self) -> str:
        lines = [f"{name} = {value:.6g}" for name, value in self.values.items()]
        lines.append(f"target: {100 * self.ratio:.4g} %, of the modes with *")
        for number, mode in enumerate(self.modes, 1):
            if mode.eigenvalue:
                lines.append(f"{'*' if number - 1 in self.chosen else ' '} mode {number}, {mode}")
        if self.elsewhere:
            lines += ["elsewhere:", *(f"  {other}" for other in self.elsewhere)]
        return "\n".join(lines)


def elastic(modes: Modes) -> list[float]:
    """Return the damping ratios of the modes that store elastic energy, from slow to fast."""
    return [mode.damping_ratio for mode in modes if mode.energy == "strain"]


def _ratios(ratios: list[float]) -> str:
    # Below 1e-9 it is rounding of undamped poles.
    few = ", ".join(f"{100 * ratio:.3g}" if abs(ratio) > 1e-9 else "0" for ratio in ratios[:6])
    return f"{few}{', ...' if len(ratios) > 6 else ''} %" if ratios else "no elastic mode"
