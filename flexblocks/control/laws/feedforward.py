"""Feedforward: planned inputs, to which a feedback law is added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flexblocks.control.design.driven_inputs import driven_inputs
from flexblocks.control.law import Bound, Law
from flexblocks.control.measured import Measured
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE


@dataclass(frozen=True, eq=False)
class Feedforward(Law):
    """Feedforward u = r(t): each input of the arm follows an input of the closed loop, ``reference.motor1.torque``.

    Parameters
    ----------
    inputs : sequence of str, optional
        By default the actuators of the arm. Unlike disturbances they saturate at the limits, together with the
        feedback: ``Feedforward() + PD(...)`` tracks a plan.
    """

    inputs: Sequence[str] | None = None

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        references = References()
        inputs = driven_inputs(dae, self.inputs)
        commands = {}
        for name in inputs:
            i = dae.u.index(name)
            commands[name] = references.of(Measured(name, dae.u.symbol[i], dae.u.units[i], float(dae.u.start[i])))
        return Bound(commands, references.variables())
