"""Bounds: the limits of a problem, resolved into bounds of states and inputs."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexblocks.constraints.ranges import admissible_states, moved_ranges, output_ranges
from flexblocks.dae.dae import DAE
from flexblocks.statics.operating_point import OperatingPoint

from ..collocation.input_parametrization import SHAPES, InputShape
from ..errors import ProblemError
from ..problem.problem import Problem

# Share of the least extension at both ends of a phase that a sliding beam keeps everywhere, unless its slide is limited
# by name: pushed all the way in it is infinitely stiff, and least effort likes a short arm. By trial.
KEPT_OUT = 0.25
HIGHEST_ORDER = 1  # of the inputs' derivatives that can be limited: their rates


@dataclass(frozen=True, eq=False)
class Limits:
    """Lower and upper bounds of states and inputs, infinite where there is none.

    Attributes
    ----------
    x : ndarray (nx, 2)
        Bounds of the states.
    inputs : tuple of ndarray (nu, 2)
        Bounds of the inputs and their derivatives, by order.
    """

    x: np.ndarray
    inputs: tuple[np.ndarray, ...]

    @property
    def u(self) -> np.ndarray:
        """Limits of the inputs (nu, 2)."""
        return self.inputs[0]

    @property
    def du(self) -> np.ndarray:
        """Limits of the inputs' rates (nu, 2)."""
        return self.inputs[1]


def no_limits(dae: DAE) -> Limits:
    """Return limits that limit nothing."""
    x, u, du = (np.tile([-np.inf, np.inf], (count, 1)) for count in (len(dae.x), len(dae.u), len(dae.u)))
    return Limits(x, (u, du))


def kept_in_range(dae: DAE, limits: Limits, named: Container[str], ends: Sequence[OperatingPoint]) -> Limits:
    """Return the limits of a phase, off the lower ends of coordinates' ranges as far as its `ends` are, by a share."""
    x = limits.x.copy()
    ranged = np.flatnonzero(np.isfinite(admissible_states(dae)[:, 0]))
    for i in (i for i in ranged if dae.x.names[i] not in named):
        x[i, 0] += KEPT_OUT * max(0.0, min(point.x[i] for point in ends) - x[i, 0])
    return replace(limits, x=x)


def chosen_inputs(dae: DAE, problem: Problem) -> list[str]:
    """Return the names of the inputs but known ones, accelerations of known motions among them."""
    known = {each.acceleration[0] for each in dae.tree.prescribed if each.name in problem.prescribed}
    known.update(dae.u.with_role("disturbance"))
    return [name for name in dae.u.names if name not in known]


def held_inputs(dae: DAE, limits: Limits) -> dict[str, float]:
    """Return the inputs that limits hold at one value, by name."""
    return {name: low for name, (low, high) in zip(dae.u.names, limits.u.tolist(), strict=True) if low == high}


def mixes_units(dae: DAE, problem: Problem) -> bool:
    """Whether the objective adds squares of inputs of several units, as they are.

    Squares of N m added to squares of N would weigh one against the other by the size of the arm: of an arm of a
    centimetre, torques would cost nothing.
    """
    objective, units = problem.objective, {dae.u.units[dae.u.index(name)] for name in chosen_inputs(dae, problem)}
    return len(units) > 1 and objective.sized(dict.fromkeys(dae.u.names, 1.0)) != objective


def sizes_by_unit(dae: DAE, problem: Problem, used: np.ndarray) -> dict[str, float]:
    """Return for each input that can be chosen the largest of `used` (nu,) among those of its unit, by name."""
    chosen = [dae.u.index(name) for name in chosen_inputs(dae, problem)]
    units = np.array(dae.u.units)
    return {dae.u.names[i]: float(np.max(used[chosen][units[chosen] == units[i]])) for i in chosen}


def _input_names(dae: DAE) -> list[list[str]]:
    """Return the names of the inputs and of those derivatives that can be limited, by order."""
    return [[f"{'der(' * order}{name}{')' * order}" for name in dae.u.names] for order in range(HIGHEST_ORDER + 1)]


def own_limits(dae: DAE) -> dict[str, tuple[float, float]]:
    """Return the ranges of states, by name, that plans keep by default: the limits of joints."""
    return {name: (own.low, own.high) for name, own in dae.tree.state_ranges.items() if own.kept}


def with_own_limits(dae: DAE, problem: Problem) -> Problem:
    """Return a problem with the limits of joints, but for those that the problem replaces by its own."""
    own = {
        name: (low if np.isfinite(low) else None, high if np.isfinite(high) else None)
        for name, (low, high) in own_limits(dae).items()
    }
    return replace(problem, limits={**own, **problem.limits})


def other_limits(
    dae: DAE, ranges: Mapping[str, tuple[float, float]], p: np.ndarray, designed: Sequence[int] = ()
) -> dict[str, tuple[float, float]]:
    """Return the limits of dependent quantities: outputs within their blocks' ranges, point positions, accelerations.

    Ranges are those with the parameters `p` (np,), of which none of those `designed` may move one.

    Raises
    ------
    ProblemError
        A limit on an output that excludes the whole range of its block; a range that moves with the design.
    """
    variables = {*dae.x.names, *(name for names in _input_names(dae) for name in names)}
    off = {name for name, ends in ranges.items() if ends == (0.0, 0.0)}  # inputs, which may be no variables of a plan
    variables |= off | {f"der({name})" for name in off}
    for name, parameter in moved_ranges(dae, designed):
        raise ProblemError(
            f"plan: design: {parameter}: moves the range of {name}, which is a limit of the plan. Leave it out, "
            f"and plan with several values, p={{'{parameter}': ...}}."
        )
    own_ranges = output_ranges(dae, p)
    limits = dict(own_ranges)
    for name, (low, high) in ranges.items():
        if name in variables:
            continue
        own = own_ranges.get(name, (-np.inf, np.inf))
        limits[name] = max(own[0], low), min(own[1], high)
        if limits[name][0] > limits[name][1] and name in own_ranges:
            raise _excluded(name, low, high, own, dae.y.unit(name))
    return limits


def resolved_limits(dae: DAE, ranges: Mapping[str, tuple[float, float]], shape: InputShape) -> Limits:
    """Return the bounds of states and inputs, combined with those of the model's sources and ranges.

    Outside its range a coordinate has no physics, as that of a beam pushed all the way in: the equations of motion
    would go on there, and an optimum with them.

    Raises
    ------
    ProblemError
        A limit on a derivative that inputs of this shape do not have, such as the rate of piecewise constant ones; a
        limit that excludes the whole range of an actuator, a coordinate or a joint.
    """
    x = admissible_states(dae)
    of_sources = np.column_stack([-dae.u.limits, dae.u.limits]).reshape(-1, 2)
    inputs = of_sources, *(np.tile([-np.inf, np.inf], (len(dae.u), 1)) for _ in range(HIGHEST_ORDER))
    rows = {name: x[i] for i, name in enumerate(dae.x.names)}
    orders, joints = {}, own_limits(dae)
    for order, names in enumerate(_input_names(dae)):
        rows |= {name: inputs[order][i] for i, name in enumerate(names)}
        orders |= dict.fromkeys(names, order)
    for name, (low, high) in ranges.items():
        if name not in rows:
            continue  # limited along the path
        if (order := orders.get(name, 0)) > shape.degree:
            jumps = f"{'der(' * shape.degree}u{')' * shape.degree}"
            smoother = " or ".join(f'"{other.name}"' for other in SHAPES.values() if other.degree >= order)
            raise ProblemError(
                f"plan: limits: {name}: {jumps} of {shape.words} inputs jumps, so its rate cannot be limited; plan "
                f"with inputs={smoother}."
            )
        row = rows[name]
        own = tuple(row)
        row[:] = max(own[0], low), min(own[1], high)
        # A limit takes the place of that of a joint, and may be wider; not where the joint cannot be at all.
        for least, most in (own, joints.get(name, own)):
            if max(least, low) > min(most, high):
                raise _excluded(name, low, high, (least, most), (dae.x if name in dae.x else dae.u).unit(name))
    return Limits(x, inputs)


def _excluded(name: str, low: float, high: float, own: tuple[float, float], unit: str) -> ProblemError:
    """Return the error for a limit that leaves nothing of the model's own."""
    return ProblemError(
        f"plan: limits: {name} = ({low:g}, {high:g}); excludes the whole range of the model's own limits, "
        f"{own[0]:g} to {own[1]:g} {unit}."
    )
