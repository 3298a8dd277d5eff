"""Trajectories of a Pyomo model: one for each phase of each scenario."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexblocks.statics.operating_point import OperatingPoint

from ..collocation.mesh import Mesh
from ..errors import ProblemError
from ..presolve.phase_transcription import Transcription
from ..presolve.transcribed_problem import TranscribedProblem
from .boundary_conditions import values_at


@dataclass(frozen=True, eq=False)
class PhaseTrajectory:
    """One phase of one scenario: the Pyomo block of its trajectory, and the transcription behind it."""

    block: Any
    transcription: Transcription

    @property
    def mesh(self) -> Mesh:
        """The mesh at the duration that the model has."""
        t = self.transcription
        return t.mesh.lasting(self.block.T.value) if t.is_free else t.mesh

    @property
    def p(self) -> np.ndarray:
        """The parameters (np,), those that are designed with the values that the model has."""
        t = self.transcription
        return with_values(t.p, t, self.block)

    @property
    def start(self) -> OperatingPoint:
        """Where it begins: the equilibrium, or the states that the model has."""
        return self._end("start")

    @property
    def goal(self) -> OperatingPoint:
        """Where it ends: the equilibrium, or the states that the model has."""
        return self._end("goal")

    def _end(self, where: str) -> OperatingPoint:
        t, b = self.transcription, self.block
        end, k = (t.begin, 0) if where == "start" else (t.end, t.mesh.intervals)
        if end.kind in ("fixed", "near"):
            return end.point
        found = replace(end.point, x=values_at(b, t, k), p=with_values(end.point.p, t, b))
        if end.kind != "rest":
            return found
        if where == "goal" and t.static.names:
            found.x[: t.dae.tree.size] = _values(b.goal_rest.values())
        u, z = (getattr(b, f"{where}_{group}").values() for group in ("inputs", "algebraics"))
        return replace(found, u=_values(u), z=_values(z))


def arcs(m: Any) -> tuple[tuple[PhaseTrajectory, ...], ...]:
    """Return the arcs of a planner's model, by scenario and in it by phase.

    They live on ``m.scenario[i].phase[name]``; where there is one scenario or one phase, that level is left out.

    Raises
    ------
    ProblemError
        The model does not come from `pyomo_model`.
    """
    transcribed = transcribed_problem(m)
    scenarios = m.scenario.values() if len(transcribed.runs) > 1 else [m]
    several = len(transcribed.first) > 1
    blocks = [list(scenario.phase.values()) if several else [scenario] for scenario in scenarios]
    return tuple(tuple(PhaseTrajectory(b, b.transcription) for b in run) for run in blocks)


def all_arcs(m: Any) -> tuple[PhaseTrajectory, ...]:
    """Return the arcs of a planner's model in one row."""
    return tuple(arc for run in arcs(m) for arc in run)


def transcribed_problem(model: Any) -> TranscribedProblem:
    """Return what a Pyomo model was made from.

    Raises
    ------
    ProblemError
        It does not come from `pyomo_model`.
    """
    found = getattr(model, "transcribed", None)
    if not isinstance(found, TranscribedProblem):
        raise ProblemError(f"Plan: {model!r} was not made by optim.pyomo_model(dae, problem); make it so.")
    return found


def with_values(p: np.ndarray, t: Transcription, b: Any) -> np.ndarray:
    """Return the parameters `p` with the values that designed ones have on the block `b`."""
    found = p.copy()
    for place, name in zip(t.designed, t.design_names, strict=True):
        found[place] = b.p[name].value
    return found


def _values(variables: Any) -> np.ndarray:
    return np.array([variable.value for variable in variables], dtype=float)
