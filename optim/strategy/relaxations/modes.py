"""Unresolved modes: vibrations too fast for the mesh to follow are quasi-static."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...collocation.transcription_options import AUTO
from ...ipopt_options import USUAL_CONVEXITY
from ...presolve.quasi_static_modes import more_than_inputs
from ...presolve.transcribed_problem import TranscribedProblem
from ..relaxation import Found, Relaxation
from ..request import Request

# Iterations of a first solve with the dynamics of all modes where these are more than the inputs: two thirds of random
# arms take 4 to 50, others some hundreds. With goals in between, whose conditions on these modes are hardly
# independent, those that converge take 7 to 20.
TRIAL, TRIAL_WITH_MORE_GOALS = 120, 30


class Modes(Relaxation):
    """Modes that the mesh leaves unresolved, where these are more than the inputs that bring them to rest."""

    name = "modes"
    stays = True

    def __init__(self, asked: Request, model: Any) -> None:
        super().__init__(asked, model)
        self.applies = may_lack_dynamics(self.transcribed)
        if self.applies:
            self.trial = TRIAL_WITH_MORE_GOALS if len(self.transcribed.first) > 1 else TRIAL

    def easier(self, request: Request, level: float) -> float:
        return 1.0 if self.applies and not level and request.options.quasi_static is None else 0.0

    def lower(self, found: Found) -> float:
        return 1.0  # what gives them back their dynamics is a finer mesh

    def at(self, request: Request, level: float) -> Request:
        return replace(request, options=replace(request.options, quasi_static=AUTO))

    def guess_options(self) -> dict[str, Any]:
        return dict(USUAL_CONVEXITY) if self.applies else {}

    def words(self, level: float) -> str:
        return "with quasi-static modes where the mesh resolves too few" if level else "with the dynamics of all modes"


def are_beyond_inputs(transcribed: TranscribedProblem) -> bool:
    """Whether the mesh leaves more modes unresolved than inputs can bring to their conditions at an end."""
    at, step = transcribed.first[0].start, shortest_step(transcribed)
    return transcribed.options.quasi_static is None and more_than_inputs(transcribed.dae, at, step)


def may_lack_dynamics(transcribed: TranscribedProblem) -> bool:
    """Whether modes have more conditions than inputs can meet, and can be quasi-static: not with closed loops."""
    return not transcribed.dae.tree.loops.closures and are_beyond_inputs(transcribed)


def shortest_step(transcribed: TranscribedProblem) -> float:
    """Return the length of the shortest interval of all phases [s]."""
    return min(float(t.mesh.steps.min()) for t in transcribed.first)
