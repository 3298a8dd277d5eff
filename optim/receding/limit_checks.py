"""Checks of the limits of a receding horizon: those that exclude the arm's own, its posture or its references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.simulation.trajectory import Trajectory
from flexblocks.user_warning import warn

from ..problem.path_constraints.path_constraint import BoundedValue, PathConstraint
from ..warning_kinds import HORIZON_BEYOND_LIMITS, LIMITS_OF_ACTUATORS
from .prediction import Prediction
from .soft_limits import bounded_values

# Of a limit's size, by which values may be beyond it: rounding.
ROUNDING = 1e-9
# Of the largest force at rest, the part that no input balances where the posture counts as an equilibrium. A choice:
# in others, as with springs that are not wound up yet, what holds the driven coordinates does not hold the arm.
BALANCED = 1e-3


def check_limits(
    model: Prediction,
    limits: Mapping[str, tuple[float, float]],
    constraints: Sequence[PathConstraint],
    paths: Mapping[str, Any],
    x: np.ndarray,
) -> None:
    """Refuse limits that exclude those of actuators and joints; warn of what is beyond limits already.

    Parameters
    ----------
    model : Prediction
    limits : dict
        (low, high) by name, of inputs and signals.
    constraints : sequence of PathConstraint
        Obstacles and regions.
    paths : dict
        References by signal.
    x : ndarray (nx,)
        States of the posture in whose neighbourhood the law works.

    Raises
    ------
    ParameterError
        A limit excludes the whole range of an actuator or joint.
    """
    dae = model.dae
    joints = {name: (each.low, each.high) for name, each in dae.tree.state_ranges.items() if each.kept}
    own = joints | {name: (-limit, limit) for name, limit in zip(dae.u.names, dae.u.limits.tolist(), strict=True)}
    for name, (low, high) in limits.items():
        least, most = own.get(name, (-np.inf, np.inf))
        if not max(low, least) < min(high, most):
            raise ParameterError(
                f"MPC: limits: {name} = ({low:g}, {high:g}); excludes the whole range of the model's own limits, "
                f"{least:g} to {most:g} {(dae.x if name in dae.x else dae.u).unit(name)}."
            )
    _warn_of_actuators(model, limits)
    kept = joints | dict(limits)
    soft = bounded_values(model, {name: pair for name, pair in kept.items() if name not in dae.u}, constraints)
    beyond = [*_beyond_in_posture(model, soft, x), *_beyond_to_hold(model, kept, x), *_beyond_along_paths(kept, paths)]
    if beyond:
        warn(
            f"MPC: {'; '.join(beyond)}. Choose a posture at= and references within the limits, or widen these.",
            HORIZON_BEYOND_LIMITS,
        )


def _warn_of_actuators(model: Prediction, limits: Mapping[str, tuple[float, float]]) -> None:
    u, wider = model.dae.u, []
    for name in (name for name in model.inputs if name in limits):
        own, most = float(u.limits[u.index(name)]), max(abs(end) for end in limits[name] if np.isfinite(end))
        if most > own * (1 + ROUNDING):
            wider.append(f"{name} = ({limits[name][0]:g}, {limits[name][1]:g}), of the actuator {own:g} {u.unit(name)}")
    if wider:
        warn(
            f"MPC: limits exceed those of the actuators themselves: {'; '.join(wider)}. It keeps within what the "
            "actuators give. Raise the limit of the block, or lower that of the law.",
            LIMITS_OF_ACTUATORS,
        )


def _beyond_in_posture(model: Prediction, soft: Sequence[BoundedValue], x: np.ndarray) -> Iterator[str]:
    """Yield the limits that the posture is beyond, with the inputs that hold it."""
    dae = model.dae
    held = [ca.substitute(ca.SX(each.value), model.u, model.holding) for each in soft]
    function = model.function("limited", [ca.vertcat(*held)], [dae.x.symbol, dae.p.symbol, model.force])
    for each, value in zip(soft, function(x, dae.p.start, 0).full().ravel(), strict=True):
        yield from _beyond(f"at: {each.name} = {value + 0.0:.3g}", value, (float(each.low), float(each.high)))


def _beyond_to_hold(model: Prediction, limits: Mapping[str, tuple[float, float]], x: np.ndarray) -> Iterator[str]:
    """Yield the limits that the inputs are beyond that hold the arm in the posture, where it is an equilibrium."""
    dae, n = model.dae, model.n
    results = [model.holding, model.at_rest, model.missing]
    function = model.function("held", results, [dae.x.symbol, dae.p.symbol, model.force])
    still = np.concatenate([x[:n], np.zeros(n), x[2 * n :]])
    holding, forces, left = (part.full().ravel() for part in function(still, dae.p.start, np.zeros(n)))
    if not np.max(np.abs(left), initial=0.0) <= BALANCED * np.max(np.abs(forces), initial=0.0):
        return
    for name, value in zip(model.inputs, holding, strict=True):
        own = float(dae.u.limits[dae.u.index(name)])
        words = f"at: {name} = {value + 0.0:.3g} {dae.u.unit(name)} to hold the arm"
        yield from _beyond(words, value, limits.get(name, (-own, own)))


def _beyond_along_paths(limits: Mapping[str, tuple[float, float]], paths: Mapping[str, Any]) -> Iterator[str]:
    """Yield the limits that references beyond them reach, of those whose values are known."""
    for name in (name for name in paths if name in limits):
        for value in _extremes(paths[name], name):
            yield from _beyond(f"the reference of {name} reaches {value:.3g}", value, limits[name])


def _beyond(where: str, value: float, limit: tuple[float, float]) -> Iterator[str]:
    low, high = limit
    spare = ROUNDING * max((abs(end) for end in limit if np.isfinite(end)), default=0.0)
    if value < low - spare or value > high + spare:
        yield f"{where}; its limits are {low:g} to {high:g}"


def _extremes(path: Any, signal: str) -> tuple[float, ...]:
    """Return least and largest value of a path that is a number, a pair of times and values, or a motion."""
    motion = getattr(path, "trajectory", path)
    if isinstance(motion, Trajectory):
        values = np.asarray(motion[signal])
    elif isinstance(path, tuple) and len(path) == 2:
        values = np.asarray(path[1], dtype=float)
    elif isinstance(path, (int, float, np.number)):
        return (float(path),)
    else:
        return ()
    return tuple({float(values.min()), float(values.max())})
