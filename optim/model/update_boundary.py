"""Update of the boundary values of a model: another start and goal, nothing written anew."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ..errors import ProblemError
from ..presolve.phase_transcription import Transcription
from ..presolve.transcribe import transcribe
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from .boundary_conditions import hold_inputs, set_states
from .trajectories import PhaseTrajectory, arcs, transcribed_problem

ELSE = "make a new model by optim.pyomo_model(dae, problem)."


def repose(model: Any, problem: Problem | RestToRest) -> None:
    """Pose a problem with another start or other goals on a model of the planner.

    Fixed Vars are fixed elsewhere and nothing is written anew, so that a persistent solver solves it again at once,
    from the values that the Vars have; replays and summaries of ``Plan.from_model(model)`` are of the new problem.

    Parameters
    ----------
    model : ConcreteModel
        Of `pyomo_model`, solved or not.
    problem : Problem or RestToRest
        The model's own, but for the start and the goals of its phases.

    Raises
    ------
    ProblemError
        Something else than start and goals is another, or one of these is no known posture of rest (`passing`, a
        leeway, places that leave a choice of postures, or designed parameters), or modes are carried quasi-statically.
    FlexblocksError
        What `pyomo_model` refuses.

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
    _check_same_but_boundaries(transcribed.problem, asked)
    options = replace(transcribed.options, quasi_static=None)
    new = transcribe(transcribed.dae, asked, options, transcribed.parameters)
    _check_known_boundaries(transcribed, new)
    runs = tuple(
        tuple(
            replace(old, problem=asked, phase=own.phase, begin=own.begin, end=own.end, passed=own.passed)
            for old, own in zip(*pair, strict=True)
        )
        for pair in zip(transcribed.runs, new.runs, strict=True)
    )
    for run, transcriptions in zip(arcs(model), runs, strict=True):
        for arc, own in zip(run, transcriptions, strict=True):
            _move_boundaries(arc, own)
            arc.block.transcription = own
    model.transcribed = replace(transcribed, problem=asked, runs=runs)


def _move_boundaries(arc: PhaseTrajectory, new: Transcription) -> None:
    """Fix the known states at both ends of a trajectory where a new transcription has them, and what holds them."""
    b, old = arc.block, arc.transcription
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
    """Refuse a problem that differs in something else than start and goals."""
    if not isinstance(new, Problem):
        raise ProblemError(f"repose: problem = {new!r}; must be an optim.RestToRest(...) or optim.Problem(...).")
    others = _differing(old, new, "start", "phases")
    if len(old.phases) != len(new.phases):
        others.append("phases")
    for before, after in zip(old.phases, new.phases, strict=False):
        others += [f"{name} of phase '{before.name}'" for name in _differing(before, after, "goal")]
    if others:
        raise ProblemError(f"repose: the problem has another {', another '.join(others)} than the model; {ELSE}")


def _differing(old: Any, new: Any, *but: str) -> list[str]:
    names = [field.name for field in fields(old) if field.compare and field.name not in but]
    return [name for name in names if getattr(old, name) != getattr(new, name)]


def _check_known_boundaries(old: TranscribedProblem, new: TranscribedProblem) -> None:
    """Refuse ends of which more than values is another, or that are found with the motion."""
    if old.first[0].static.names:
        raise ProblemError(
            f"repose: the model carries modes quasi-statically, which holds its goal by equations; {ELSE}"
        )
    for run, others in zip(old.runs, new.runs, strict=True):
        for one, other in zip(run, others, strict=True):
            for where, before, after in (("start", one.begin, other.begin), ("goal", one.end, other.end)):
                kinds = {before.kind, after.kind}
                if len(kinds) > 1 or not kinds <= {"fixed", "joined"}:
                    raise ProblemError(
                        f"repose: the {where} of phase '{other.phase.name}' is not a known posture of rest before and "
                        f"after; {ELSE}"
                    )
