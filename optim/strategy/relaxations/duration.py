"""Free durations: least effort at durations that are feasible for the rigid arm."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...collocation.transcription_options import AUTO
from ..relaxation import Found, Relaxation
from ..request import Request
from ..start_options import from_other_objective
from .modes import may_lack_dynamics
from .objective import SMOOTHING, effort, label

# Durations as multiples of what the rigid arm needs on a quintic at its limits: a flexible arm takes longer, and if one
# fails the next is easier. By trial.
STRETCHES = (1.25, 1.8, 2.6)


class Duration(Relaxation):
    """Fixed durations in place of free ones, the n-th at level n.

    As it is but a start, modes that the mesh leaves unresolved have no dynamics in it, if they are more than there are
    inputs. A target on a course may be out of reach in a longer time; where it is met first, it is within reach.
    """

    name = "duration"
    keeps_limits = True

    def __init__(self, asked: Request, model: Any) -> None:
        super().__init__(asked, model)
        self.is_raised_first = self.transcribed.is_free
        if self.is_raised_first:
            passes = any(phase.courses for phase in self.transcribed.problem.phases)
            stretches = (*STRETCHES, *([1.0] if passes else []))
            self._durations = list(dict.fromkeys(map(self._stretched, stretches)))
            self._treatment = AUTO if may_lack_dynamics(self.transcribed) else False

    def _stretched(self, stretch: float) -> tuple[float, ...]:
        ranges = [t.duration_range or (t.mesh.duration,) * 2 for t in self.transcribed.first]
        lasting = [t.mesh.duration * stretch for t in self.transcribed.first]
        return tuple(min(max(duration, low), high) for duration, (low, high) in zip(lasting, ranges, strict=True))

    def easier(self, request: Request, level: float) -> float:
        return level + 1 if self.is_raised_first and level < len(self._durations) else 0.0

    def at(self, request: Request, level: float) -> Request:
        durations = self._durations[int(level) - 1]
        problem = request.problem.lasting(durations, effort(self.transcribed, SMOOTHING * sum(durations)))
        options = request.options
        if options.quasi_static is None:
            options = replace(options, quasi_static=self._treatment)
        return replace(request, problem=problem, options=options)

    def words(self, level: float) -> str:
        if not level:
            return label(self.asked.problem.objective)
        return f"least effort in {' + '.join(f'{duration:.4g}' for duration in self._durations[int(level) - 1])} s"

    def options(self, found: Found, target: float) -> dict[str, Any]:
        return from_other_objective(self.transcribed)
