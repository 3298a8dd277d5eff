"""A new law: sliding-mode control of single loops."""

from __future__ import annotations

from benchmarks.changes.change import Change, after

REGISTER = "flexblocks/control/__init__.py"

LAW = '''\
"""Sliding-mode control."""

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
from flexblocks.interfaces.physics import Output


@dataclass(frozen=True, eq=False)
class SlidingMode(Law):
    """Sliding-mode control of single loops: u = amplitude tanh(s / layer), s = der(e) + slope e, e = reference - y.

    Parameters
    ----------
    loops : dict
        As for `PD`.
    amplitude : float, sequence or dict by measured variable
        [N m], or as the units of the loop require; > 0. It bounds the disturbances that the law can reject.
    slope : float, sequence or dict by measured variable
        At which the error decays on the sliding surface [1/s]; > 0.
    layer : float, sequence or dict by measured variable
        Width of the boundary layer, in units of s; > 0. In it the sign of s is smooth, against chattering.

    Notes
    -----
    Output ``surface.joint1.angle``: s. Slotine & Li, *Applied Nonlinear Control*, section 7.2.
    """

    loops: Mapping[str, str]
    amplitude: Any
    slope: Any
    layer: Any

    def __post_init__(self) -> None:
        names = list(checked_loops(self.loops, "SlidingMode"))
        for parameter in ("amplitude", "slope", "layer"):
            gains(getattr(self, parameter), names, f"SlidingMode: {parameter}", positive=True)

    def bind(self, dae: DAE, actuators: Actuators) -> Bound:
        del actuators
        names = list(self.loops)
        amplitude, slope, layer = (
            gains(getattr(self, name), names, f"SlidingMode: {name}") for name in ("amplitude", "slope", "layer")
        )
        references = References()
        loops = single_loops(dae, self.loops, True, references, "SlidingMode")
        commands, outputs = {}, errors(loops)
        for i, loop in enumerate(loops):
            surface = loop.error_rate + slope[i] * loop.error
            commands[loop.input] = amplitude[i] * ca.tanh(surface / layer[i])
            outputs[f"surface.{loop.variable.name}"] = Output(surface, f"{loop.variable.unit}/s")
        return Bound(commands, references.variables(), outputs=outputs)
'''

CHECK = """
import numpy as np
import flexblocks as fb
from flexblocks import control

# A flywheel of 0.1 kg m2 follows a step to 1 rad against a torque of 0.5 N m that the law does not know.
model = fb.Model("flywheel")
model.add(fb.Ground("ground"))
motor, rotor = model.add(fb.TorqueSource("motor")), model.add(fb.Rotor("rotor", inertia=0.1))
model.connect(motor.flange_b, rotor.flange_a)
law = control.SlidingMode({"rotor.angle": "motor.torque"}, amplitude=2.0, slope=5.0, layer=0.05)
closed = control.close_loop(fb.assemble(model), law, disturbances=True)
u = {"reference.rotor.angle": 1.0, "disturbance.motor.torque": 0.5}
run = fb.simulate(closed, np.linspace(0.0, 3.0, 301), u=u)

# In the layer s stays at layer artanh(disturbance / amplitude), so that the error ends there over the slope.
s = -0.05 * np.arctanh(0.5 / 2.0)
assert np.isclose(run["error.rotor.angle"][-1], s / 5.0, atol=1e-4)
assert np.isclose(run["surface.rotor.angle"][-1], s, atol=1e-4)
# On the surface the error decays as exp(-slope t), without overshoot but for the layer.
sliding = run.t > 1.0
decayed = run["error.rotor.angle"][sliding] - s / 5.0
assert np.allclose(decayed, decayed[0] * np.exp(-5.0 * (run.t[sliding] - run.t[sliding][0])), atol=2e-3)
assert np.max(np.abs(run["motor.torque"])) <= 2.5 + 1e-9

# It adds to other laws and runs in a digital controller.
both = control.close_loop(fb.assemble(model), control.Sampled(law + control.Feedforward(["motor.torque"]), 0.001))
assert "reference.rotor.angle" in both.u.names
"""

CHANGE = Change(
    name="new law",
    at_most=2,
    files={"flexblocks/control/laws/sliding_mode.py": LAW},
    edits=(
        after(
            REGISTER,
            "    from flexblocks.control.laws.sampled import Sampled\n",
            "    from flexblocks.control.laws.sliding_mode import SlidingMode\n",
        ),
        after(REGISTER, '        "SingularPerturbation",\n', '        "SlidingMode",\n'),
        after(
            REGISTER,
            '                "flexblocks.control.laws.sampled": ["Sampled"],\n',
            '                "flexblocks.control.laws.sliding_mode": ["SlidingMode"],\n',
        ),
    ),
    check=CHECK,
)
