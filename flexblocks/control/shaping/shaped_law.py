"""Input shaping inside a digital controller: a law whose references pass through a tapped delay line."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import pairwise

import casadi as ca

from flexblocks.control.law import Bindable, Bound, Law, as_law
from flexblocks.control.naming import prefixed
from flexblocks.control.reference_inputs import grouped
from flexblocks.control.saturation import Actuators
from flexblocks.control.shaping.shaper import Shaper
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.physics import Output
from flexblocks.interfaces.variables import variables


@dataclass(frozen=True, eq=False)
class Shaped(Law):
    """A law with shaped references, for use inside a `Sampled` one: ``Sampled(Shaped(law, ZVD(mode)), 0.01)``.

    Parameters
    ----------
    law : Bindable
    shaper : Shaper
        Each impulse is distributed over the two samples next to it (see `Shaper.taps`).
    name : str
        Prefix of its states, the past samples of each reference: ``shaped.past[1].reference.joint1.angle``.

    Notes
    -----
    The delay line holds duration / sample_time samples of each reference. In continuous time a delay has no finite
    state: shape the reference itself there (`Shaper.apply`).
    """

    law: Bindable
    shaper: Shaper
    name: str = "shaped"

    def __post_init__(self) -> None:
        as_law(self.law, "Shaped")
        if not isinstance(self.shaper, Shaper):
            raise ParameterError(f"Shaped: shaper = {self.shaper!r}; must be of type Shaper.")

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del dae, actuators
        raise ParameterError(
            "Shaped: a shaper delays, which takes a digital controller: Sampled(Shaped(law, shaper), sample_time). In "
            "continuous time shape the reference itself, with shaper.apply(reference)."
        )

    @property
    def predicted_delay(self) -> float:
        return as_law(self.law, "Shaped").predicted_delay

    def bind_sampled(self, dae: DAE, actuators: Actuators, sample_time: float) -> Bound:
        inner = as_law(self.law, "Shaped").bind_sampled(dae, actuators, sample_time)
        references = inner.references
        weights = self.shaper.taps(sample_time)
        past = [
            variables(
                "state",
                [
                    (prefixed(f"{self.name}.past[{k}]", name), unit, float(start))
                    for name, unit, start in zip(references.names, references.units, references.start, strict=True)
                ],
            )
            for k in range(1, len(weights))
        ]
        line = [references.symbol, *(register.symbol for register in past)]
        # The shaped reference is a weighted sum along the delay line, which moves on by one at every sample.
        shaped = sum((float(w) * values for w, values in zip(weights, line, strict=True)), ca.SX(len(references), 1))

        def with_shaped(expression: ca.SX) -> ca.SX:
            return ca.substitute(ca.SX(expression), references.symbol, ca.densify(shaped))

        shifts = [(newer - older) / sample_time for newer, older in pairwise(line)]
        return dataclasses.replace(
            inner,
            commands={name: with_shaped(command) for name, command in inner.commands.items()},
            states=grouped("state", [inner.states, *past]),
            rates=ca.vertcat(with_shaped(inner.rates), *shifts),
            outputs={name: Output(with_shaped(o.value), o.unit) for name, o in inner.outputs.items()},
        )

    def designed_on(self, model: DAE) -> Shaped:
        return dataclasses.replace(self, law=as_law(self.law, "Shaped").designed_on(model))
