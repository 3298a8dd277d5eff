"""Phase boundaries: the boundary conditions of every phase of a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, nearest
from flexblocks.statics.operating_point import OperatingPoint

from ..errors import ProblemError
from ..problem.phase import Phase
from ..problem.problem import Problem
from .boundary import End
from .boundary_equilibrium import boundary_equilibrium, equilibrium_at, split_prescribed
from .bounds import Limits
from .feasibility.open_base import open_base
from .inverse_statics import Clear, Posture
from .path_values import PathValues


def phase_ends(
    dae: DAE,
    problem: Problem,
    p: Sequence[np.ndarray],
    *,
    design: bool,
    limits: Sequence[Limits],
    paths: Sequence[PathValues],
) -> list[tuple[End, End]]:
    """Return the boundary conditions at both ends of each phase, under the parameters `p` of the phases.

    With a `design` the equilibria depend on variables and are solved for with the motion; so are those of a redundant
    arm whose tip position is prescribed. Of several postures at a place the nearest that keeps the path values of its
    phase, `paths`, is taken.

    Raises
    ------
    ProblemError
        An unknown name; no equilibrium at the start or a goal.
    """
    kind = "rest" if design else "fixed"
    clear = [_keeps(path, phase) for path, phase in zip(paths, problem.phases, strict=True)]
    start = boundary_equilibrium(dae, problem.start, p[0], "plan: start", limits=limits[0], clear=clear[0])
    begin = End(kind, start.point, *split_prescribed(dae, problem.start, "plan: start"), moving=start.moving)
    _refuse_moving(begin, "plan: start", design, 0.0)
    boundaries = []
    for i, phase in enumerate(problem.phases):
        where = "plan: " if len(problem.phases) == 1 else f"plan: phase '{phase.name}': "
        if phase.goal is not None:
            values = p[i + 1] if phase.balance == "next" else p[i]
            if phase.leeway and design:
                raise ProblemError(
                    f"{where}leeway, but the equilibrium there depends on design parameters; leave one of them out."
                )
            goal = boundary_equilibrium(
                dae, phase.goal, values, f"{where}goal", near=begin.point, limits=limits[i], clear=clear[i]
            )
            states, outputs = split_prescribed(dae, phase.goal, f"{where}goal")
            if phase.leeway and outputs:
                raise ProblemError(
                    f"{where}leeway, and {', '.join(outputs)}, which are not coordinates; give the goal by coordinates."
                )
            _refuse_moving(goal, f"{where}goal", design, phase.leeway)
            goal_kind = "near" if phase.leeway else "rest" if goal.freedom else kind
            floats = goal_kind in ("fixed", "near") and dae.tree.has_undriven_base and not goal.moving
            free = open_base(dae, goal.point, states) if floats else ()
            end = End(goal_kind, goal.point, states, outputs, free, goal.moving)
        else:
            end = End("passing", _passed(dae, problem, i, p[i], where), phase.passing or {})
        begin = replace(begin, point=replace(begin.point, p=p[i]))
        boundaries.append((begin, end))
        begin = replace(end, kind="fixed" if end.kind == "fixed" and not end.open else "joined")
    return boundaries


def _keeps(path: PathValues, phase: Phase) -> Clear | None:
    """Return whether a posture keeps all path values of a phase at rest; None if there are none."""
    if not path.rows:
        return None
    time = 0.0 if isinstance(phase.duration, str) else float(np.mean(phase.duration))
    return lambda point: bool(np.all(path.excess(path.at_rest(point, time)) <= 0))


def _refuse_moving(end: End | Posture, where: str, design: bool, leeway: float) -> None:
    """Refuse an end in motion whose posture depends on variables, or that may be missed."""
    if not end.moving:
        return
    for there, what in ((design, "design parameters"), (leeway, "leeway")):
        if there:
            raise ProblemError(f"{where}: {what}, and rates that are not zero; leave one of them out.")


def _passed(dae: DAE, problem: Problem, i: int, p: np.ndarray, where: str) -> OperatingPoint:
    """Return a guess of the end of phase `i`, which ends in motion; unspecified coordinates are interpolated."""
    n, passing = dae.tree.size, problem.phases[i].passing or {}
    for name in passing:
        if name not in dae.x:
            raise ProblemError(
                f"{where}passing: there is no state '{name}' ({listing(dae.x.names)}).{nearest(name, dae.x.names)}"
            )
    postures = [problem.start, *(phase.goal or phase.passing or {} for phase in problem.phases)]
    coordinates = {}
    for name in dict.fromkeys(name for posture in postures for name in posture if name in dae.q_names):
        known = [k for k, posture in enumerate(postures) if name in posture]
        coordinates[name] = float(np.interp(i + 1, known, [postures[k][name] for k in known]))
    point = equilibrium_at(dae, coordinates, p, f"{where}passing")
    x = point.x.copy()
    for name, value in passing.items():
        x[dae.x.index(name)] = value
    x[n : 2 * n] = 0.0
    return replace(point, x=x)
