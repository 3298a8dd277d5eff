"""Request: all that a model of a plan is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flexblocks.dae.dae import DAE

from ..collocation.transcription_options import TranscriptionOptions
from ..infeasibility.penalty import Penalty
from ..model.build import model_of
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.problem import Problem


@dataclass(frozen=True, eq=False)
class Request:
    """All that a model of a plan is made of.

    Attributes
    ----------
    arm : DAE
    problem : Problem
    options : TranscriptionOptions
    p : dict of float
        Values of the symbolic parameters, by name.
    penalty : Penalty, optional
        Of limits that may be violated; by default none may.
    """

    arm: DAE
    problem: Problem
    options: TranscriptionOptions
    p: Mapping[str, float]
    penalty: Penalty | None = None

    @classmethod
    def of(cls, transcribed: TranscribedProblem) -> Request:
        """Return what a transcribed problem was made of."""
        return cls(transcribed.arm, transcribed.problem, transcribed.options, transcribed.parameters)

    def model(self, known: TranscribedProblem) -> Any:
        """Return the unsolved Pyomo model, with the first guess; what a `known` transcription has is not made anew.

        Raises
        ------
        ProblemError
            Start or goal are infeasible, as a goal on a course may be in another time.
        """
        same = self.arm is known.arm and self.problem == known.problem and self.p == known.parameters
        return model_of(self.arm, self.problem, self.options, self.p, known if same else None)

    def has_model_of(self, other: Request) -> bool:
        """Whether both have the same model, but for what a penalty allows."""
        return (
            self.arm is other.arm
            and self.problem == other.problem
            and self.options == other.options
            and self.p == other.p
        )
