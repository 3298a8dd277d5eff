"""Infeasibility diagnosis: solve the elastic relaxation of a planner's model and report conflicting limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo

from flexblocks.progress import ProgressDisplay

from ..casadi_solver import CasadiSolver
from ..model.trajectories import phase_trajectories, transcribed_problem
from ..presolve.refusals.shared_inputs import scenarios_apart
from ..presolve.rigid_motion.duration_estimate import LONGEST, estimated_duration
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.known_motion import moving_names
from ..problem.objectives import Time
from ..solver_statistics import CONVERGED, statistics, status_of
from ..tolerances import FEASIBLE
from .conflict import Conflict, conflict
from .penalty import Elastic, relax
from .rigid_estimate import rigid_estimate
from .suspicion import in_degrees

MOST_ITERATIONS = 500  # as the strategies' `patience`
NOT_LEAST = "The solver stopped before it knew the least: there is a motion that exceeds its limits by this."


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """The solution of an elastic relaxation.

    Attributes
    ----------
    conflict : Conflict or None
        None if no optimum was found.
    elastic : Elastic
    status : str
    iterations : int or None
    duration : float
        [s]
    violation : float
        The minimised sum of relative violations.
    """

    conflict: Conflict | None
    elastic: Elastic
    status: str
    iterations: int | None
    duration: float
    violation: float

    def load(self, model: Any) -> None:
        """Set the Vars of the original model to the solution."""
        for variables in model.component_objects(pyo.Var, descend_into=True):
            twin = self.elastic.model.find_component(variables)
            for index, variable in variables.items():
                if not variable.fixed:
                    variable.set_value(twin[index].value, skip_validation=True)


def diagnose(model: Any, *, max_iter: int = MOST_ITERATIONS) -> Conflict | None:
    """Diagnose the conflicting limits of a model of `pyomo_model`, including everything added to it.

    The model itself is not changed. A copy is solved from its present values with limits that may be violated at a
    penalty: the least total violation identifies the limits to relax, and multipliers those that they conflict with.
    The optimum is local: another motion may violate less.

    Parameters
    ----------
    model : ConcreteModel
    max_iter : int

    Returns
    -------
    Conflict or None
        None if the relaxed problem could not be solved either.

    Raises
    ------
    ProblemError
        The model was not made by `pyomo_model`.
    """
    return diagnosis(model, max_iter=max_iter).conflict


def diagnosis(model: Any, *, max_iter: int = MOST_ITERATIONS, time_limit: float | None = None) -> Diagnosis:
    """Solve the elastic relaxation of a model; see `diagnose`."""
    transcribed = transcribed_problem(model)
    elastic = relax(model)
    with ProgressDisplay(f"Planning {transcribed.dae.name}, limits relaxed", None, None) as display:
        results: Any = CasadiSolver().solve(
            elastic.model,
            iteration_callback=lambda iteration: display.update(str(iteration)),
            solver_options={"max_iter": max_iter},
            time_limit=time_limit,
            raise_exception_on_nonoptimal_result=False,
        )
    status = status_of(results)
    report = None
    what = task(transcribed)
    if status == CONVERGED:
        report = conflict(elastic, results.solution_loader.get_duals(), what, remarks(transcribed))
    elif (figures := statistics(model, results)).infeasibility is not None and figures.infeasibility <= FEASIBLE:
        # A motion that exceeds its limits by this, if not the least
        report = conflict(elastic, {}, what, [*remarks(transcribed), NOT_LEAST])
        report = report if report.giving else None
    return Diagnosis(
        conflict=report,
        elastic=elastic,
        status=status,
        iterations=statistics(model, results).iterations,
        duration=sum(traj.mesh.duration for traj in phase_trajectories(elastic.model)[0]),
        violation=float(elastic.violation()),
    )


def task(transcribed: TranscribedProblem) -> str:
    """Return the prescribed motion in words."""
    problem = transcribed.problem
    begin = "periodic motion through" if problem.periodic else "motion from rest at"
    parts = [f"the {begin} {_places(problem.start)}"]
    for t in transcribed.first:
        where = t.phase.goal or t.phase.passing
        there = f"{'rest at' if t.phase.goal else 'passing'} {_places(where)}" if where else "anywhere"
        there = "where it began" if problem.periodic and t is transcribed.first[-1] else there
        parts.append(f"to {there}{'' if t.is_free else f' in {t.mesh.duration:.4g} s'}")
    return " ".join(parts)


def remarks(transcribed: TranscribedProblem) -> list[str]:
    """Return remarks on durations, from the rigid arm, and on conserved momenta of scenarios with shared inputs."""
    texts = [text for text in (in_degrees(transcribed.dae, transcribed.problem),) if text]
    if not transcribed.dae.tree.loops.closures:
        apart = scenarios_apart(transcribed)
        if apart is not None:
            texts.append(
                f"As far as small motions go, no shared inputs move the scenarios {apart} together, whatever the "
                "limits: plan them separately, or give the phase a leeway."
            )
    for t in transcribed.first if not moving_names(transcribed.problem.prescribed) else ():
        quick = transcribed.problem.lasting(["free"] * len(transcribed.first), Time())
        phase = quick.phases[transcribed.first.index(t)]
        estimate = estimated_duration(t.dae, quick, phase, t.limits, t.start, t.goal)
        longest = t.mesh.duration if t.duration_range is None else t.duration_range[1]
        if t.end.is_rest and longest < estimate < 0.9 * LONGEST:
            where = f" phase '{phase.name}'" if len(transcribed.first) > 1 else ""
            texts.append(f"As if rigid, on a quintic, the arm would keep its limits{where} in {estimate:.3g} s.")
    return texts


def estimate(model: Any) -> Conflict | None:
    """Return the limits that the rigid arm would exceed, for a model whose solves all failed; None if none."""
    transcribed = transcribed_problem(model)
    return rigid_estimate(transcribed, task(transcribed), remarks(transcribed))


def _places(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:.4g}" for name, value in values.items())
