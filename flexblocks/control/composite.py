"""The sum of several laws: slow and fast, feedforward and feedback, compensation and servo."""

from __future__ import annotations

import casadi as ca

from flexblocks.control.actuators import Actuators
from flexblocks.control.law import Bound, Law, Tick
from flexblocks.control.references import grouped, with_symbols
from flexblocks.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.physics import Output
from flexblocks.variables import Variables, variables


class Composite(Law):
    """The sum of several laws; ``slow + fast`` makes one.

    Parameters
    ----------
    *laws : Law
        Commands for the same input are added. References of the same name are one; names of states must differ.
    """

    def __init__(self, *laws: Law) -> None:
        if not laws or not all(isinstance(law, Law) for law in laws):
            raise ParameterError(f"Composite: laws = {laws!r}; must be one law or more, as in Composite(slow, fast).")
        self.laws = tuple(part for law in laws for part in (law.laws if isinstance(law, Composite) else (law,)))

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        return added([law.bind(dae, actuators) for law in self.laws])

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        return added([law.bind_sampled(dae, actuators, sample_time) for law in self.laws])

    def designed_on(self, model: DAE) -> Composite:
        return Composite(*(law.designed_on(model) for law in self.laws))

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.laws))


def added(parts: list[Bound]) -> Bound:
    """Return the sum of laws bound to one arm; references of one name are one."""
    states = grouped("state", [part.states for part in parts])
    if repeated := [name for name in dict.fromkeys(states.names) if states.names.count(name) > 1]:
        raise ParameterError(
            f"Composite: two laws have the states {listing(repeated)}; give one of them another name, as in "
            "PID(..., name='fast')."
        )
    commands: dict[str, ca.SX] = {}
    outputs: dict[str, Output] = {}
    shared: dict[str, tuple[str, float, ca.SX]] = {}
    rates, ticks, position = [], [], 0
    for part in parts:
        own = [shared.setdefault(name, entry) for name, entry in _entries(part.references)]
        symbols = part.references.symbol, ca.vertcat(*[symbol for _, _, symbol in own], ca.SX(0, 1))
        for name, command in part.commands.items():
            commands[name] = commands.get(name, ca.SX(0)) + ca.substitute(command, *symbols)
        for name, output in part.outputs.items():
            outputs.setdefault(name, Output(ca.substitute(output.value, *symbols), output.unit))
        rates.append(ca.substitute(part.rates, *symbols))
        for tick in part.ticks:
            change = ca.SX(len(states), 1)
            change[position : position + len(part.states)] = ca.substitute(tick.change, *symbols)
            ticks.append(Tick(tick.period, tick.offset, change))
        position += len(part.states)
    references = variables("reference", [(name, unit, start) for name, (unit, start, _) in shared.items()])
    references = with_symbols(references, [symbol for _, _, symbol in shared.values()])
    return Bound(commands, references, states, ca.vertcat(*rates), outputs, tuple(ticks))


def _entries(group: Variables) -> list[tuple[str, tuple[str, float, ca.SX]]]:
    return [(name, (group.units[i], float(group.start[i]), group.symbol[i])) for i, name in enumerate(group.names)]
