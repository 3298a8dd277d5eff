"""Proportional-integral-derivative control with anti-windup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca

from flexblocks.control.design.gains import gains
from flexblocks.control.design.single_loops import checked_loops, errors, single_loops
from flexblocks.control.law import Bound, Law
from flexblocks.control.reference_inputs import References
from flexblocks.control.saturation import Actuators
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.variables import variables


@dataclass(frozen=True, eq=False)
class PID(Law):
    """PID control of single loops: u = kp e + ki integral(e) + kd der(e), e = reference - y.

    Parameters
    ----------
    loops : dict
        As for `PD`.
    kp, ki, kd : float, sequence or dict by measured variable
        ki > 0.
    tracking_time : float, sequence or dict, optional
        Time constant [s] with which the integral is reset while the input is saturated; by default kp / ki.
    name : str
        Prefix of its states, ``pid.integral[1]`` [unit of y times s], one for each loop.

    Notes
    -----
    Anti-windup by back-calculation: der(integral) = e + (saturated - unsaturated command) / (ki tracking_time).
    Astrom & Hagglund, *PID Controllers*, 2nd ed., section 3.5.
    """

    loops: Mapping[str, str]
    kp: Any
    ki: Any
    kd: Any = 0.0
    tracking_time: Any = None
    name: str = "pid"

    def __post_init__(self) -> None:
        names = list(checked_loops(self.loops, "PID"))
        kp = gains(self.kp, names, "PID: kp")
        gains(self.ki, names, "PID: ki", positive=True)
        gains(self.kd, names, "PID: kd")
        if self.tracking_time is not None:
            gains(self.tracking_time, names, "PID: tracking_time", positive=True)
        elif not kp.all():
            raise ParameterError(
                f"PID: kp = {self.kp!r} gives no default for the tracking time kp / ki; must be > 0. Or give "
                "tracking_time [s]."
            )

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        names = list(self.loops)
        kp, ki, kd = (gains(getattr(self, k), names, f"PID: {k}") for k in ("kp", "ki", "kd"))
        tracking = kp / ki if self.tracking_time is None else gains(self.tracking_time, names, "PID: tracking_time")
        references = References()
        loops = single_loops(dae, self.loops, bool(kd.any()), references, "PID")
        states = variables(
            "state", [(f"{self.name}.integral[{i}]", f"{loop.variable.unit} s", 0.0) for i, loop in enumerate(loops, 1)]
        )
        commands, rates = {}, []
        for i, loop in enumerate(loops):
            damping = 0 if loop.error_rate is None else kd[i] * loop.error_rate
            commands[loop.input] = kp[i] * loop.error + ki[i] * states.symbol[i] + damping
            rates.append(loop.error + actuators.excess_of(loop.input) / (ki[i] * tracking[i]))
        return Bound(commands, references.variables(), states, ca.vertcat(*rates), errors(loops))
