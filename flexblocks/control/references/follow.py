"""What a closed loop is to follow: its reference inputs from motions, trajectories or plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline, PPoly

from flexblocks.control.naming import reference_name
from flexblocks.control.references.reference import Reference, of_polynomial, reference
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, listing, nearest
from flexblocks.simulation.polynomial import PiecewisePolynomial, from_ppoly
from flexblocks.simulation.signal import TimeSignal
from flexblocks.simulation.trajectory import Trajectory


class PlanLike(Protocol):
    """What is needed of a plan: a trajectory, and the inputs as polynomials."""

    @property
    def trajectory(self) -> Trajectory: ...

    @property
    def inputs(self) -> Mapping[str, PPoly]: ...


def follow(closed: DAE, wanted: Mapping[str, Any] | Trajectory | PlanLike) -> dict[str, TimeSignal]:
    """Return the reference inputs of a closed loop for `flexblocks.simulate`, rates and accelerations included.

    Parameters
    ----------
    closed : DAE
        What `close_loop` returned.
    wanted : dict, Trajectory or Plan
        By the name of a variable what it is to follow, as `reference` takes it:
        ``{"joint1.angle": quintic(0.0, 1.5, 2.0)}``, or a Trajectory in which it moves as wanted. Or a motion of the
        arm: then every reference follows it, feedforward inputs included, and stands still where it ends.

    Returns
    -------
    dict of TimeSignal
        By the name of the reference input; those that `wanted` does not name are left out.

    Raises
    ------
    NameUnknownError
        The closed loop has no such reference, or the trajectory does not have what a reference follows.
    ParameterError
        `wanted` is none of these, or something in it is no reference.
    """
    if isinstance(wanted, Trajectory):
        return _along(closed, wanted, {})
    if isinstance(wanted, Mapping):
        return _by_name(closed, wanted)
    trajectory, inputs = getattr(wanted, "trajectory", None), getattr(wanted, "inputs", None)
    if isinstance(trajectory, Trajectory) and isinstance(inputs, Mapping):
        return _along(closed, trajectory, inputs)
    raise ParameterError(f"follow: wanted = {wanted!r}; must be a dict by name, a Trajectory or a Plan.")


def _by_name(closed: DAE, wanted: Mapping[str, Any]) -> dict[str, TimeSignal]:
    found: dict[str, TimeSignal] = {}
    for name, given in wanted.items():
        inputs = {order: reference_name(name, order) for order in range(4)}
        known = {order: entry for order, entry in inputs.items() if entry in closed.u}
        if not known:
            names = followed(closed)
            raise NameUnknownError(
                f"follow: the closed loop has no reference of '{name}' (it follows {listing(names)})."
                f"{nearest(str(name), names)}"
            )
        try:
            motion = _interpolated(given, name) if isinstance(given, Trajectory) else reference(given)
        except ParameterError as error:
            raise ParameterError(f"follow: {name}: {error}") from None
        found |= {entry: motion.derivative(order) for order, entry in known.items()}
    return found


def followed(closed: DAE) -> tuple[str, ...]:
    """Return the variables that have a reference in a closed loop."""
    return tuple(dict.fromkeys(_split(name)[0] for name in closed.u.names if "reference." in name))


def _split(name: str) -> tuple[str, int]:
    """Return which variable a reference input belongs to, and the order of its derivative."""
    order = 0
    if name.startswith("der("):
        inner, comma, count = name[4:-1].partition(",")
        name, order = inner, int(count) if comma else 1
    return name.removeprefix("reference."), order


def _along(closed: DAE, motion: Trajectory, inputs: Mapping[str, PPoly]) -> dict[str, TimeSignal]:
    found = {}
    for entry in closed.u.names:
        if not entry.startswith(("reference.", "der(reference.")):
            continue
        name, order = _split(entry)
        if name in inputs:
            found[entry] = of_polynomial(held_at_end(inputs[name])).derivative(order)
        else:
            found[entry] = _interpolated(motion, name).derivative(order)
    return found


def _interpolated(motion: Trajectory, name: str) -> Reference:
    """Return what a variable does along a trajectory; with samples of its rate, these are used, too."""
    t, rate = motion.t, f"der({name})"
    if rate not in motion:
        return of_polynomial(held_at_end(CubicSpline(t, motion[name])))
    rates = CubicSpline(t, motion[rate])
    return Reference(
        held_at_end(CubicHermiteSpline(t, motion[name], motion[rate])), _ended(rates), _ended(rates.derivative())
    )


def held_at_end(pieces: PPoly) -> PiecewisePolynomial:
    """Return a polynomial that keeps its last value after its end."""
    return _continued(pieces, float(pieces(pieces.x[-1])))


def _ended(pieces: PPoly) -> PiecewisePolynomial:
    """Return a polynomial that is 0 after its end."""
    return _continued(pieces, 0.0)


def _continued(pieces: PPoly, value: float) -> PiecewisePolynomial:
    found = from_ppoly(pieces)
    c = np.hstack([found.pieces.c, np.zeros((len(found.pieces.c), 1))])
    c[-1, -1] = value
    x = np.append(found.pieces.x, found.pieces.x[-1] + 1.0)
    return PiecewisePolynomial(PPoly(c, x), (found.domain[0], np.inf))
