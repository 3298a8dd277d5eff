"""Update of boundary values: a model with another start or goal, without rebuilding it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ..errors import ProblemError
from ..presolve.inputs.references import with_planned_names
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.transcribe import transcribe
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from .ends.boundary_conditions import hold_inputs, set_states
from .trajectories import PhaseTrajectory, phase_trajectories, transcribed_problem

ELSE = "build a new model by optim.pyomo_model(dae, problem)."


def repose(model: Any, problem: Problem | RestToRest) -> None:
    """Update a planner's model to another start or other goals.

    Only values of fixed Vars change, so that a persistent solver re-solves the model immediately from the present
    values of its Vars; replays and summaries of ``Plan.from_model(model)`` refer to the new problem.

    Parameters
    ----------
    model : ConcreteModel
        Of `pyomo_model`, solved or not.
    problem : Problem or RestToRest
        The model's problem except for the start and the goals of its phases.

    Raises
    ------
    ProblemError
        Anything else than start and goals differs, or one of these is not a known equilibrium (`passing`, a leeway,
        positions that admit several postures, or design parameters), or there are quasi-static modes.
    FlexblocksError
        Whatever `pyomo_model` refuses.

    Notes
    -----
    Modes that the mesh does not resolve, which goals leave open, stay those of the first goal.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models, optim
    >>> from pyomo.contrib.solver.common.factory import SolverFactory
    >>> start = {"joint1.angle": 0.0, "joint2.angle": 0.0}
    >>> m = optim.pyomo_model(
    ...     fb.assemble(models.subudhi_morris_2002()),
    ...     optim.RestToRest(start, {"joint1.angle": 1.0, "joint2.angle": 0.5}, duration=2.0),
    ...     intervals=20,
    ... )
    >>> solver = SolverFactory("casadi_persistent")
    >>> first = solver.solve(m)
    >>> optim.repose(m, optim.RestToRest(start, {"joint1.angle": 1.05, "joint2.angle": 0.5}, duration=2.0))
    >>> again = solver.solve(m, warm_start=True)
    >>> optim.Plan.from_model(m, again).replay().tip_miss < 1e-3
    True
    """
    transcribed = transcribed_problem(model)
    asked = problem.problem if isinstance(problem, RestToRest) else problem
    if any(transcribed.arm.u.derivative_of):
        asked = with_planned_names(transcribed.arm, asked)
    _check_same_but_boundaries(transcribed.problem, asked)
    options = replace(transcribed.options, quasi_static=None)
    new = transcribe(transcribed.arm, asked, options, transcribed.parameters)
    _check_known_boundaries(transcribed, new)
    runs = tuple(
        tuple(
            replace(
                old,
                problem=asked,
                phase=new_transcription.phase,
                begin=new_transcription.begin,
                end=new_transcription.end,
                passed=new_transcription.passed,
            )
            for old, new_transcription in zip(*pair, strict=True)
        )
        for pair in zip(transcribed.runs, new.runs, strict=True)
    )
    for run, transcriptions in zip(phase_trajectories(model), runs, strict=True):
        for traj, new_transcription in zip(run, transcriptions, strict=True):
            _move_boundaries(traj, new_transcription)
            traj.block.transcription = new_transcription
    model.transcribed = replace(transcribed, problem=asked, runs=runs)


def _move_boundaries(traj: PhaseTrajectory, new: PhaseTranscription) -> None:
    """Fix the known states at both ends to those of a new transcription, and the holding inputs."""
    b, old = traj.block, traj.transcription
    for where, k, before, after in (
        ("start", 0, old.begin, new.begin),
        ("goal", new.mesh.intervals, old.end, new.end),
    ):
        if after.kind != "fixed":
            continue
        set_states(b, old, k, before, free=True)
        set_states(b, new, k, after)
        if getattr(new, f"holds_{where}") and not new.borrows_inputs:
            hold_inputs(b, where, k, after)


def _check_same_but_boundaries(old: Problem, new: Any) -> None:
    """Refuse a problem that differs in anything but start and goals."""
    if not isinstance(new, Problem):
        raise ProblemError(f"repose: problem = {new!r}; must be an optim.RestToRest(...) or optim.Problem(...).")
    others = _differing(old, new, "start", "phases")
    if len(old.phases) != len(new.phases):
        others.append("phases")
    for before, after in zip(old.phases, new.phases, strict=False):
        others += [f"{name} of phase '{before.name}'" for name in _differing(before, after, "goal", "courses")]
    if others:
        raise ProblemError(f"repose: the problem has another {', another '.join(others)} than the model; {ELSE}")


def _differing(old: Any, new: Any, *but: str) -> list[str]:
    names = [field.name for field in fields(old) if field.compare and field.name not in but]
    return [name for name in names if getattr(old, name) != getattr(new, name)]


def _check_known_boundaries(old: TranscribedProblem, new: TranscribedProblem) -> None:
    """Refuse boundaries that differ in more than values, or that are solved for with the motion."""
    if old.first[0].static.names:
        raise ProblemError(f"repose: the model has quasi-static modes, whose goal is imposed by constraints; {ELSE}")
    for run, others in zip(old.runs, new.runs, strict=True):
        for one, other in zip(run, others, strict=True):
            for where, before, after in (("start", one.begin, other.begin), ("goal", one.end, other.end)):
                kinds = {before.kind, after.kind}
                if len(kinds) > 1 or not kinds <= {"fixed", "joined"}:
                    raise ProblemError(
                        f"repose: the {where} of phase '{other.phase.name}' is not a known equilibrium both before "
                        f"and after; {ELSE}"
                    )
