"""What changes from one phase to the next: inertia in motion, and lengths of linkages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, gap, mismatches
from flexblocks.constraints.parameter_changes import inertia_change, opens_loops
from flexblocks.errors import listing

from ...errors import ProblemError
from ..phase_transcription import PhaseTranscription
from ..transcribed_problem import TranscribedProblem


def _changes(transcribed: TranscribedProblem) -> Iterator[tuple[PhaseTranscription, PhaseTranscription, np.ndarray]]:
    """Yield each phase with the one before it, and the coordinates (n,) in which they meet."""
    for before, t in (pair for run in transcribed.runs for pair in pairwise(run)):
        yield before, t, t.start.x[: t.dae.tree.size]


def check_pick_ups(transcribed: TranscribedProblem) -> None:
    """Refuse a load picked up in motion unless `pick_up` says how, and an impact without a load."""
    for before, t, q in _changes(transcribed):
        more, less = inertia_change(t.dae, q, before.p, t.p)
        where = f"plan: phase '{t.phase.name}'"
        if more and t.phase.pick_up is None and not before.end.is_rest:
            raise ProblemError(
                f"{where} begins in motion with more inertia than the phase '{before.phase.name}' before it: "
                "continuous rates would create momentum out of nothing. Come to rest with a goal there, or say "
                'what happens: pick_up="matched" if the load already moves with the gripper, pick_up="impact" if the '
                "load is at rest."
            )
        if t.phase.pick_up == "impact" and less:
            raise ProblemError(
                f'{where}: pick_up = "impact", but some of its inertia is less than before; a release leaves the rates '
                'unchanged. Leave pick_up out, or take "matched".'
            )


def check_lengths(transcribed: TranscribedProblem) -> None:
    """Refuse parameters with which loops, closed at the end of the phase before, are open or open in motion."""
    dae = transcribed.dae
    for before, t, q in _changes(transcribed):
        old, new = before.p, t.p
        if not opens_loops(dae, q, old, new, moves=not before.end.is_rest):
            continue
        changed = []
        for k in np.flatnonzero(old != new):
            alone = old.copy()
            alone[k] = new[k]
            if opens_loops(dae, q, old, alone, moves=True):
                changed.append(f"{dae.p.names[k]} from {old[k]:g} to {new[k]:g}")
        opened = "open as the arm moves on"
        if opens_loops(dae, q, old, new, moves=False):
            gaps = [gap(closure_equations(dae), q, values) for values in (old, new)]
            opened = f"are open: {mismatches(dae, q, new if gaps[1] > gaps[0] else old)}"
        raise ProblemError(
            f"plan: phase '{t.phase.name}': p: {listing(changed)}, with which the loops of '{dae.name}', closed in "
            f"the phase '{before.phase.name}', {opened}. A linkage keeps its lengths; change "
            "what moves no joint, or plan the phases by themselves."
        )
