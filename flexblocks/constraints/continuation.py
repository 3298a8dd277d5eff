"""Continuation of closed postures: a linkage is led from one posture to another without leaving its assembly."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.loop_equations import ClosureEquations, gap
from flexblocks.constraints.loop_newton import CLOSED, least_strained, newton_step, polished, strain_step

STRIDE = 0.1  # largest change in one step [rad, lengths of the loops]; by trial
# A step is taken if the way back to closed loops is shorter than this share of it: two assemblies that are close to
# each other are so only where the postures curve sharply, and there the steps become short.
CURVED = 0.25
SHORTEST = 1e-6  # share of the whole way below which it counts as blocked
# Steps for each stride of the way after which it counts as blocked, too: at a fold the others race while what is led
# creeps, in tens of thousands of steps. Ways that are free take up to three, since the others go farther.
PATIENCE = 20


def led(
    equations: ClosureEquations,
    start: tuple[np.ndarray, np.ndarray],
    target: np.ndarray,
    p: np.ndarray,
    held: np.ndarray,
    free: np.ndarray,
    stiffness: np.ndarray | None = None,
) -> np.ndarray | None:
    """Return closed postures (k, n) on the way to that with the `held` coordinates at their `target`, the last of them.

    None if the way is blocked.

    Parameters
    ----------
    equations : ClosureEquations
    start : tuple of ndarray
        Closed posture (n,) and the parameters (np,) there.
    target : ndarray (n,)
    p : ndarray (np,)
        Parameters at the target.
    held, free : ndarray (n,) of bool
        Coordinates that are led, and those that follow.
    stiffness : ndarray (n, n), optional
        Of bodies that deform on the way, which is then one of least strain energy (see `least_strained`). By default
        those that follow move as little as closed loops need.

    Notes
    -----
    The led coordinates go there together; if that is blocked, one after the other, the first first or the last first.
    """
    index = np.flatnonzero(held & (target != start[0]))
    ways = [[index], [[i] for i in index], [[i] for i in index[::-1]]]
    for way in ways if len(index) > 1 else ways[:1]:
        q, values = start
        passed = [q]
        for stage in way:
            goal = q.copy()
            goal[stage] = target[stage]
            part = _straight(equations, (q, values), goal, p, free, stiffness)
            if part is None:
                break
            passed, q, values = passed + part, part[-1], p
        else:
            return np.array(passed)
    return None


def _straight(
    equations: ClosureEquations,
    start: tuple[np.ndarray, np.ndarray],
    goal: np.ndarray,
    p: np.ndarray,
    free: np.ndarray,
    stiffness: np.ndarray | None,
) -> list[np.ndarray] | None:
    """Lead a linkage along a straight line of the led coordinates and the parameters; return the postures behind."""
    q, p0 = start
    change = np.where(free, 0.0, goal - start[0])
    done, share, passed = 0.0, 1.0, []
    strides = np.max(np.abs(change / equations.unit), initial=0.0) / STRIDE
    for _ in range(int(PATIENCE * (1 + strides))):
        share = min(share, 1.0 - done)
        there = done + share if done + share < 1.0 else 1.0
        led_to = np.where(free, q, start[0] + there * change)
        trial = _step(equations, q, led_to, p0 + there * (p - p0), free, stiffness)
        if trial is None:
            share /= 2
            if share < SHORTEST:
                return None
            continue
        q, done, share = trial, there, 2 * share
        passed.append(q)
        if done == 1.0:
            passed[-1] = np.where(free, q, goal)
            return passed
    return None


def _step(
    equations: ClosureEquations,
    q: np.ndarray,
    led_to: np.ndarray,
    p: np.ndarray,
    free: np.ndarray,
    stiffness: np.ndarray | None,
) -> np.ndarray | None:
    """Return the closed posture next to `q`, or None if it is not next to it."""
    unit = equations.unit
    # The first Newton step is the tangent; what follows leads back to closed loops.
    first = (
        newton_step(equations, led_to, p, free)
        if stiffness is None
        else (strain_step(equations, stiffness, led_to, p, free))
    )
    ahead = led_to + first
    stride = np.max(np.abs((ahead - q) / unit), initial=0.0)
    if not stride <= STRIDE:
        return None
    closed = (
        polished(equations, ahead, p, free)
        if stiffness is None
        else (least_strained(equations, stiffness, ahead, p, free))
    )
    back = np.max(np.abs((closed - ahead) / unit), initial=0.0)
    return closed if gap(equations, closed, p) <= CLOSED and back <= CURVED * stride + CLOSED else None
