"""Transcribed problem: all data of a motion that are fixed before the optimisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexblocks.dae.dae import DAE

from ..collocation.transcription_options import TranscriptionOptions
from ..errors import ProblemError
from ..problem.objectives.objective import Objective
from ..problem.problem import Problem
from .boundary import Ends
from .phase_transcription import PhaseTranscription


@dataclass(frozen=True, eq=False)
class TranscribedProblem:
    """The transcribed problem that a Pyomo model is built from, its attribute ``m.transcribed``.

    Attributes
    ----------
    dae : DAE
        With the inputs of the plan alone, see `planned_arm`, and its references integrated, see
        `flexblocks.dae.integrated_references`.
    problem : Problem
    runs : tuple of tuple of PhaseTranscription
        By scenario, then by phase.
    p : ndarray (np,)
        Values of the symbolic parameters unless a scenario or phase overrides them; start values of design parameters.
    options : TranscriptionOptions
        The transcription options, with a number of intervals for each phase.
    arm : DAE
        As it was passed in.
    """

    dae: DAE
    problem: Problem
    runs: tuple[tuple[PhaseTranscription, ...], ...]
    p: np.ndarray
    options: TranscriptionOptions
    arm: DAE

    @property
    def first(self) -> tuple[PhaseTranscription, ...]:
        """The phases of the first scenario, whose meshes, inputs and durations all scenarios share."""
        return self.runs[0]

    @property
    def phases(self) -> list[PhaseTranscription]:
        """The phases of all scenarios."""
        return [t for run in self.runs for t in run]

    @property
    def ends(self) -> Ends:
        """The boundary conditions at both ends of every phase, by scenario."""
        return [[(t.begin, t.end) for t in run] for run in self.runs]

    @property
    def objective(self) -> Objective:
        """The objective functional, with the weights that depend on the arm and on the duration of the whole motion."""
        return self.first[0].objective.lasting(sum(t.mesh.duration for t in self.first))

    @property
    def is_free(self) -> bool:
        """Whether the duration of any phase is a variable."""
        return any(t.is_free for t in self.first)

    @property
    def is_effort(self) -> bool:
        """Whether nothing but inputs and time have a cost."""
        terms, inputs = (term for _, term in self.problem.objective.terms), self.dae.u.names
        return all(term.input_weights(inputs) or term.time_weight for term in terms)

    @property
    def inputs_are_few(self) -> bool:
        """Whether the inputs may have fewer values on these intervals than there are states at the ends of phases."""
        return len(self.dae.u) * (sum(self.intervals) - 1) < len(self.dae.x) * len(self.phases)

    @property
    def intervals(self) -> tuple[int, ...]:
        """Number of mesh intervals of each phase."""
        return self.options.counts

    @property
    def parameters(self) -> dict[str, float]:
        """The symbolic parameters unless a scenario or phase overrides them, by name."""
        return dict(zip(self.dae.p.names, self.p.tolist(), strict=True))

    @property
    def only(self) -> PhaseTranscription:
        """The phase transcription of a problem with one phase and one scenario.

        Raises
        ------
        ProblemError
            There is more than one.
        """
        (first, *more), *others = self.runs
        if more or others:
            raise ProblemError(
                f"Plan: there are {len(self.runs)} scenarios of {len(self.first)} phases, each with its own "
                "transcription; take one of transcribed.runs[scenario][phase]."
            )
        return first

    def __deepcopy__(self, memo: dict) -> TranscribedProblem:
        return self  # frozen, so clones of a Pyomo model share it
