"""Time: the duration of the motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .objective import Objective, PhaseModel


@dataclass(frozen=True)
class Time(Objective):
    """The duration of the motion [s], which must be free."""

    is_shared: ClassVar[bool] = True
    word: ClassVar[str] = "time"

    @property
    def time_weight(self) -> float:
        return 1.0

    def cost(self, phase: PhaseModel) -> Any:
        return phase.duration

    def __str__(self) -> str:
        return "time, the duration"
