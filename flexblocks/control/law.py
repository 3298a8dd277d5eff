"""Control laws: a law, a law bound to one arm, and the sum of laws."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import casadi as ca

from flexblocks.control.method_arguments import refuse_other_arguments
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.noise import Noise
from flexblocks.errors import ParameterError, listing
from flexblocks.interfaces.physics import Output
from flexblocks.interfaces.variables import Variables, variables


@dataclass(frozen=True, eq=False)
class SampledUpdate:
    """The update of a sampled law's states, at t = offset, offset + period, offset + 2 period, ...

    Attributes
    ----------
    period, offset : float
        [s]
    change : SX (number of states,)
        Increment of each state of the law. It may depend on whatever `Bound.rates` may depend on.
    linear : SX (number of states,), optional
        The same where it has derivatives that mean something, see `flexblocks.dynamics.tree.clock.Clock`.
    noises : tuple of Noise
        Inputs that are drawn at these times.
    """

    period: float
    offset: float
    change: ca.SX
    linear: ca.SX | None = None
    noises: tuple[Noise, ...] = ()

    def through(self, changed: Callable[[ca.SX], ca.SX]) -> SampledUpdate:
        """Return the update of a law of other states or symbols, of which `changed` gives the increments."""
        linear = None if self.linear is None else changed(self.linear)
        return dataclasses.replace(self, change=changed(self.change), linear=linear)


@dataclass(frozen=True, eq=False)
class Bound:
    """A law bound to one DAE: expressions in its x, z and p, its undriven inputs, and the law's references and states.

    Attributes
    ----------
    commands : dict of SX
        Command of each input that the law drives, by input.
    references : Variables
        The law's reference signals; they become inputs of the closed loop, with their roles.
    states : Variables
        The law's own states, such as integrals and estimates.
    rates : SX (len(states),)
        Time derivatives of the states. Beyond what commands depend on, these may depend on all of ``dae.u.symbol``,
        the inputs that reach the arm (measurements may contain them), on `Actuators.applied` and on
        `Actuators.excess`.
    outputs : dict of Output
        Further signals to record: control errors, estimates.
    updates : tuple of SampledUpdate
        What a sampled law does to its states at its sample times.
    rest : SX (len(states),), optional
        What is zero where the loop is at rest, by default the rates; zeros of states that only record a motion, and
        keep any value at rest.
    """

    commands: Mapping[str, ca.SX]
    references: Variables = field(default_factory=lambda: variables("reference", ()))
    states: Variables = field(default_factory=lambda: variables("state", ()))
    rates: ca.SX = field(default_factory=lambda: ca.SX(0, 1))
    outputs: Mapping[str, Output] = field(default_factory=dict)
    updates: tuple[SampledUpdate, ...] = ()
    rest: ca.SX | None = None


@runtime_checkable
class Bindable(Protocol):
    """Protocol of laws: whatever has this method can close a loop; `Law` is the usual base."""

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        """Return the law as expressions in the symbols of a DAE."""
        ...


class Law(ABC):
    """A control law: computes inputs of an arm from measurements and references.

    Subclasses are frozen dataclasses of gains and names. ``law + other`` adds their commands. A law need not be a
    subclass: see `Bindable`.
    """

    @abstractmethod
    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        """Return the law as expressions in the symbols of a DAE.

        Raises
        ------
        FlexblocksError
            The DAE lacks a variable that the law names, or the law cannot control this arm.
        """

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        """Return the law for a controller that runs every `sample_time` [s] and holds its commands in between.

        ``rates`` are then the change of each state from one sample to the next, divided by the sample time. By default
        the gains stay as they are and the states advance by the explicit Euler method.
        """
        del sample_time
        return self.bind(dae, actuators)

    def designed_on(self, model: DAE) -> Law:
        """Return the law with `model` as its model of the arm, unless it already has one."""
        if getattr(self, "model", model) is None:
            return dataclasses.replace(self, model=model)  # pyright: ignore[reportArgumentType, reportCallIssue]
        return self

    @property
    def predicted_delay(self) -> float:
        """Delay from a sample to the moment its command takes effect [s] over which the law predicts."""
        return 0.0

    def __add__(self, other: Bindable) -> Sum:
        return Sum(self, other)

    def __radd__(self, other: Bindable) -> Sum:
        return Sum(other, self)


@dataclass(frozen=True, eq=False)
class _PlainLaw(Law):
    """A law of the user's own, a `Law` or any object with the method `bind`: what its methods return is checked."""

    law: Any
    where: str

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        return self._bound(self.law.bind(dae, actuators), "bind")

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        if not hasattr(self.law, "bind_sampled"):
            return self.bind(dae, actuators)
        return self._bound(self.law.bind_sampled(dae, actuators, sample_time), "bind_sampled")

    def designed_on(self, model: DAE) -> Law:
        return as_law(self.law.designed_on(model), self.where) if hasattr(self.law, "designed_on") else self

    @property
    def predicted_delay(self) -> float:
        return float(getattr(self.law, "predicted_delay", 0.0))

    def _bound(self, bound: Any, method: str) -> Bound:
        if not isinstance(bound, Bound):
            raise ParameterError(
                f"{self.where}: {type(self.law).__name__}.{method} returned {bound!r}; must be a control.Bound, as in "
                "Bound({'motor1.torque': command})."
            )
        return bound


def as_law(law: Any, where: str, argument: str = "law") -> Law:
    """Return a law with all methods of `Law`, from whatever the user has as one.

    Raises
    ------
    ParameterError
        It has no method `bind`, or one that takes other arguments, or is a class.
    """
    if isinstance(law, Law) and type(law).__module__.startswith(f"{__package__}."):
        return law
    if isinstance(law, type):
        raise ParameterError(
            f"{where}: {argument} = {law!r} is a class; must be an instance, such as {law.__name__}(...)."
        )
    if not isinstance(law, Bindable) or not callable(law.bind):
        raise ParameterError(
            f"{where}: {argument} = {law!r}; must be a law of flexblocks.control, such as PD(...), or an object with "
            "the method bind(dae, actuators) that returns a control.Bound."
        )
    refuse_other_arguments(law, where, argument)
    return _PlainLaw(law, where)


class Sum(Law):
    """The sum of several laws; ``slow + fast`` makes one.

    Parameters
    ----------
    *laws : Law
        Or anything with the method `bind`. Commands for the same input are added, references of the same name are
        shared; names of states must differ.
    """

    def __init__(self, *laws: Bindable) -> None:
        if not laws:
            raise ParameterError(f"Sum: laws = {laws!r}; must be one law or more, as in Sum(slow, fast).")
        for law in laws:
            as_law(law, "Sum", "laws")
        self.laws = tuple(part for law in laws for part in (law.laws if isinstance(law, Sum) else (law,)))

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        return summed([law.bind(dae, actuators) for law in self._parts()])

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        return summed([law.bind_sampled(dae, actuators, sample_time) for law in self._parts()])

    @property
    def predicted_delay(self) -> float:
        return max(law.predicted_delay for law in self._parts())

    def designed_on(self, model: DAE) -> Sum:
        return Sum(*(law.designed_on(model) for law in self._parts()))

    def _parts(self) -> list[Law]:
        return [as_law(law, "Sum") for law in self.laws]

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.laws))


def summed(parts: list[Bound]) -> Bound:
    """Return the sum of laws bound to one arm: commands add up, references of one name are shared."""
    states = grouped("state", [part.states for part in parts])
    if repeated := [name for name in dict.fromkeys(states.names) if states.names.count(name) > 1]:
        raise ParameterError(
            f"Sum: two laws have the states {listing(repeated)}; must differ. Give one law another name, as in "
            "PID(..., name='fast')."
        )
    commands: dict[str, ca.SX] = {}
    outputs: dict[str, Output] = {}
    shared: dict[str, ca.SX] = {}
    references: list[Variables] = []
    rates, updates, position = [], [], 0
    for part in parts:
        # Every law made symbols for its references; those of the first law that uses a reference replace the others.
        names, own = part.references.names, part.references.symbol
        references.append(part.references.take([i for i, name in enumerate(names) if _is_new(name, own[i], shared)]))
        symbols = own, ca.vertcat(*[shared[name] for name in names], ca.SX(0, 1))
        for name, command in part.commands.items():
            commands[name] = commands.get(name, ca.SX(0)) + ca.substitute(command, *symbols)
        for name, output in part.outputs.items():
            outputs.setdefault(name, Output(ca.substitute(output.value, *symbols), output.unit))
        rates.append(ca.substitute(part.rates, *symbols))
        # An update of this law leaves the states of the others alone.
        before, after = position, len(states) - position - len(part.states)
        own = _Own(symbols, before, after)
        updates += [update.through(own) for update in part.updates]
        position += len(part.states)
    shared_references = grouped("reference", references)
    return Bound(commands, shared_references, states, ca.vertcat(*rates), outputs, tuple(updates))


@dataclass(frozen=True, eq=False)
class _Own:
    """Increments of one law of a sum, among the states of all, with the references that they share."""

    symbols: tuple[ca.SX, ca.SX]
    before: int
    after: int

    def __call__(self, change: ca.SX) -> ca.SX:
        return ca.vertcat(ca.SX(self.before, 1), ca.substitute(change, *self.symbols), ca.SX(self.after, 1))


def _is_new(name: str, symbol: ca.SX, shared: dict[str, ca.SX]) -> bool:
    """Whether a reference is the first of its name; its symbol is then that of all."""
    return shared.setdefault(name, symbol) is symbol
