"""The transcribed problem: everything about all trajectories of a motion that is not to be optimised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE

from ..collocation.transcription_options import TranscriptionOptions
from ..errors import ProblemError
from ..problem.problem import Problem
from .phase_transcription import Transcription


@dataclass(frozen=True, eq=False)
class TranscribedProblem:
    """What a Pyomo model is made from; it stands there as ``m.transcribed``.

    Attributes
    ----------
    dae : DAE
    problem : Problem
    runs : tuple of tuple of Transcription
        By scenario, and in it by phase.
    p : ndarray (np,)
        Values of the symbolic parameters where neither scenario nor phase has another; start values of designed ones.
    options : TranscriptionOptions
        As they were asked for, with a number of intervals for each phase.
    """

    dae: DAE
    problem: Problem
    runs: tuple[tuple[Transcription, ...], ...]
    p: np.ndarray
    options: TranscriptionOptions

    @property
    def first(self) -> tuple[Transcription, ...]:
        """The phases of the first scenario; all scenarios have their meshes, inputs and durations."""
        return self.runs[0]

    @property
    def is_free(self) -> bool:
        """Whether some duration is a variable."""
        return any(t.is_free for t in self.first)

    @property
    def intervals(self) -> tuple[int, ...]:
        """Number of mesh intervals of each phase."""
        return self.options.counts

    @property
    def parameters(self) -> dict[str, float]:
        """The symbolic parameters where neither scenario nor phase has another value, by name."""
        return dict(zip(self.dae.p.names, self.p.tolist(), strict=True))

    @property
    def only(self) -> Transcription:
        """The only transcription.

        Raises
        ------
        ProblemError
            There are several.
        """
        (first, *more), *others = self.runs
        if more or others:
            raise ProblemError(
                f"Plan: there are {len(self.runs)} scenarios of {len(self.first)} phases, each with a transcription of "
                "its own; take one of transcribed.runs[scenario][phase]."
            )
        return first

    def __deepcopy__(self, memo: dict) -> TranscribedProblem:
        return self  # frozen; a cloned Pyomo model is made from the same
