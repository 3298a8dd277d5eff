"""Robust plans: several scenarios that share their inputs, begun from the plan of their mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.user_warning import warn

from ..collocation.transcription_options import AUTO
from ..errors import PlanError, PlanWarning
from ..model.initial_guess import set_guess
from ..model.trajectories import all_phase_trajectories, transcribed_problem
from ..presolve.quasi_static_modes import fast_modes
from ..presolve.transcribed_problem import TranscribedProblem
from ..results.attempt import Attempt
from ..results.plan import Plan
from .leeway import largest_energy, may_have_leeway, tell_leeway, with_leeway
from .solving import Solving, attempts_of
from .unresolved_modes import shortest_step
from .warm_start import start_all_from, start_from

SAME = 1e-9  # rad or m, or of the coordinate: rounding

Alone = Callable[[Any, Solving], Plan]


def solve_scenarios(model: Any, solving: Solving, alone: Alone) -> Plan:
    """Solve for the mean of the scenarios, and for all of them from there.

    All come to rest exactly if the inputs can bring all fast modes there, otherwise up to a leeway: first the one that
    counts as nothing (`Criteria`); if that fails, the largest, which is tightened from solve to solve. The leeway is a
    share of the largest kinetic energy of the mean scenario. A warning tells it, and the summary does. Where the mean
    was solved without the dynamics of modes that the mesh does not resolve, so are all scenarios first.

    Parameters
    ----------
    model : pyomo.environ.ConcreteModel
        Of all scenarios.
    solving : Solving
    alone : callable
        (model, solving) -> Plan of a single scenario.

    Raises
    ------
    PlanError
        Not even with the largest leeway was an optimum reached.
    """
    transcribed, settings = transcribed_problem(model), solving.settings
    mean = replace(solving, p=_mean_parameters(transcribed), plans=[])
    alike, one = (mean.like(transcribed, replace(transcribed.problem, scenarios=())) for _ in range(2))
    _go_straight(alike)
    source = alone(one, mean)
    _tell_places(transcribed)
    attempts = source.attempts
    if transcribed.options.quasi_static is None and source.transcribed.options.quasi_static == AUTO:
        try:
            return _quasi_statically(transcribed, solving, mean, source)
        except PlanError as error:
            attempts = attempts_of(error)
    if not may_have_leeway(transcribed) or not _is_overdetermined(transcribed):
        start_all_from(model, source.model, alike)
        patience = {"max_iter": settings.exact_patience} if may_have_leeway(transcribed) else {}
        try:
            return solving.attempt_near("all scenarios, from there", model, attempts, **patience)
        except PlanError as error:
            attempts = attempts_of(error)
            if not patience:
                raise
    energy = largest_energy(source.model)

    def from_one(easier: Any) -> None:
        start_all_from(easier, source.model, alike)

    largest, *smaller = (share * energy for share in settings.leeways)
    try:
        best = _with_leeway(transcribed, solving, smaller[-1], from_one, attempts, settings.exact_patience)
    except PlanError as error:
        best = _with_leeway(transcribed, solving, largest, from_one, attempts_of(error), settings.patience)
        best = _tightened(transcribed, solving, best, smaller)
    tell_leeway(best, energy)
    return best


def _quasi_statically(transcribed: TranscribedProblem, solving: Solving, mean: Solving, source: Plan) -> Plan:
    """Solve for all scenarios without the dynamics of modes that the mesh does not resolve, as for their mean."""
    model = solving.like(transcribed, quasi_static=AUTO)
    alike = mean.like(transcribed, replace(transcribed.problem, scenarios=()), quasi_static=AUTO)
    _go_straight(alike)
    start_all_from(model, source.model, alike)
    what, patience = "all scenarios likewise, from there", solving.settings.static_patience
    return solving.attempt_near(what, model, source.attempts, max_iter=patience)


def _go_straight(alike: Any) -> None:
    """Set the first guess as that of the scenarios, which it is compared with."""
    for traj in all_phase_trajectories(alike):
        set_guess(traj.block, traj.transcription, straight=True)


def _with_leeway(
    transcribed: TranscribedProblem,
    solving: Solving,
    leeway: float,
    start: Callable[[Any], None],
    before: tuple[Attempt, ...],
    patience: int,
) -> Plan:
    """Solve for all scenarios with a leeway [J], from what `start` sets."""
    easier = solving.like(transcribed, with_leeway(transcribed, leeway))
    start(easier)
    what = f"all scenarios with a leeway of {leeway:.2g} J, from there"
    return solving.attempt_near(what, easier, before, max_iter=patience)


def _tightened(transcribed: TranscribedProblem, solving: Solving, best: Plan, leeways: Sequence[float]) -> Plan:
    """Solve for all scenarios with smaller and smaller leeways, as long as that succeeds."""
    for leeway in leeways:

        def from_larger(easier: Any, source: Any = best.model) -> None:
            start_from(easier, source)

        try:
            best = _with_leeway(
                transcribed, solving, leeway, from_larger, best.attempts, solving.settings.static_patience
            )
        except PlanError as error:
            return replace(best, attempts=attempts_of(error))
    return best


def _is_overdetermined(transcribed: TranscribedProblem) -> bool:
    """Whether all scenarios together have more fast modes than inputs could bring to rest on this mesh.

    A damping scheme keeps such a mode where the forces of the last point put it; an input has its value there, and its
    rate, for one deflection and its rate.
    """
    at, step = transcribed.first[0].start, shortest_step(transcribed)
    return len(transcribed.runs) * fast_modes(transcribed.dae, at, step) > len(transcribed.dae.u)


def _mean_parameters(transcribed: TranscribedProblem) -> np.ndarray:
    """Return the means (np,) of the parameters over all scenarios."""
    dae = transcribed.dae
    values = np.tile(transcribed.p, (len(transcribed.runs), 1))
    for row, scenario in zip(values, transcribed.problem.scenarios, strict=True):
        for name, value in scenario.items():
            row[dae.p.index(name)] = value
    return values.mean(axis=0)


def _tell_places(transcribed: TranscribedProblem) -> None:
    """Warn of the coordinate that is farthest from where it is asked, since scenarios share the travel of drives."""
    off = [
        (abs(t.goal[name] - value), i, name, value, t.goal[name])
        for i, run in enumerate(transcribed.runs[1:], start=1)
        for t in run
        if t.end.loose
        for name, value in (t.phase.goal or {}).items()
        if name in transcribed.dae.q_names
    ]
    away, scenario, name, asked, reached = max(off, default=(0.0, 0, "", 0.0, 0.0))
    if away > SAME * max(1.0, abs(asked)):
        warn(
            f"Plan of '{transcribed.dae.name}': under shared inputs scenario {scenario} comes to rest at {name} = "
            f"{reached:.6g}, not at {asked:.6g}: winches and pistons travel alike, and loads stretch ropes and "
            "compress oil by different amounts. Plan scenarios separately to bring each to the goal.",
            PlanWarning,
        )
