"""Shared travel: first-order states that inputs alone change, by the same amounts in scenarios that share these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import rest, unknown_slices
from flexblocks.statics.followed import followed, straight_way
from flexblocks.statics.operating_point import OperatingPoint

from ...tolerances import RESIDUE, ROUNDING
from ..boundary import End, Ends
from ..equilibrium import balance_jacobian, slow_motions, unknowns_at
from ..first_order_states import reference_states, traveling_states


def sharing(dae: DAE, ends: Ends) -> Ends:
    """Return the boundary conditions of several scenarios as inputs that they share leave them."""
    if traveling_states(dae):
        ends = [ends[0], *(_with_shared_travel(dae, ends[0], run) for run in ends[1:])]
        ends = [[(begin, _without_what_is_held(dae, end)) for begin, end in run] for run in ends]
    return _with_shared_references(ends, list(reference_states(dae)))


def _with_shared_travel(dae: DAE, first: list[tuple[End, End]], run: list[tuple[End, End]]) -> list[tuple[End, End]]:
    """Return the boundaries of a scenario as the inputs of the first one leave them.

    A heavier load stretches ropes and compresses oil by more, and by another amount at the goal than at the start. So
    the same travel of winches and pistons does not bring both to the same place: the arm comes to rest in the
    equilibrium with the travel of the first scenario, which is near the goal.

    Where there is no such equilibrium the goal stays as it is.
    """
    traveling, shifted = list(traveling_states(dae)), list[tuple[End, End]]()
    for (begin, end), (begin_first, end_first) in zip(run, first, strict=True):
        if shifted:
            begin = replace(begin, point=replace(shifted[-1][1].point, p=begin.point.p))
        if _is_known(end) and _is_known(end_first):
            travel = end_first.point.x[traveling] - begin_first.point.x[traveling]
            point = _moved(dae, end.point, traveling, begin.point.x[traveling] + travel)
            if point is not None:
                there = {name: point[name] for name in end.prescribed}
                # Prescribed once more, these states would make the problem overdetermined.
                end = replace(end, point=point, prescribed=there, loose=tuple(traveling))
        shifted.append((begin, end))
    return shifted


def _with_shared_references(ends: Ends, shared: list[int]) -> Ends:
    """Return the boundaries of all scenarios, whose references are those of the first one.

    Where one reference does not hold all of them, it is where the optimum wants it.
    """
    if not shared:
        return ends
    opened = [run.copy() for run in ends]
    for i, phase in enumerate(zip(*ends, strict=True)):
        for k, pair in enumerate(phase):
            opened[k][i] = tuple(
                replace(end, loose=tuple(sorted({*end.loose, *shared}))) if k or _differ(others, shared) else end
                for end, others in zip(pair, zip(*phase, strict=True), strict=True)
            )
    return opened


def _differ(ends: Sequence[End], states: list[int]) -> bool:
    first, *others = (end.point.x[states] for end in ends)
    return any(bool(np.any(np.abs(one - first) > ROUNDING * np.maximum(1.0, np.abs(one)))) for one in others)


def _without_what_is_held(dae: DAE, end: End) -> End:
    """Return an end with no more prescribed near a goal than what nothing holds there but the inputs.

    Pistons and winches hold their joints: how far these are off counts in the energy that is left. To prescribe them as
    well would prescribe the fast vibration of a load on its rope.
    """
    if end.kind != "near":
        return end
    loose = loose_coordinates(dae, end.point)
    return replace(end, prescribed={name: value for name, value in end.prescribed.items() if name in loose})


def loose_coordinates(dae: DAE, at: OperatingPoint) -> tuple[str, ...]:
    """Return the coordinates that move freely in an equilibrium while inputs and first-order states stay as they are.

    A torque holds no joint without gravity, or slewing about the vertical; valves, winches, springs and servos do.
    """
    index = unknown_slices(dae)
    ways = slow_motions(np.delete(balance_jacobian(dae, at), np.r_[index.w, index.u], axis=1), dae.tree.size)
    moves = np.abs(ways).max(axis=1, initial=0.0) > RESIDUE
    return tuple(name for name, move in zip(dae.q_names, moves, strict=True) if move)


def _is_known(end: End) -> bool:
    return end.kind in ("fixed", "near") and not end.moving


def _moved(dae: DAE, point: OperatingPoint, states: list[int], to: np.ndarray) -> OperatingPoint | None:
    """Return the equilibrium near another one that has these first-order states."""
    if np.all(np.abs(to - point.x[states]) <= ROUNDING * np.abs(to)):
        return point
    at, n, s = unknown_slices(dae), dae.tree.size, unknowns_at(dae, point)
    held, target = np.zeros(len(s), dtype=bool), np.full(len(s), np.nan)
    rows = [at.w.start + i - 2 * n for i in states]
    held[rows], target[rows] = True, to
    way = followed(rest(dae), point.p, s, straight_way(s, target), held)
    if way is None:
        return None
    there = way[-1]
    x = np.concatenate([there[at.q], np.zeros(n), there[at.w]])
    return replace(point, x=x, z=there[at.z], u=there[at.u])
