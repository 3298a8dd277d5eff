"""What a law of control is, and what it is once it is bound to an arm."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from flexblocks.control.reference_inputs import grouped, with_symbols
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing
from flexblocks.interfaces.physics import Output
from flexblocks.interfaces.variables import Variables, variables


@dataclass(frozen=True, eq=False)
class Tick:
    """What a sampled law changes, and when.

    Attributes
    ----------
    period, offset : float
        [s]
    change : SX
        What is added to each state of the law. It may depend on what rates may depend on.
    """

    period: float
    offset: float
    change: ca.SX


@dataclass(frozen=True, eq=False)
class Bound:
    """A law in the symbols of one DAE: of its x, z and p, of inputs that no law drives, and of its own.

    Attributes
    ----------
    commands : dict of SX
        What the law sets, by input.
    references : Variables
        What it is given: these become inputs of the closed loop.
    states : Variables
        Its own states.
    rates : SX (len(states),)
        Their time derivatives. These may also depend on all of ``dae.u.symbol``, the inputs as the arm gets them,
        through what is measured, and on `Actuators.applied` and `Actuators.excess`.
    outputs : dict of Output
        What is worth a look: errors, estimates.
    ticks : tuple of Tick
        What happens at the sample times of a sampled law.
    """

    commands: Mapping[str, ca.SX]
    references: Variables = field(default_factory=lambda: variables("reference", ()))
    states: Variables = field(default_factory=lambda: variables("state", ()))
    rates: ca.SX = field(default_factory=lambda: ca.SX(0, 1))
    outputs: Mapping[str, Output] = field(default_factory=dict)
    ticks: tuple[Tick, ...] = ()


class Law(ABC):
    """A law of control: what sets inputs of an arm, from what is measured and what is wanted.

    Subclasses are frozen dataclasses of gains and names. ``law + other`` drives the sum of both.
    """

    @abstractmethod
    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        """Return the law in the symbols of a DAE.

        Raises
        ------
        FlexblocksError
            A name that the DAE does not have, or an arm that the law cannot control.
        """

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        """Return the law for a controller that acts every `sample_time` [s], holding its commands in between.

        ``rates`` are then the change of each state from one sample to the next over the sample time. If a law does not
        say otherwise, its gains stay as they are and its states go on by Euler's method.
        """
        del sample_time
        return self.bind(dae, actuators)

    def designed_on(self, model: DAE) -> Law:
        """Return the law with `model` for its model of the arm, where it has none of its own."""
        if getattr(self, "model", model) is None:
            return dataclasses.replace(self, model=model)  # pyright: ignore[reportArgumentType, reportCallIssue]
        return self

    def __add__(self, other: Law) -> Composite:
        return Composite(self, other)


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
