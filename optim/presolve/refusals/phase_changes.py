"""What changes from one phase to the next: inertia in motion, and lengths of linkages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from flexblocks.constraints.loop_equations import closure_equations, closure_slopes, gap, mismatches
from flexblocks.constraints.loop_newton import RANK
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing
from flexblocks.libraries import scipy

from ...errors import ProblemError
from ...tolerances import RESIDUE, ROUNDING
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


def inertia_change(dae: DAE, q: np.ndarray, before: np.ndarray, after: np.ndarray) -> tuple[bool, bool]:
    """Return whether inertia grows in some direction of motion, and whether it shrinks in some.

    In the posture `q` (n,), from the parameters `before` (np,) to those `after`.
    """
    M, other = dae.mass_matrix(q, before).full(), dae.mass_matrix(q, after).full()
    # Pins of linkages and the like move no mass by themselves.
    size = np.sqrt(np.maximum(np.diag(M), np.diag(other)))
    unit = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    change = np.linalg.eigvalsh(unit[:, None] * (other - M) * unit)
    return bool(change.max() > ROUNDING), bool(change.min() < -ROUNDING)


def check_lengths(transcribed: TranscribedProblem) -> None:
    """Refuse parameters with which loops, closed at the end of the phase before, are open or open in motion."""
    dae = transcribed.dae
    for before, t, q in _changes(transcribed):
        old, new = before.p, t.p
        if not _opens(dae, q, old, new, moves=not before.end.is_rest):
            continue
        changed = []
        for k in np.flatnonzero(old != new):
            alone = old.copy()
            alone[k] = new[k]
            if _opens(dae, q, old, alone, moves=True):
                changed.append(f"{dae.p.names[k]} from {old[k]:g} to {new[k]:g}")
        opened = "open as the arm moves on"
        if _opens(dae, q, old, new, moves=False):
            gaps = [gap(closure_equations(dae), q, values) for values in (old, new)]
            opened = f"are open: {mismatches(dae, q, new if gaps[1] > gaps[0] else old)}"
        raise ProblemError(
            f"plan: phase '{t.phase.name}': p: {listing(changed)}, with which the loops of '{dae.name}', closed in "
            f"the phase '{before.phase.name}', {opened}. A linkage keeps its lengths; change "
            "what moves no joint, or plan the phases by themselves."
        )


def _opens(dae: DAE, q: np.ndarray, old: np.ndarray, new: np.ndarray, moves: bool) -> bool:
    """Whether the change of parameters opens loops in the posture q, or if the arm `moves`, through it."""
    gaps = [gap(closure_equations(dae), q, values) for values in (old, new)]
    if min(gaps) <= RESIDUE < max(gaps):
        return True
    if not moves or max(gaps) > RESIDUE:
        return False
    before, after = (closure_slopes(dae, q, values) for values in (old, new))
    rates = scipy.linalg.null_space(before, rcond=RANK)
    return bool(np.abs((after - before) @ rates).max(initial=0.0) > RESIDUE * np.abs(before).max())
