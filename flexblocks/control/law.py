"""What a law of control is, and what it is once it is bound to an arm."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca

from flexblocks.control.actuators import Actuators
from flexblocks.dae import DAE
from flexblocks.physics import Output
from flexblocks.variables import Variables, variables

if TYPE_CHECKING:
    from flexblocks.control.composite import Composite


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
        from flexblocks.control.composite import Composite

        return Composite(self, other)
