"""Samples of sensors in a bound law: their states and updates beside those of the law."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import casadi as ca

from flexblocks.control.law import Bound, SampledUpdate
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.sensing.sampler import Sampler
from flexblocks.control.sensing.sensed_arm import SensedArm
from flexblocks.interfaces.physics import Output


def with_readings(bound: Bound, readings: Mapping[ca.SX, Sampler]) -> Bound:
    """Return a sampled law with what it reads in the place of the symbols that stand for it.

    Samplers that it reads at its own samples become part of it.
    """
    if not readings:
        return bound
    symbols = ca.vertcat(*readings)
    real, linear = (ca.vertcat(*[each.reading(steps).value for each in readings.values()]) for steps in (True, False))
    updates = tuple(
        dataclasses.replace(
            update,
            change=ca.substitute(update.change, symbols, real),
            linear=ca.substitute(update.change, symbols, linear),
        )
        for update in bound.updates
    )
    return with_samplers(
        dataclasses.replace(bound, updates=updates), [each for each in readings.values() if each.reads]
    )


def with_samplers(bound: Bound, samplers: Iterable[Sampler]) -> Bound:
    """Return a law with the states of samplers after its own, and their updates."""
    for each in samplers:
        size, own = len(bound.states), len(each.states)
        updates = [
            update.through(lambda change, own=own: ca.vertcat(change, ca.SX(own, 1))) for update in bound.updates
        ]
        real, linear = each.reading(True), each.reading(False)
        before, taken_later = ca.SX(size, 1), each.reads and bool(each.phase)
        for offset, change, smooth in ((0.0, real.now, linear.now), (each.phase, real.later, linear.later)):
            if offset or change is real.now:
                noises = each.noises if bool(offset) == taken_later else ()
                parts = ca.vertcat(before, change), ca.vertcat(before, smooth)
                updates.append(SampledUpdate(each.period, offset, *parts, noises))
        states = grouped("state", [bound.states, each.states])
        rates = ca.vertcat(bound.rates, ca.SX.zeros(own))
        bound = dataclasses.replace(bound, states=states, rates=rates, updates=tuple(updates))
    return bound


def through_sensors(arm: SensedArm, bound: Bound) -> Bound:
    """Return a law that was bound to an arm with sensors in the symbols of the arm itself, and of its sensors."""
    names, shown = list(bound.commands), list(bound.outputs)
    # What is left of sensors is read in continuous time; what is recorded is true.
    (*commands, rates), _ = arm.read([*bound.commands.values(), bound.rates], None)
    bound = dataclasses.replace(bound, commands=dict(zip(names, commands, strict=True)), rates=rates)
    bound = with_samplers(bound, [each for each in arm.samplers.values() if not each.reads])
    commands, values = (
        arm.resolve([ca.SX(value) for value in group])
        for group in (bound.commands.values(), (bound.outputs[name].value for name in shown))
    )
    (rates,) = arm.resolve([bound.rates])
    return dataclasses.replace(
        bound,
        commands=dict(zip(names, commands, strict=True)),
        rates=rates,
        outputs={name: Output(value, bound.outputs[name].unit) for name, value in zip(shown, values, strict=True)},
        updates=tuple(update.through(lambda change: arm.resolve([change])[0]) for update in bound.updates),
    )
