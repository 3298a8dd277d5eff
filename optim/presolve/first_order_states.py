"""First-order states by what decides them: inputs, a motion, references, or nothing at rest."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.generalized_forces import state_rates
from flexblocks.statics.balance import rest_residuals
from flexblocks.statics.operating_point import OperatingPoint

SOON = 0.01  # of the duration of a phase: a third of an interval of 30


def first_order_rates(dae: DAE) -> ca.SX:
    """Return the rates of the first-order states (nw, 1), of states, algebraic variables, inputs and parameters."""
    return state_rates(dae.tree, dae.x.symbol, dae.z.symbol, dae.u.symbol)


def driven_states(dae: DAE) -> list[int]:
    """Return the first-order states on whose rates inputs act, by their numbers among these states."""
    return sorted(set(ca.jacobian_sparsity(first_order_rates(dae), dae.u.symbol).row()))


def undriven_states(dae: DAE) -> list[int]:
    """Return the first-order states on whose rates no input acts, by their numbers among these states."""
    driven = set(driven_states(dae))
    return [i for i in range(len(dae.x) - 2 * dae.tree.size) if i not in driven]


@lru_cache(maxsize=16)
def undetermined_at_rest(dae: DAE) -> tuple[int, ...]:
    """Return the first-order states that keep any value at rest, such as bristles, by their numbers among all states.

    Their rates vanish with the rates of the coordinates, whatever they are themselves.
    """
    n, count = dae.tree.size, len(dae.x) - 2 * dae.tree.size
    told = set(rest_residuals(dae).jac_sparsity(0, 0).row())
    return tuple(2 * n + i for i in range(count) if n + i not in told)


@lru_cache(maxsize=16)
def traveling_states(dae: DAE) -> tuple[int, ...]:
    """Return the states of blocks, by number, whose rates are linear in the inputs and depend on nothing else.

    Lengths of ropes on winches and commands of ideal valves are such states. What they change by is an integral of the
    inputs, whatever the arm carries.
    """
    rates = first_order_rates(dae)
    if not rates.numel():
        return ()
    depends = ca.which_depends(rates, ca.vertcat(dae.x.symbol, dae.z.symbol, dae.p.symbol), 1, True)
    curved = ca.which_depends(rates, dae.u.symbol, 2, True)
    return tuple(2 * dae.tree.size + i for i in dae.tree.first_order if not depends[i] and not curved[i])


def _told(dae: DAE) -> list[int]:
    """Return the states of control laws, by their numbers among the first-order states."""
    return [i for i in range(len(dae.x) - 2 * dae.tree.size) if i not in dae.tree.first_order]


@lru_cache(maxsize=16)
def reference_states(dae: DAE) -> tuple[int, ...]:
    """Return the states of control laws, by number, that nothing of the arm changes: references that are integrated.

    They belong to what commands the arm, so that they are the same whatever it carries.
    """
    first, told, rates = 2 * dae.tree.size, _told(dae), first_order_rates(dae)
    while told:
        others = [i for i in range(len(dae.x)) if i - first not in told]
        depends = ca.which_depends(rates, ca.vertcat(dae.x.symbol[others], dae.z.symbol, dae.p.symbol), 1, True)
        if not any(depends[i] for i in told):
            break
        told = [i for i in told if not depends[i]]
    return tuple(first + i for i in told)


@lru_cache(maxsize=16)
def integrated_states(dae: DAE) -> tuple[tuple[int, int], ...]:
    """Return which states of control laws are integrals of others, by number: (state, its rate)."""
    first, told = 2 * dae.tree.size, _told(dae)
    if not told:
        return ()
    symbols, rates = {dae.x.symbol[first + i].element_hash(): first + i for i in told}, first_order_rates(dae)
    found = ((first + i, ca.densify(rates[i])) for i in told)
    return tuple((i, symbols[rate.element_hash()]) for i, rate in found if rate.element_hash() in symbols)


def settling_states(dae: DAE, at: OperatingPoint, duration: float) -> tuple[int, ...]:
    """Return the first-order states that follow an input within a hundredth of a duration [s], by their numbers.

    They are as good as inputs there: with an inductance of 1 mH and 1 Ohm a current follows its voltage within 1 ms.
    Ropes on winches, and pressures behind closed valves, stay as they are.
    """
    first = 2 * dae.tree.size
    own, driven = (part.full() for part in _slopes(dae)(at.x, at.z, at.u, at.p))
    settles = (np.diag(own) < -1.0 / (SOON * duration)) & np.any(driven, axis=1)
    return tuple((first + np.flatnonzero(settles)).tolist())


@lru_cache(maxsize=8)
def _slopes(dae: DAE) -> ca.Function:
    """Return the derivatives of the states' rates in the states themselves, and in the inputs."""
    x, z, u, p = dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol
    rates = first_order_rates(dae)
    slopes = [ca.densify(ca.jacobian(rates, x)[:, 2 * dae.tree.size :]), ca.densify(ca.jacobian(rates, u))]
    return ca.Function("slopes", [x, z, u, p], slopes)
