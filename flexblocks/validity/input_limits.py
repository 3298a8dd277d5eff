"""The warning where inputs, or commands that nothing clips, exceed the limits of their actuators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexblocks.interfaces.variables import Variables
from flexblocks.user_warning import warn
from flexblocks.validity.large_deflections import is_quiet
from flexblocks.warning_kinds import INPUT_LIMITS

# Excess over a limit, as a share of it, that is rounding: optimisers keep bounds to about 1e-8.
ROUNDING = 1e-6
# How the limits are kept: of inputs, and of the outputs that show what a loop commands.
REMEDIES = {
    "input": "saturate=True clips inputs to their limits, as actuators do.",
    "output": "Close the loop with limits=True, which clips commands to the limits, as actuators do.",
}


@dataclass(frozen=True)
class Excess:
    """How an input or output exceeds its limit: when it first does [s], its largest value and the time of that."""

    kind: str
    name: str
    unit: str
    limit: float
    first: float
    value: float
    time: float

    @property
    def share(self) -> float:
        """Largest magnitude, as a multiple of the limit."""
        return abs(self.value) / self.limit

    def __str__(self) -> str:
        over = f"{abs(self.value) - self.limit:.3g} {self.unit}" if self.unit != "1" else f"{self.share - 1:.0%}"
        unit = f" {self.unit}" if self.unit != "1" else ""
        return (
            f"{self.name} exceeds its limit of {self.limit:g}{unit} from t = {self.first:.4g} s on, by up to {over} "
            f"({self.value:.4g}{unit} at t = {self.time:.4g} s)"
        )


def beyond_limits(group: Variables, times: np.ndarray, values: np.ndarray) -> list[Excess]:
    """Return the variables of a group whose values (samples, n) at some times (samples,) [s] exceed their limits."""
    found = []
    for i in np.flatnonzero(np.isfinite(group.limits)):
        limit, size = float(group.limits[i]), np.abs(values[:, i])
        beyond = np.flatnonzero(size > (1 + ROUNDING) * limit)
        if len(beyond):
            worst = int(np.argmax(size))
            at = float(times[beyond].min()), float(values[worst, i]), float(times[worst])
            found.append(Excess(group.kind, group.names[i], group.units[i], limit, *at))
    return found


def warn_of_limits(where: str, runs: Mapping[str, list[Excess]]) -> None:
    """Warn, once, of the inputs that exceed their limits in some runs, each with its worst.

    Parameters
    ----------
    where : str
        The call, for the message.
    runs : dict
        `beyond_limits` of each, by what it is called, as ``"in run 3"``.
    """
    of_inputs: dict[str, list[tuple[str, Excess]]] = {}
    for run, found in runs.items():
        for one in found:
            of_inputs.setdefault(one.name, []).append((run, one))
    texts = []
    for those in of_inputs.values():
        run, worst = max(those, key=lambda case: case[1].share)
        which = f" {run}" if len(those) == 1 else f" in {len(those)} runs, the most {run}"
        texts.append(f"{worst}{which if run else ''}")
    if texts and not is_quiet():
        kinds = {one.kind for found in runs.values() for one in found}
        remedies = " ".join(remedy for kind, remedy in REMEDIES.items() if kind in kinds)
        warn(f"{where}: {'; '.join(texts)}; the arm is driven by them as given. {remedies}", INPUT_LIMITS)
