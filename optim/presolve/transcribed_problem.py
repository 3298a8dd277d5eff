"""The outline of a Pyomo model: the transcriptions of all its trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE

from ..errors import ProblemError
from ..problem.problem import Problem
from .phase_transcription import Transcription


@dataclass(frozen=True, eq=False)
class Outline:
    """What a Pyomo model was made from; it stands there as ``m.outline``.

    Attributes
    ----------
    dae : DAE
    problem : Problem
    runs : tuple of tuple of Transcription
        By scenario, and in it by phase.
    p : ndarray (np,)
        Values of the symbolic parameters where neither scenario nor phase has another; start values of designed ones.
    quasi_static : None, "auto", float or tuple of str
        What was asked to be carried so; what is, stands in the transcriptions.
    """

    dae: DAE
    problem: Problem
    runs: tuple[tuple[Transcription, ...], ...]
    p: np.ndarray
    quasi_static: Any = None

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
        return tuple(t.mesh.intervals for t in self.first)

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
                "its own; take one of outline.runs[scenario][phase]."
            )
        return first

    def __deepcopy__(self, memo: dict) -> Outline:
        return self  # frozen; a cloned Pyomo model is made from the same
