"""Soft limits of a receding horizon: on states, outputs and places, as functions of states and inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from flexblocks.dynamics.algorithms.energy import stored_energies, total
from flexblocks.errors import ParameterError, listing

from ..problem.path_constraints.path_constraint import BoundedValue, PathConstraint, size_of
from ..problem.path_constraints.signal_limit import within
from ..problem.signals.instant import instant
from ..problem.signals.signals import Signals
from .costs import ELASTIC
from .prediction import Prediction
from .scales import SHARE


def bounded_values(
    model: Prediction, limits: Mapping[str, tuple[float, float]], path: Sequence[PathConstraint]
) -> list[BoundedValue]:
    """Return values in states and inputs of the model with their bounds.

    Parameters
    ----------
    model : Prediction
    limits : dict
        (low, high) of states and signals by name.
    path : sequence of PathConstraint

    Raises
    ------
    NameUnknownError
        There is no such signal.
    ParameterError
        One depends on more than states, accelerations and inputs.
    """
    signals, found = Signals(instant(model.dae)), []
    for name, (low, high) in limits.items():
        if name == ELASTIC:
            found.append(BoundedValue(name, total(stored_energies(model.dae.tree, model.dae.q)), low, high))
        else:
            found += within(name, signals[name], low, high)
    for constraint in path:
        found += constraint.values(constraint.label, signals)
    return [_in_states_and_inputs(model, each) for each in found]


def _in_states_and_inputs(model: Prediction, bounded: BoundedValue) -> BoundedValue:
    dae, at = model.dae, instant(model.dae)
    value = ca.SX(bounded.value)
    if ca.depends_on(value, ca.vertcat(at.parts["a"], at.parts["f"])):
        # What is accelerated under the chosen inputs.
        unknown, known = ca.vertcat(at.parts["a"], at.parts["f"]), [dae.expressions.acceleration]
        known += [dae.expressions.multipliers] if at.parts["f"].numel() else []
        value = ca.substitute(value, unknown, ca.vertcat(*known))
    others = [i for i, name in enumerate(dae.u.names) if name not in model.inputs]
    if others:
        before = ca.vertcat(*[dae.u.symbol[i] for i in others])
        value = ca.substitute(value, before, ca.SX(ca.DM([float(dae.u.start[i]) for i in others])))
    allowed = ca.vertcat(dae.x.symbol, dae.p.symbol, model.u)
    if more := [symbol for symbol in ca.symvar(value) if not ca.depends_on(allowed, symbol)]:
        raise ParameterError(
            f"{model.where}: limits: '{bounded.name}' depends on {listing(map(str, more))}; must be a signal of "
            "states, accelerations and inputs. Rates of inputs have their own argument, rates=."
        )
    return BoundedValue(bounded.name, value, bounded.low, bounded.high)


def soft_limits(
    model: Prediction, bounded: Sequence[BoundedValue], scales: np.ndarray, x: np.ndarray, p: np.ndarray
) -> tuple[ca.Function, dict[str, np.ndarray | float]]:
    """Return (x, u, p, force) -> values and their derivatives in x and u, and the kernel's constants of them.

    Parameters
    ----------
    model : Prediction
    bounded : sequence of BoundedValue
    scales : ndarray (nx,)
        Of the states.
    x, p : ndarray
        Where sizes of violations are measured.
    """
    values = ca.vertcat(*[each.value for each in bounded])
    symbols = [model.dae.x.symbol, model.u, model.dae.p.symbol, model.force]
    slopes = [ca.jacobian(values, symbol) for symbol in symbols[:2]]
    function = model.function("arm_limits", [values, *slopes], symbols)
    moved = np.abs(np.nan_to_num(function(x, 0, p, np.zeros(model.n))[1].full()) * scales).max(axis=1, initial=0.0)
    low, high = np.array([(each.low, each.high) for each in bounded], dtype=float).T
    widths = np.array([size_of(each.low, each.high) for each in bounded])
    widths = np.where(np.isfinite(widths) & (widths > 0), widths, 1.0)
    return function, {"LIMIT_LOW": low, "LIMIT_HIGH": high, "LIMIT_SIZE": np.where(moved > 0, moved, SHARE * widths)}
