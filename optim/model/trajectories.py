"""Phase trajectories of a Pyomo model: one for each phase of each scenario."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexblocks.statics.operating_point import OperatingPoint

from ..collocation.mesh import Mesh
from ..errors import ProblemError
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.transcribed_problem import TranscribedProblem
from .ends.boundary_conditions import values_at


@dataclass(frozen=True, eq=False)
class PhaseTrajectory:
    """The trajectory of one phase of one scenario: its Pyomo block and its transcription."""

    block: Any
    transcription: PhaseTranscription

    @property
    def mesh(self) -> Mesh:
        """The mesh at the present duration of the model."""
        t = self.transcription
        return t.mesh.lasting(self.block.T.value) if t.is_free else t.mesh

    @property
    def p(self) -> np.ndarray:
        """The parameters (np,), design parameters at their present values."""
        t = self.transcription
        return with_values(t.p, t, self.block)

    @property
    def start(self) -> OperatingPoint:
        """The initial operating point: the known equilibrium, or the present states of the model."""
        return self._end("start")

    @property
    def goal(self) -> OperatingPoint:
        """The final operating point: the known equilibrium, or the present states of the model."""
        return self._end("goal")

    def _end(self, where: str) -> OperatingPoint:
        t, b = self.transcription, self.block
        end, k = (t.begin, 0) if where == "start" else (t.end, t.mesh.intervals)
        if end.kind in ("fixed", "near"):
            if not (end.open or end.loose):
                return end.point
            # A floating base is where the motion has taken it, and moves on as it does.
            n = t.dae.tree.size
            x, moving = end.point.x.copy(), [n + i for i in end.open if end.moving]
            open_ = [*end.open, *end.loose, *moving]
            x[open_] = values_at(b, t, k)[open_]
            return replace(end.point, x=x)
        point = replace(end.point, x=values_at(b, t, k), p=with_values(end.point.p, t, b))
        if end.is_rest:
            n = t.dae.tree.size
            point.x[n : 2 * n] = 0.0  # rates that follow from closed loops are rounding
        if end.kind not in ("rest", "course"):
            return point
        if where == "goal" and t.static.names:
            n = t.dae.tree.size
            point.x[:n] = _values(b.goal_rest.values())
            if end.moving:
                point.x[n : 2 * n] = _values(b.goal_rest_rates.values())
        u, z = (getattr(b, f"{where}_{group}").values() for group in ("inputs", "algebraics"))
        return replace(point, u=_values(u), z=_values(z))


def phase_trajectories(m: Any) -> tuple[tuple[PhaseTrajectory, ...], ...]:
    """Return the phase trajectories of a planner's model, by scenario, then by phase.

    Their blocks are ``m.scenario[i].phase[name]``; with a single scenario or phase that level is omitted.

    Raises
    ------
    ProblemError
        The model was not made by `pyomo_model`.
    """
    transcribed = transcribed_problem(m)
    scenarios = m.scenario.values() if len(transcribed.runs) > 1 else [m]
    several = len(transcribed.first) > 1
    blocks = [list(scenario.phase.values()) if several else [scenario] for scenario in scenarios]
    return tuple(tuple(PhaseTrajectory(b, b.transcription) for b in run) for run in blocks)


def all_phase_trajectories(m: Any) -> tuple[PhaseTrajectory, ...]:
    """Return the phase trajectories of a planner's model in one sequence."""
    return tuple(traj for run in phase_trajectories(m) for traj in run)


def transcribed_problem(model: Any) -> TranscribedProblem:
    """Return the transcribed problem that a Pyomo model was built from.

    Raises
    ------
    ProblemError
        The model was not made by `pyomo_model`.
    """
    transcribed = getattr(model, "transcribed", None)
    if not isinstance(transcribed, TranscribedProblem):
        raise ProblemError(f"Plan: {model!r} was not made by optim.pyomo_model(dae, problem); build the model with it.")
    return transcribed


def with_values(p: np.ndarray, t: PhaseTranscription, b: Any) -> np.ndarray:
    """Return the parameters `p` with the present values of the design parameters on the block `b`.

    Within their bounds, which the solver exceeds by 1e-8: of a mass from 0 on, a little less would be none.
    """
    parameters = p.copy()
    for i, name in zip(t.designed, t.design_names, strict=True):
        parameters[i] = within_bounds(b.p[name])
    return parameters


def within_bounds(variable: Any) -> float:
    """Return the value of a Var, or the bound that it is beyond."""
    value = float(variable.value)
    value = value if variable.lb is None else max(value, variable.lb)
    return value if variable.ub is None else min(value, variable.ub)


def _values(variables: Any) -> np.ndarray:
    return np.array([variable.value for variable in variables], dtype=float)
