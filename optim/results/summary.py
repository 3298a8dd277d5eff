"""A plan in a few lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from flexblocks.blocks.flexible_beam import FlexibleBeam
from flexblocks.dae.dae import DAE
from flexblocks.simulation.trajectory import Trajectory

from ..presolve.inverse_statics import values_at_rest
from ..presolve.phase_transcription import Transcription
from ..presolve.transcribed_problem import Outline

if TYPE_CHECKING:
    from .plan import Plan


def summary(plan: Plan) -> str:
    """Return what was asked, how it was planned and what came out."""
    outline, s = plan.outline, plan.statistics
    problem, phases = outline.problem, outline.first
    shape, scheme = phases[0].shape, phases[0].scheme
    holds = problem.input_ends == "holding" and shape.is_continuous
    ends = "from and to holding values" if holds else "with free ends"
    counts = f"{sum(outline.intervals)} intervals, {scheme.words} collocation of degree {scheme.degree}"
    steps = "" if s.iterations is None else f", {s.iterations} iterations"
    times = [f"{verb} in {spent:.2f} s" for verb, spent in (("built", s.build_time), ("solved", s.solve_time)) if spent]
    lasting = f"{plan.duration:.6g} s (free)" if outline.is_free else f"{plan.duration:g} s"
    ended = "rest to rest" if phases[-1].end.is_rest else "from rest"
    return "\n".join(
        [
            f"{outline.dae.name}: {ended} in {lasting}, {plan.status}, objective {plan.objective:.6g}",
            *_moves(plan),
            *_parameters(plan),
            f"  minimises {_objective(outline)}",
            f"  inputs {shape.words}, {ends}, within their limits at every time",
            "  states within their limits at mesh and collocation points",
            *_carried(outline),
            f"  {counts}{steps}{''.join(f', {text}' for text in times)}",
            *(f"  {remark}" for remark in far_bent(outline.dae, plan.trajectories)),
            *([f"  {attempt}" for attempt in plan.attempts] if len(plan.attempts) > 1 else []),
        ]
    )


def _carried(outline: Outline) -> list[str]:
    static = outline.first[0].static
    return [f"  carries quasi-statically {', '.join(static.names)}"] if static else []


def _moves(plan: Plan) -> list[str]:
    phases, problem = plan.outline.first, plan.outline.problem
    if len(phases) == 1:
        t = phases[0]
        places = t.phase.goal or t.phase.passing or {}
        leeway = f", up to {t.phase.leeway:g} J left" if t.phase.leeway else ""
        begins = values_at_rest(t.dae, t.start, places)
        moves = [f"{name} from {begins[name]:.4g} to {value:.4g}" for name, value in places.items()]
        return [f"  moves {', '.join(moves)}{leeway}", *_passes(t)]
    begins = ", ".join(f"{name} = {value:.4g}" for name, value in problem.start.items())
    lines = [f"  starts at {begins}"]
    for t, (begin, end) in zip(phases, plan.phases.values(), strict=True):
        values = "".join(f", {name} = {value:g}" for name, value in t.phase.p.items())
        lines.append(f"  {t.phase.name}, {begin:.4g} to {end:.4g} s: {_arrives(t)}{values}")
    return lines


def _passes(t: Transcription) -> list[str]:
    vias = [
        f"{', '.join(f'{name} = {value:.4g}' for name, value in via.values.items())} at "
        f"{via.share(t.phase.duration):.4g} of the duration"
        for via in t.phase.via
    ]
    return [f"  passes {'; '.join(vias)}"] if vias else []


def _arrives(t: Transcription) -> str:
    goal, passing = t.phase.goal, t.phase.passing
    if not goal and not passing:
        return "passes on"
    places = ", ".join(f"{name} = {value:.4g}" for name, value in (goal or passing or {}).items())
    leeway = f" but for {t.phase.leeway:g} J" if t.phase.leeway else ""
    return f"to rest at {places}{leeway}" if goal else f"passes {places}"


def _parameters(plan: Plan) -> list[str]:
    problem = plan.outline.problem
    found = [f"{name} = {plan.p[name]:.6g} of {low:g} to {high:g}" for name, (low, high) in problem.design.items()]
    lines = [f"  designs {', '.join(found)}"] if found else []
    for i, scenario in enumerate(problem.scenarios):
        lines.append(f"  scenario {i}: {', '.join(f'{name} = {value:g}' for name, value in scenario.items())}")
    return lines


def _objective(outline: Outline) -> str:
    differs = len(outline.runs) > 1 and not all(term.is_shared for _, term in outline.problem.objective.terms)
    return f"{outline.problem.objective}{f', {outline.problem.aggregate} of the scenarios' if differs else ''}"


SMALL = 0.2  # of a beam's length: a tip deflection at which its slope is about 0.3 rad


def far_bent(dae: DAE, motions: Iterable[Trajectory]) -> list[str]:
    """Return a remark on each beam whose tip deflects by more than a fifth of its length."""
    found = []
    for name, beam in ({} if dae.model is None else dae.model.blocks).items():
        if not isinstance(beam, FlexibleBeam):
            continue
        outputs = [f"{name}.tip_deflection_{axis}" for axis in "yz"]
        most = max((float(np.abs(m[y]).max()) for m in motions for y in outputs if y in m), default=0.0)
        if most > SMALL * beam.length:
            found.append(
                f"{name} bends by up to {most:.2g} m, {100 * most / beam.length:.0f} % of its length, and is modelled "
                "for small deflections"
            )
    return found
