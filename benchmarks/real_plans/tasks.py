"""Tasks for any arm, made from two postures of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import flexblocks as fb
from benchmarks.real_plans.arms import Arm
from flexblocks import optim
from flexblocks.optim.presolve.ends.boundary_equilibrium import boundary_equilibrium
from flexblocks.optim.presolve.ends.shared_travel import loose_coordinates
from flexblocks.optim.presolve.floating_base import carried_base, floating_base

RISE = 0.1  # of the duration, in which an input rises to its limit


@dataclass(frozen=True)
class Task:
    """A problem for an arm, and the parameters that it leaves symbolic."""

    problem: optim.Problem
    symbolic: tuple[str, ...] = ()


def joint_goal(arm: Arm) -> Task:
    """From posture to posture."""
    return Task(_problem(arm, arm.goal))


def tip_goal(arm: Arm) -> Task:
    """To a place of the tip, in whatever posture."""
    return Task(_problem(arm, _place(arm, arm.goal)))


def pose_goal(arm: Arm) -> Task | None:
    """To a place and an orientation of the tip."""
    if not arm.turns:
        return None
    there, dae = _at(arm, arm.goal)
    names = [f"{arm.tip}.rotation_{row}{column}" for row in "xyz" for column in "xyz"]
    R = _values(dae, there, names).reshape(3, 3)
    axes = [there[f"{arm.tip}.{axis}"] if axis in arm.axes else None for axis in "xyz"]
    return Task(_problem(arm, {arm.tip: optim.Pose(position=axes, orientation=R)}))


def moving_goal(arm: Arm) -> Task | None:
    """To a posture that is passed at half of the mean rates of the way there."""
    rates = {f"der({name})": 0.5 * (arm.goal[name] - arm.start[name]) / arm.duration for name in arm.goal}
    if arm.axes == "y":  # driven by tendons, which prescribe no rates
        return None
    # Inputs end where the motion goes on, which is not where they hold the arm.
    return Task(_problem(arm, {**arm.goal, **rates}, input_ends="free"))


def obstacle(arm: Arm) -> Task | None:
    """From posture to posture, past a sphere that the tip of the rigid arm would touch on its way."""
    if len(arm.axes) < 2:  # a tip on a curve has no way around what is on it
        return None
    dae = arm.assembled()
    points = _way(arm, dae)
    length = float(np.sum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    middle = points[len(points) // 2]
    # Beside the way, so that it is touched and not met head-on: there no side would be better than the other.
    along = points[len(points) // 2 + 1] - points[len(points) // 2 - 1]
    beside = np.cross([0.0, 0.0, 1.0], along) if abs(along[:2]).max() > 0 else np.array([1.0, 0.0, 0.0])
    radius = 0.12 * length
    center = middle + 0.5 * radius * beside / np.linalg.norm(beside)
    keep = optim.KeepOut(optim.Sphere(center.tolist(), radius), frames=arm.tip)
    return Task(_problem(arm, arm.goal, path=keep))


def straight_line(arm: Arm) -> Task:
    """The tip stays near the straight line from its start to its goal, by 5 % of its length."""
    dae = arm.assembled()
    first, last = (_tip(arm, dae, values) for values in (arm.start, arm.goal))
    points = (first.tolist(), last.tolist())
    line = optim.Follow(arm.tip, points, tolerance=0.05 * float(np.linalg.norm(last - first)))
    return Task(_problem(arm, _place(arm, arm.goal), path=line))


def two_loads(arm: Arm) -> Task:
    """From posture to posture under the same inputs, with two loads; where no inputs hold both, with one after another.

    Torques that hold a load against gravity let a heavier one fall, and without gravity they move it less far. There
    one load is brought, and the other one taken back. Of an arm some of whose joints are held by valves, winches or
    tendons, these move, and what a torque turns stays.
    """
    name, *values = arm.load
    moved = _held(arm)
    if moved:
        goal = {key: value if key in moved else arm.start[key] for key, value in arm.goal.items()}
        return Task(_problem(arm, goal, scenarios=[{name: value} for value in values]), (name,))
    there, back = (
        optim.Phase(phase, goal, arm.duration, p={name: value}, input_jump=jumps, balance=balance)
        for phase, goal, value, jumps, balance in (
            ("bring", arm.goal, values[0], False, "next"), ("take back", arm.start, values[1], True, "own"))
    )  # fmt: skip
    return Task(_problem(arm, arm.goal, phases=[there, back]), (name,))


def _held(arm: Arm) -> set[str]:
    """Return what the same inputs hold at the start with every load, and by stiffness: not what a torque balances."""
    name, *values = arm.load
    dae = arm.assembled((name,))
    points = [_rest(dae, arm.start, {name: value}) for value in values]
    if not np.allclose(*[point.u for point in points], atol=1e-9):
        return set()
    return set(arm.start) - set(loose_coordinates(dae, points[0]))


def shortest_time(arm: Arm) -> Task:
    """From posture to posture, by inputs that are limited, and so are their rates."""
    limits = dict(arm.strength)
    limits |= {f"der({name})": limit / (RISE * arm.duration) for name, limit in arm.strength.items()}
    limits |= {name: limit for name, limit in arm.limits.items() if "motor" not in name and "rope" not in name}
    return Task(_problem(arm, arm.goal, duration="free", objective=optim.Time(), limits=limits))


def least_vibration(arm: Arm) -> Task:
    """From posture to posture with the least elastic energy on the way, whatever the inputs."""
    return Task(_problem(arm, arm.goal, objective=optim.Vibration()))


def waiting(arm: Arm) -> Task:
    """Stay where it is."""
    return Task(_problem(arm, arm.start))


def waiting_unbent(arm: Arm) -> Task:
    """Stay where it is, with the least elastic energy."""
    return Task(_problem(arm, arm.start, objective=optim.Vibration()))


TASKS: dict[str, Callable[[Arm], Task | None]] = {
    "joints": joint_goal,
    "tip": tip_goal,
    "pose": pose_goal,
    "moving": moving_goal,
    "obstacle": obstacle,
    "line": straight_line,
    "loads": two_loads,
    "time": shortest_time,
}
# The others are planned if they are named
EVERY: dict[str, Callable[[Arm], Task | None]] = TASKS | {
    "vibration": least_vibration,
    "waits": waiting,
    "stays unbent": waiting_unbent,
}


def _problem(arm: Arm, goal: Mapping[str, Any], **changes: Any) -> optim.Problem:
    options = {"objective": arm.objective, "limits": arm.limits, "input_ends": "holding"} | changes
    duration = options.pop("duration", arm.duration)
    # What may be left at the goal is said of coordinates at rest
    leeway = arm.leeway if goal == arm.goal else 0.0
    phase = optim.Phase("move", goal, duration, leeway=leeway)
    return optim.Problem(start=arm.start, **{"phases": [phase]} | options)


def _at(arm: Arm, values: Mapping[str, float]) -> tuple[fb.OperatingPoint, fb.DAE]:
    dae = arm.assembled().with_outputs([f"{arm.tip}.rotation_{row}{column}" for row in "xyz" for column in "xyz"])
    return _rest(dae, values), dae


def _rest(dae: fb.DAE, values: Mapping[str, float], p: Mapping[str, float] | None = None) -> fb.OperatingPoint:
    """Return the equilibrium by coordinates or, as for arms that are bent by tendons, by places.

    A floating base is where the joints take it on their straight way there, since else a place may be out of reach.
    """
    there = boundary_equilibrium(dae, values, dae.p.values(p, "real plans: "), "real plans").point
    base = floating_base(dae, there)
    if not base:
        return there
    n, x = dae.tree.size, there.x.copy()
    x[list(base)] = carried_base(dae, there, dae.x.start[:n], x[:n], base)[list(base)]
    return replace(there, x=x)


def _values(dae: fb.DAE, point: fb.OperatingPoint, names: list[str]) -> np.ndarray:
    return np.array([point[name] for name in names])


def _place(arm: Arm, values: Mapping[str, float]) -> dict[str, float]:
    """Return where the tip is in a posture, in the axes in which it can be put; what names no joint stays."""
    dae = arm.assembled()
    place = _tip(arm, dae, values)
    other = {name: value for name, value in values.items() if "tension" in name}
    return {f"{arm.tip}.{axis}": place["xyz".index(axis)] for axis in arm.axes} | other


def _tip(arm: Arm, dae: fb.DAE, values: Mapping[str, float]) -> np.ndarray:
    point = _rest(dae, values)
    return np.array([point[f"{arm.tip}.{axis}"] for axis in "xyz"])


def _way(arm: Arm, dae: fb.DAE, count: int = 9) -> np.ndarray:
    """Return places of the tip (count, 3) on the way of the joints."""
    shares = np.linspace(0.0, 1.0, count)
    between = [{name: (1 - s) * arm.start[name] + s * arm.goal[name] for name in arm.goal} for s in shares]
    return np.array([_tip(arm, dae, values) for values in between])
