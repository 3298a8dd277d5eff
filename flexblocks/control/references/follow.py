"""Reference tracking: the reference inputs of a closed loop, from motions, trajectories or plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from flexblocks.control.naming import reference_name
from flexblocks.control.references.reference import Reference, reference, signal_reference
from flexblocks.dae.dae import DAE
from flexblocks.errors import NameUnknownError, ParameterError, suggestion
from flexblocks.libraries import scipy
from flexblocks.simulation.signals.polynomial import PiecewisePolynomial, from_ppoly
from flexblocks.simulation.signals.signal import TimeSignal
from flexblocks.simulation.trajectory import Trajectory


class PlanLike(Protocol):
    """A plan as far as tracking needs it: a trajectory, and the inputs as polynomials."""

    @property
    def trajectory(self) -> Trajectory: ...

    @property
    def inputs(self) -> Mapping[str, scipy.interpolate.PPoly]: ...


def follow(closed: DAE, wanted: Mapping[str, Any] | Trajectory | PlanLike) -> dict[str, TimeSignal]:
    """Return the reference inputs of a closed loop for `flexblocks.simulate`, rates and accelerations included.

    Parameters
    ----------
    closed : DAE
        What `close_loop` returned.
    wanted : dict, Trajectory or Plan
        The motion to follow, by variable, in any form that `reference` takes:
        ``{"joint1.angle": quintic(0.0, 1.5, 2.0)}``, or a Trajectory that has the variable. Or one Trajectory or Plan
        of the arm: then every reference follows it, feedforward inputs included, and holds its last value beyond the
        end.

    Returns
    -------
    dict of TimeSignal
        By reference input; those that `wanted` does not name are left out.

    Raises
    ------
    NameUnknownError
        The closed loop has no such reference, or the trajectory lacks a variable that a reference follows.
    ParameterError
        `wanted` is of another type, or contains something that cannot be a reference.
    """
    if isinstance(wanted, Trajectory):
        return _from_motion(closed, wanted, {})
    if isinstance(wanted, Mapping):
        return _by_name(closed, wanted)
    trajectory, inputs = getattr(wanted, "trajectory", None), getattr(wanted, "inputs", None)
    if isinstance(trajectory, Trajectory) and isinstance(inputs, Mapping):
        return _from_motion(closed, trajectory, inputs)
    raise ParameterError(f"follow: wanted = {wanted!r}; must be a dict by name, a Trajectory or a Plan.")


def _by_name(closed: DAE, wanted: Mapping[str, Any]) -> dict[str, TimeSignal]:
    signals: dict[str, TimeSignal] = {}
    for name, target in wanted.items():
        inputs = {order: reference_name(name, order) for order in range(4)}
        known = {order: entry for order, entry in inputs.items() if entry in closed.u}
        if not known:
            names = tracked_variables(closed)
            raise NameUnknownError(
                f"follow: the closed loop has no reference of '{name}'{suggestion(name, names, 'it follows')}"
            )
        try:
            motion = _interpolated(target, name) if isinstance(target, Trajectory) else reference(target)
        except ParameterError as error:
            raise ParameterError(f"follow: {name}: {error}") from None
        signals |= {entry: motion.derivative(order) for order, entry in known.items()}
    return signals


def tracked_variables(closed: DAE) -> tuple[str, ...]:
    """Return the variables for which a closed loop has a reference."""
    return tuple(dict.fromkeys(_variable_and_order(name)[0] for name in closed.u.names if "reference." in name))


def _variable_and_order(name: str) -> tuple[str, int]:
    """Return the variable that a reference input belongs to, and the order of the derivative."""
    order = 0
    if name.startswith("der("):
        inner, comma, count = name[4:-1].partition(",")
        name, order = inner, int(count) if comma else 1
    return name.removeprefix("reference."), order


def _from_motion(
    closed: DAE, motion: Trajectory, inputs: Mapping[str, scipy.interpolate.PPoly]
) -> dict[str, TimeSignal]:
    signals = {}
    for entry in closed.u.names:
        if not entry.startswith(("reference.", "der(reference.")):
            continue
        name, order = _variable_and_order(entry)
        if name in inputs:
            signals[entry] = signal_reference(held_at_end(inputs[name])).derivative(order)
        else:
            signals[entry] = _interpolated(motion, name).derivative(order)
    return signals


def _interpolated(motion: Trajectory, name: str) -> Reference:
    """Return the spline through a variable's samples; a Hermite spline where the trajectory has its rate, too."""
    t, rate = motion.t, f"der({name})"
    if rate not in motion:
        return signal_reference(held_at_end(scipy.interpolate.CubicSpline(t, motion[name])))
    rates = scipy.interpolate.CubicSpline(t, motion[rate])
    return Reference(
        held_at_end(scipy.interpolate.CubicHermiteSpline(t, motion[name], motion[rate])),
        _ended(rates),
        _ended(rates.derivative()),
    )


def held_at_end(pieces: scipy.interpolate.PPoly) -> PiecewisePolynomial:
    """Return the piecewise polynomial, continued by its last value."""
    return _continued(pieces, float(pieces(pieces.x[-1])))


def _ended(pieces: scipy.interpolate.PPoly) -> PiecewisePolynomial:
    """Return the piecewise polynomial, continued by 0."""
    return _continued(pieces, 0.0)


def _continued(pieces: scipy.interpolate.PPoly, value: float) -> PiecewisePolynomial:
    """Return the piecewise polynomial with one more piece, a constant without end."""
    polynomial = from_ppoly(pieces)
    c = np.hstack([polynomial.pieces.c, np.zeros((len(polynomial.pieces.c), 1))])
    c[-1, -1] = value
    x = np.append(polynomial.pieces.x, polynomial.pieces.x[-1] + 1.0)
    return PiecewisePolynomial(scipy.interpolate.PPoly(c, x), (polynomial.domain[0], np.inf))
