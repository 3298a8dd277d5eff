"""Proportional-derivative control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flexblocks.control.design.gains import gains
from flexblocks.control.design.single_loops import checked_loops, errors, single_loops
from flexblocks.control.law import Bound, Law
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE


@dataclass(frozen=True, eq=False)
class PD(Law):
    """PD control of single loops: u = kp (reference - y) + kd (der(reference) - der(y)).

    Parameters
    ----------
    loops : dict
        Input that each measured variable drives: ``{"joint1.angle": "motor1.torque"}``. With kd, measured variables
        must be coordinates, or outputs that depend on coordinates alone.
    kp, kd : float, sequence or dict by measured variable
        [N m/rad] and [N m s/rad], or as the units of the loop require; >= 0.
    """

    loops: Mapping[str, str]
    kp: Any
    kd: Any = 0.0

    def __post_init__(self) -> None:
        names = list(checked_loops(self.loops, "PD"))
        gains(self.kp, names, "PD: kp")
        gains(self.kd, names, "PD: kd")

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        names = list(self.loops)
        kp, kd = gains(self.kp, names, "PD: kp"), gains(self.kd, names, "PD: kd")
        references = References()
        loops = single_loops(dae, self.loops, bool(kd.any()), references, "PD")
        commands = {
            loop.input: p * loop.error + (0 if loop.error_rate is None else d * loop.error_rate)
            for loop, p, d in zip(loops, kp, kd, strict=True)
        }
        return Bound(commands, references.variables(), outputs=errors(loops))
