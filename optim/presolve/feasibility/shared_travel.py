"""Shared travel: first-order states that inputs alone change, by the same amounts in scenarios that share these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.generalized_forces import state_rates
from flexblocks.statics.balance import rest, unknown_slices, unknown_vector
from flexblocks.statics.followed import followed, straight_way
from flexblocks.statics.operating_point import OperatingPoint

from ..boundary import End
from ..equilibrium import loop_forces, slow_motions

SAME = 1e-12  # of its value: a change of such a state that is rounding
ROUNDING = 1e-9  # of references that are as good as equal
MOVES = 1e-6  # share of a unit motion from which on a coordinate takes part in it


@lru_cache(maxsize=16)
def traveling_states(dae: DAE) -> tuple[int, ...]:
    """Return the states of blocks, by number, whose rates are linear in the inputs and depend on nothing else.

    Lengths of ropes on winches and commands of ideal valves are such states. What they change by is an integral of the
    inputs, whatever the arm carries.
    """
    n = dae.tree.size
    rates = state_rates(dae.tree, dae.x.symbol, dae.z.symbol, dae.u.symbol)
    if not rates.numel():
        return ()
    others = ca.vertcat(dae.x.symbol, dae.z.symbol, dae.p.symbol)
    depends = ca.which_depends(rates, others, 1, True)
    curved = ca.which_depends(rates, dae.u.symbol, 2, True)
    return tuple(2 * n + i for i in dae.tree.first_order if not depends[i] and not curved[i])


@lru_cache(maxsize=16)
def reference_states(dae: DAE) -> tuple[int, ...]:
    """Return the states of control laws, by number, that nothing of the arm changes: references that are integrated.

    They belong to what the arm is told, so that they are the same whatever it carries.
    """
    first = 2 * dae.tree.size
    told = [i for i in range(len(dae.x) - first) if i not in dae.tree.first_order]
    if not told:
        return ()
    rates = state_rates(dae.tree, dae.x.symbol, dae.z.symbol, dae.u.symbol)
    while True:
        others = [i for i in range(len(dae.x)) if i - first not in told]
        arm = ca.vertcat(dae.x.symbol[others], dae.z.symbol, dae.p.symbol)
        depends = ca.which_depends(rates, arm, 1, True)
        if not any(depends[i] for i in told):
            return tuple(first + i for i in told)
        told = [i for i in told if not depends[i]]


def with_shared_travel(dae: DAE, first: Sequence[tuple[End, End]], run: list[tuple[End, End]]) -> list[tuple[End, End]]:
    """Return the boundaries of a scenario as the inputs of the first one leave them.

    A heavier load stretches ropes and compresses oil by more, and by another amount at the goal than at the start. So
    the same travel of winches and pistons does not bring both to the same place: the arm comes to rest in the
    equilibrium with the travel of the first scenario, which is near the goal.

    Where there is no such equilibrium the goal stays as it is.
    """
    traveling = list(traveling_states(dae))
    if not traveling:
        return run
    shifted: list[tuple[End, End]] = []
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


def with_shared_references(dae: DAE, ends: Sequence[list[tuple[End, End]]]) -> list[list[tuple[End, End]]]:
    """Return the boundaries of all scenarios, whose references are those of the first one.

    Where one reference does not hold all of them, it is where the optimum wants it.
    """
    shared = list(reference_states(dae))
    if not shared:
        return list(ends)
    open_ends = [
        tuple(_differ([pair[where].point.x[shared] for pair in phase]) for where in (0, 1))
        for phase in zip(*ends, strict=True)
    ]
    return [
        [
            (_leaving_open(shared, begin, i > 0 or opens[0]), _leaving_open(shared, end, i > 0 or opens[1]))
            for (begin, end), opens in zip(run, open_ends, strict=True)
        ]
        for i, run in enumerate(ends)
    ]


def _differ(held: Sequence[np.ndarray]) -> bool:
    return any(bool(np.any(np.abs(one - held[0]) > ROUNDING * np.maximum(1.0, np.abs(one)))) for one in held[1:])


def _leaving_open(states: Sequence[int], end: End, opens: bool) -> End:
    return replace(end, loose=tuple(sorted({*end.loose, *states}))) if opens else end


def without_what_is_held(dae: DAE, run: list[tuple[End, End]]) -> list[tuple[End, End]]:
    """Return the boundaries with no more prescribed near a goal than what nothing holds there but the inputs.

    Pistons and winches hold their joints: how far these are off counts in the energy that is left. To prescribe them as
    well would prescribe the fast vibration of a load on its rope.
    """
    if not traveling_states(dae):
        return run
    ends = []
    for begin, end in run:
        if end.kind == "near":
            loose = loose_coordinates(dae, end.point)
            end = replace(end, prescribed={name: value for name, value in end.prescribed.items() if name in loose})
        ends.append((begin, end))
    return ends


def loose_coordinates(dae: DAE, at: OperatingPoint) -> tuple[str, ...]:
    """Return the coordinates that move freely in an equilibrium while inputs and first-order states stay as they are.

    A torque holds no joint without gravity, or slewing about the vertical; valves, winches, springs and servos do.
    """
    index, n = unknown_slices(dae), dae.tree.size
    s = unknown_vector(dae, at.x, at.z, loop_forces(dae, at), at.u)
    fixed = [*range(index.w.start, index.w.stop), *range(index.u.start, index.u.stop)]
    ways = slow_motions(np.delete(rest(dae)(s, at.p)[1].full(), fixed, axis=1), n)
    moves = np.abs(ways).max(axis=1, initial=0.0) > MOVES
    return tuple(name for name, move in zip(dae.q_names, moves, strict=True) if move)


def _is_known(end: End) -> bool:
    return end.kind in ("fixed", "near") and not end.moving


def _moved(dae: DAE, point: OperatingPoint, states: list[int], to: np.ndarray) -> OperatingPoint | None:
    """Return the equilibrium near another one that has these first-order states."""
    if np.all(np.abs(to - point.x[states]) <= SAME * np.abs(to)):
        return point
    at, n = unknown_slices(dae), dae.tree.size
    s = unknown_vector(dae, point.x, point.z, loop_forces(dae, point), point.u)
    held, target = np.zeros(len(s), dtype=bool), np.full(len(s), np.nan)
    rows = [at.w.start + i - 2 * n for i in states]
    held[rows], target[rows] = True, to
    way = followed(rest(dae), point.p, s, straight_way(s, target), held)
    if way is None:
        return None
    there = way[-1]
    x = np.concatenate([there[at.q], np.zeros(n), there[at.w]])
    return replace(point, x=x, z=there[at.z], u=there[at.u])
