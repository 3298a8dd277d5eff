"""The memory of a receding horizon, which is part of the state of the closed loop: names, units, where what is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flexblocks.interfaces.variables import Variables, variables

STAGES = 2
# In the order of the C code.
COUNTERS = (
    "steps",
    "saturated",
    "qp_iterations",
    "most_qp_iterations",
    "second_iterations",
    "shifted_plans",
    "stabilised",
    "resets",
    "limited_references",
    "unknown_samples",
)


@dataclass(frozen=True)
class Layout:
    """Sizes of the memory.

    Attributes
    ----------
    states, rates, inputs : tuple of str
        Names of the model's states, of the unknown rates of a stage, of the inputs.
    state_units, input_units : tuple of str
    coordinates : int
    intervals, delay : int
        The second in samples.
    """

    states: tuple[str, ...]
    rates: tuple[str, ...]
    inputs: tuple[str, ...]
    state_units: tuple[str, ...]
    input_units: tuple[str, ...]
    coordinates: int
    intervals: int
    delay: int

    def _indexed(self, what: str, names: Sequence[str], units: Sequence[str], count: int) -> list[tuple[str, str]]:
        pairs = list(zip(names, units, strict=True))
        return [(f"{what}[{k}].{name}", unit) for k in range(count) for name, unit in pairs]

    @cached_property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """Names and units of all entries, in the order of the C code."""
        none = ["1"] * len(self.rates)
        stages = [f"{name}.{stage + 1}" for stage in range(STAGES) for name in self.rates]
        return (
            *self._indexed("plan", self.states, self.state_units, self.intervals + 1),
            *self._indexed("plan", self.inputs, self.input_units, self.intervals),
            *self._indexed("stage", stages, none * STAGES, self.intervals),
            *self._indexed("last", self.inputs, self.input_units, 1),
            *self._indexed("pending", self.inputs, self.input_units, self.delay + 1),
            *self._indexed("expected", self.states, self.state_units, 1),
            *[(f"force[{i}]", "N or N.m") for i in range(self.coordinates)],
            ("time", "s"),
            ("begun", "1"),
            ("failing", "1"),
            *[(name, "1") for name in COUNTERS],
        )

    def __len__(self) -> int:
        return len(self.entries)

    def variables(self, name: str) -> Variables:
        """Return the memory as states of a law, at zero: a run begins with a plan of its own."""
        return variables("state", [(f"{name}.{entry}", unit, 0.0) for entry, unit in self.entries])
