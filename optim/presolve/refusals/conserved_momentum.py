"""Conserved momentum: motions of a floating arm that it forbids, as far as start and goal alone show."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.deformation import deforming
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing

from ...errors import ProblemError
from ...tolerances import RESIDUE
from ..boundary import End
from ..equilibrium import turning
from ..floating_base import FAR, carried_base, floating_base, mass_of, sizes, still_coordinates
from ..phase_transcription import PhaseTranscription
from ..transcribed_problem import TranscribedProblem
from .conserved_center import TYPED, check_center, check_sphere, check_totals

SAME = 1e-5  # rad: attitudes after two ways
DETOURS = 2  # random ways, which end in other attitudes wherever the way matters
FORBIDDEN = "plan: goal: momentum forbids it: nothing pushes the arm from outside, and"


def check_momenta(transcribed: TranscribedProblem) -> None:
    """Refuse motions of a floating arm that its momentum forbids, as far as starts and goals show."""
    dae = transcribed.dae
    if dae.u.with_role("disturbance"):  # known forces change the momentum
        return
    for t in transcribed.phases:
        check_momentum(dae, t.begin, t.end)
        if t.begin.kind == "fixed":
            _check_named_rates(t)
            check_totals(t)


def check_momentum(dae: DAE, begin: End, end: End) -> None:
    """Refuse a motion of a floating arm that its momentum forbids, as far as both ends show."""
    floating = list(floating_base(dae, end.point)) if begin.kind == end.kind == "fixed" else []
    if not floating:
        return
    follows = set(end.open) - still_coordinates(dae, begin.point, end.open)
    if begin.moving or end.moving:
        if not follows:
            _check_rates(dae, begin, end, floating)
        return
    if any(not turning(dae)[i] for i in floating):
        (check_sphere if follows else check_center)(dae, begin, end, floating)
    _check_attitude(dae, begin, end, floating)


def _check_rates(dae: DAE, begin: End, end: End, floating: list[int]) -> None:
    n = dae.tree.size
    amounts = []
    for point in (begin.point, end.point):
        terms = mass_of(dae, point)(point.x[:n])[floating] * point.x[n : 2 * n]
        amounts.append(bool(np.any(np.abs(terms.sum(axis=1)) > RESIDUE * np.abs(terms).sum(axis=1))))
    if amounts[0] == amounts[1]:
        return
    moving, still = ("start", "goal") if amounts[0] else ("goal", "start")
    names = ", ".join(dae.q_names[i] for i in floating)
    raise ProblemError(
        f"{FORBIDDEN} it has a momentum at the {moving} and none at the {still}. Leave {names} out of the goal, or "
        "give rates without momentum."
    )


def _check_named_rates(t: PhaseTranscription) -> None:
    """Refuse rates of a floating base at a goal with joints at rest that are not those of the momentum at the start.

    With its joints at rest the arm is one body: without a moment of momentum it continues as its centre of mass does.
    """
    dae, n, names, start = t.dae, t.dae.tree.size, t.dae.q_names, t.start
    goal = t.phase.goal_at(0.0) if t.phase.is_timed else {}
    floating = list(floating_base(dae, t.goal))
    named = {i: goal[f"der({names[i]})"] for i in floating if f"der({names[i]})" in goal}
    if not t.end.moving:  # what is named of it is at rest
        named |= {i: 0.0 for i in floating if names[i] in goal}
    if not named:
        return
    M, v, kept = mass_of(dae, start)(start.x[:n]), start.x[n : 2 * n], np.zeros(n)
    kept[floating] = np.linalg.solve(M[floating][:, floating], M[floating] @ v)
    size, joints = sizes(dae, M), np.setdiff1d(np.arange(n), floating)
    largest = np.max(np.abs(kept / size), initial=0.0)
    moving = np.max(np.abs(t.goal.x[n : 2 * n] / size)[joints], initial=0.0)
    most = max(largest, *(abs(rate) / size[i] for i, rate in named.items()))
    rotating = np.max(np.abs((kept / size)[turning(dae)]), initial=0.0)
    if rotating > RESIDUE * largest or moving > RESIDUE * most:
        return
    wrong = [i for i, rate in named.items() if abs(rate - kept[i]) / size[i] > TYPED * most]
    if wrong:
        rates = listing(f"der({names[i]}) = {kept[i]:.4g}, not {named[i]:.4g}" for i in wrong)
        raise ProblemError(
            f"{FORBIDDEN} with its joints at rest it has {rates}. Leave the rates of "
            f"{', '.join(names[i] for i in floating)} out of the goal."
        )


def _check_attitude(dae: DAE, begin: End, end: End, floating: list[int]) -> None:
    """Refuse an attitude that no motion of the joints makes, where it does not depend on the way of the joints."""
    rotating = [i for i in floating if turning(dae)[i]]
    named = [i for i in rotating if i not in end.open]
    n, goal = dae.tree.size, end.point.x
    joints = np.setdiff1d(np.arange(n), floating)
    # Of beams that swing on the way nothing is known; forces close loops on any way.
    if not named or dae.tree.loops.closures or (len(joints) > 1 and deforming(dae)[joints].any()):
        return
    first, *others = (
        carried_base(dae, begin.point, begin.point.x[:n], goal[:n], floating, detour)[rotating]
        for detour in range(DETOURS + 1)[: len(joints) or 1]
    )
    if not np.max(np.abs([first, *others])) <= FAR or any(np.max(np.abs(each - first)) > SAME for each in others):
        return
    carried = dict(zip(rotating, first.tolist(), strict=True))
    missed = [i for i in named if abs(carried[i] - goal[i]) > TYPED]
    if missed:
        values = listing(f"{dae.q_names[i]} = {carried[i]:.4g}, not {goal[i]:.4g} rad" for i in missed)
        raise ProblemError(
            f"plan: goal: momentum forbids it: nothing turns the arm from outside, and from rest to rest its joints "
            f"turn it to {values}, whatever their way. Leave {', '.join(dae.q_names[i] for i in rotating)} out of the "
            "goal."
        )
