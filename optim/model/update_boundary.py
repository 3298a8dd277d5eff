"""Update of the boundary values of a model: another start and goal, nothing written anew."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ..errors import ProblemError
from ..presolve.transcribe import transcribe
from ..presolve.transcribed_problem import Outline
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from .boundary_conditions import hold_inputs, set_states
from .build import parameters_of
from .trajectories import arcs, outline_of

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
    outline = outline_of(model)
    t = outline.first[0]
    form: Any = {"degree": t.scheme.degree, "scheme": t.scheme.name, "inputs": t.shape.name}
    asked = problem.problem if isinstance(problem, RestToRest) else problem
    _check_alike(outline.problem, asked)
    new = transcribe(
        outline.dae, asked, intervals=outline.intervals, p=parameters_of(outline), quasi_static=None, **form
    )
    _check_known(outline, new)
    runs = tuple(
        tuple(
            replace(old, problem=asked, phase=own.phase, begin=own.begin, end=own.end, passed=own.passed)
            for old, own in zip(*pair, strict=True)
        )
        for pair in zip(outline.runs, new.runs, strict=True)
    )
    for found, transcriptions in zip(arcs(model), runs, strict=True):
        for arc, own in zip(found, transcriptions, strict=True):
            b, before = arc.block, arc.transcription
            for where, k, old, end in (
                ("start", 0, before.begin, own.begin),
                ("goal", own.mesh.intervals, before.end, own.end),
            ):
                if end.kind == "fixed":
                    set_states(b, before, k, old, free=True)
                    set_states(b, own, k, end)
                    if getattr(own, f"holds_{where}") and not own.borrows_inputs:
                        hold_inputs(b, where, k, end)
            b.transcription = own
    model.outline = replace(outline, problem=asked, runs=runs)


def _check_alike(old: Problem, new: Any) -> None:
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


def _check_known(outline: Outline, new: Outline) -> None:
    """Refuse ends of which more than values is another, or that are found with the motion."""
    if outline.first[0].static:
        raise ProblemError(
            f"repose: the model carries modes quasi-statically, which holds its goal by equations; {ELSE}"
        )
    for run, others in zip(outline.runs, new.runs, strict=True):
        for old, own in zip(run, others, strict=True):
            for where, before, after in (("start", old.begin, own.begin), ("goal", old.end, own.end)):
                kinds = {before.kind, after.kind}
                if len(kinds) > 1 or not kinds <= {"fixed", "joined"}:
                    raise ProblemError(
                        f"repose: the {where} of phase '{own.phase.name}' is not a known posture of rest before and "
                        f"after; {ELSE}"
                    )
