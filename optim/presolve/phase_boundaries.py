"""Where the phases of a motion begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.errors import listing, nearest
from flexblocks.statics.operating_point import OperatingPoint

from ..errors import ProblemError
from ..problem.problem import Problem
from .boundary import End
from .boundary_equilibrium import boundary_rest, rest, split_given
from .bounds import Limits


def phase_ends(
    dae: DAE, problem: Problem, p: Sequence[np.ndarray], *, design: bool, limits: Sequence[Limits]
) -> list[tuple[End, End]]:
    """Return how each phase begins and ends, under the parameters `p` of the phases.

    With a `design` the equilibria depend on variables, and stay to be found; so do those of a redundant arm whose tip
    is given.

    Raises
    ------
    ProblemError
        A name that is not there; no equilibrium at a start or goal.
    """
    kind = "rest" if design else "fixed"
    start = boundary_rest(dae, problem.start, p[0], "plan: start", limits=limits[0]).point
    begin = End(kind, start, *split_given(dae, problem.start))
    found = []
    for i, phase in enumerate(problem.phases):
        where = "plan: " if len(problem.phases) == 1 else f"plan: phase '{phase.name}': "
        if phase.goal is not None:
            values = p[i + 1] if phase.balance == "next" else p[i]
            if phase.leeway and design:
                raise ProblemError(
                    f"{where}leeway, but the equilibrium there depends on what is designed; leave one of them out."
                )
            goal = boundary_rest(dae, phase.goal, values, f"{where}goal", near=begin.point, limits=limits[i])
            held, places = split_given(dae, phase.goal)
            if phase.leeway and places:
                raise ProblemError(
                    f"{where}leeway, and {', '.join(places)}, which are no coordinates; give the goal by coordinates."
                )
            own = "near" if phase.leeway else "rest" if goal.freedom else kind
            end = End(own, goal.point, held, places)
        else:
            end = End("passing", _passed(dae, problem, i, p[i], where), phase.passing or {})
        begin = replace(begin, point=replace(begin.point, p=p[i]))
        found.append((begin, end))
        begin = replace(end, kind="fixed" if end.kind == "fixed" else "joined")
    return found


def _passed(dae: DAE, problem: Problem, i: int, p: np.ndarray, where: str) -> OperatingPoint:
    """Return about where phase `i` ends that does not end at rest: what is not said lies between what is said."""
    n, passing = dae.tree.size, problem.phases[i].passing or {}
    for name in passing:
        if name not in dae.x:
            raise ProblemError(
                f"{where}passing: there is no state '{name}' ({listing(dae.x.names)}).{nearest(name, dae.x.names)}"
            )
    places = [problem.start, *(phase.goal or phase.passing or {} for phase in problem.phases)]
    coordinates = {}
    for name in dict.fromkeys(name for place in places for name in place if name in dae.q_names):
        known = [k for k, place in enumerate(places) if name in place]
        coordinates[name] = float(np.interp(i + 1, known, [places[k][name] for k in known]))
    point = rest(dae, coordinates, p, f"{where}passing")
    x = point.x.copy()
    for name, value in passing.items():
        x[dae.x.index(name)] = value
    x[n : 2 * n] = 0.0
    return replace(point, x=x)
