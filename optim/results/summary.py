"""Summary of a plan in a few lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from flexblocks.blocks.bodies.flexible_beam import FlexibleBeam
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.simulation.trajectory import Trajectory

from ..model.violations import Violation
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.postures.values_at_rest import values_at_rest
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.pose import shown
from ..solver_statistics import ROUNDED, UNRESOLVED_ROUNDED, Statistics
from ..verification.mesh_errors.mesh_errors import MeshErrors
from .attempt import Attempt

MOST_EXCESSES = 3  # listed
NOT_LINEARIZED = (
    "mesh: not judged, as the equations of motion are not linearised along it (coordinates that depend on others, "
    "samplers, or singular postures)"
)


def summary(
    transcribed: TranscribedProblem,
    motions: Sequence[Trajectory],
    *,
    objective: float,
    duration: float,
    status: str,
    phases: Mapping[str, tuple[float, float]],
    p: Mapping[str, float],
    statistics: Statistics,
    attempts: Sequence[Attempt],
    violated: Sequence[Violation] = (),
    excesses: Sequence[Violation] = (),
    mesh: MeshErrors | None = None,
) -> str:
    """Return a summary of the problem, the transcription and the result; arguments as the attributes of `Plan`."""
    dae, problem, first, last = transcribed.dae, transcribed.problem, transcribed.first[0], transcribed.first[-1]
    holds = problem.input_ends == "holding" and first.shape.is_continuous
    ends = "from and to holding values" if holds else "with free ends"
    counts = f"{sum(transcribed.intervals)} intervals, {first.scheme.words} collocation of degree {first.scheme.degree}"
    steps = "" if statistics.iterations is None else f", {statistics.iterations} iterations"
    spent = (("built", statistics.build_time), ("solved", statistics.solve_time))
    times = [f"{verb} in {time:.2f} s" for verb, time in spent if time]
    lasting = f"{duration:.6g} s (free)" if transcribed.is_free else f"{duration:g} s"
    rests = first.begin.is_rest, last.end.is_rest
    ended = {(True, True): "rest to rest", (True, False): "from rest", (False, True): "to rest"}.get(rests, "in motion")
    return "\n".join(
        [
            f"{dae.name}: {ended} in {lasting}, {status}, objective {objective:.6g}",
            *(_moves(first, duration) if len(transcribed.first) == 1 else _phases(transcribed, phases)),
            *_prescribed(transcribed),
            *_parameters(transcribed, p),
            f"  minimises {_objective(transcribed)}",
            f"  inputs {first.shape.words}, {ends}, within their limits at every time",
            "  states within their limits at mesh and collocation points",
            *_margins(transcribed),
            *_broken(status, violated),
            *([f"  in between beyond limits: {listing(map(str, excesses), MOST_EXCESSES)}"] if excesses else []),
            *([f"  carries quasi-statically {', '.join(first.static.names)}"] if first.static.names else []),
            f"  {counts}{steps}{''.join(f', {text}' for text in times)}",
            f"  {_mesh(mesh)}",
            *(f"  {remark}" for remark in large_deflections(dae, motions)),
            *([f"  {attempt}" for attempt in attempts] if len(attempts) > 1 else []),
        ]
    )


def _mesh(mesh: MeshErrors | None) -> str:
    if mesh is None:
        return NOT_LINEARIZED
    return f"{mesh}{': too coarse' if mesh.is_judged and mesh.is_too_coarse else ''}"


def _broken(status: str, violated: Sequence[Violation]) -> list[str]:
    is_rounded = status in (ROUNDED, UNRESOLVED_ROUNDED)
    what = "the arm's laws, which are rounded off in it" if is_rounded else "its own equations"
    return [f"  breaks {what}: {listing(map(str, violated), MOST_EXCESSES)}"] if violated else []


def _margins(transcribed: TranscribedProblem) -> list[str]:
    margins = [f"{name} by {margin:.3g}" for name, margin in (transcribed.options.margins or {}).items()]
    return [f"  off limits: {listing(margins, MOST_EXCESSES)}"] if margins else []


def _moves(t: PhaseTranscription, duration: float) -> list[str]:
    """Return the start and end of the only phase."""
    places = t.phase.goal_at(duration) or t.phase.passing or {}
    leeway = f", up to {t.phase.leeway:g} J left" if t.phase.leeway else ""
    begins = values_at_rest(t.dae, t.start, places)
    moves = [f"{shown(name)} from {begins[name]:.4g} to {value:.4g}" for name, value in places.items()]
    return [f"  moves {', '.join(moves)}{leeway}", *_passes(t)]


def _phases(transcribed: TranscribedProblem, phases: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return a line for the start and one for each phase."""
    begins = ", ".join(f"{shown(name)} = {value:.4g}" for name, value in transcribed.problem.start.items())
    lines = [f"  starts at {begins}"]
    for t, (begin, end) in zip(transcribed.first, phases.values(), strict=True):
        values = "".join(f", {name} = {value:g}" for name, value in t.phase.p.items())
        lines.append(f"  {t.phase.name}, {begin:.4g} to {end:.4g} s: {_arrives(t, end - begin)}{values}")
    return lines


def _passes(t: PhaseTranscription) -> list[str]:
    vias = [
        f"{', '.join(f'{name} = {value:.4g}' for name, value in via.values.items())} at "
        f"{via.share(t.phase.duration):.4g} of the duration"
        for via in t.phase.via
    ]
    return [f"  passes {'; '.join(vias)}"] if vias else []


def _arrives(t: PhaseTranscription, duration: float) -> str:
    goal, passing = t.phase.goal_at(duration), t.phase.passing
    if not goal and not passing:
        return "ends as it began" if t.problem.periodic and t.phase is t.problem.phases[-1] else "passes on"
    places = ", ".join(f"{shown(name)} = {value:.4g}" for name, value in (goal or passing or {}).items())
    leeway = f" but for {t.phase.leeway:g} J" if t.phase.leeway else ""
    return f"{'to rest at' if t.end.is_rest else 'arrives at'} {places}{leeway}" if goal else f"passes {places}"


def _prescribed(transcribed: TranscribedProblem) -> list[str]:
    told: dict[str, list[str]] = {"moving": [], "under": []}
    for name, motion in transcribed.problem.prescribed.items():
        how = motion if isinstance(motion, str) else f"{motion:g}" if isinstance(motion, (int, float)) else "is known"
        told["under" if name in transcribed.arm.u else "moving"].append(f"{name} as {how}")
    lines = {"  while moving": told["moving"], "  under": told["under"]}
    return [f"{begin} {', '.join(names)}" for begin, names in lines.items() if names]


def _parameters(transcribed: TranscribedProblem, p: Mapping[str, float]) -> list[str]:
    problem = transcribed.problem
    designed = [f"{name} = {p[name]:.6g} of {low:g} to {high:g}" for name, (low, high) in problem.design.items()]
    lines = [f"  designs {', '.join(designed)}"] if designed else []
    for i, scenario in enumerate(problem.scenarios):
        lines.append(f"  scenario {i}: {', '.join(f'{name} = {value:g}' for name, value in scenario.items())}")
    return lines


def _objective(transcribed: TranscribedProblem) -> str:
    problem = transcribed.problem
    differs = len(transcribed.runs) > 1 and not all(term.is_shared for _, term in problem.objective.terms)
    return f"{transcribed.objective}{_sizes(transcribed)}{f', {problem.aggregate} of the scenarios' if differs else ''}"


def _sizes(transcribed: TranscribedProblem) -> str:
    """Return the reference sizes of inputs of several units."""
    units = dict(zip(transcribed.dae.u.names, transcribed.dae.u.units, strict=True))
    by_unit = {units[name]: size for name, size in transcribed.first[0].input_sizes.items()}
    told = " and ".join(f"{size:.3g} {unit}".rstrip() for unit, size in by_unit.items())
    return f" ({told})" if told else ""


SMALL = 0.2  # of a beam's length: a tip deflection at which its slope is about 0.3 rad


def large_deflections(dae: DAE, motions: Iterable[Trajectory]) -> list[str]:
    """Return a remark on each beam whose tip deflection exceeds a fifth of its length."""
    texts = []
    for name, beam in ({} if dae.model is None else dae.model.blocks).items():
        if not isinstance(beam, FlexibleBeam) or not beam.discretization.is_linear:
            continue
        outputs = [f"{name}.tip_deflection_{axis}" for axis in "yz"]
        most = max((float(np.abs(m[y]).max()) for m in motions for y in outputs if y in m), default=0.0)
        if most > SMALL * beam.length:
            texts.append(
                f"{name} bends by up to {most:.2g} m, {100 * most / beam.length:.0f} % of its length, and is modelled "
                "for small deflections"
            )
    return texts
