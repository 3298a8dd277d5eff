"""A new integrator: Heun's method."""

from __future__ import annotations

from benchmarks.changes.change import Change, Edit

REGISTER = "flexblocks/simulation/integrators/register.py"

INTEGRATOR = '''\
"""Heun's method: the explicit trapezoidal rule of order 2, with a fixed step."""

from __future__ import annotations

import numpy as np

from flexblocks.simulation.integrators.fixed_step import FixedStep
from flexblocks.simulation.integrators.integrator import Integrator


def heun() -> FixedStep:
    """Return the coefficients of the method."""
    return FixedStep(A=np.array([[0.0, 0.0], [1.0, 0.0]]), b=np.array([0.5, 0.5]), c=np.array([0.0, 1.0]))


HEUN = Integrator("heun", fixed=heun, advice="Take a smaller step, or method 'auto'.")
'''

CHECK = """
import numpy as np
import flexblocks as fb
from scipy.special import ellipk

# A pendulum released at 1 rad; its period is 4 K(sin^2(angle / 2)) sqrt(l / g).
model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
rod, bob = model.add(fb.RigidLink("rod", length=1.0, mass=0.0)), model.add(fb.Payload("bob", mass=1.0))
model.connect(ground.frame_b, joint.frame_a)
model.connect(joint.frame_b, rod.frame_a)
model.connect(rod.frame_b, bob.frame_a)
dae = fb.assemble(model)
period = 4 * ellipk(np.sin(0.5) ** 2) / np.sqrt(9.81)
start = {"joint.angle": 1.0 - np.pi / 2}

def error(step):
    run = fb.simulate(dae, np.linspace(0.0, period, 11), x0=start, method="heun", step=step)
    return np.hypot(run["joint.angle"][-1] - start["joint.angle"], run["der(joint.angle)"][-1])

errors = np.array([error(step) for step in period / np.array([500, 1000, 2000])])
orders = np.log2(errors[:-1] / errors[1:])
assert np.allclose(orders, 2.0, atol=0.1), (errors, orders)
assert errors[-1] < 1e-4, errors

try:
    fb.simulate(dae, (0.0, period), x0=start, method="heun")
except fb.FlexblocksError as refused:
    assert "'heun' needs its fixed step" in str(refused), refused
else:
    raise AssertionError("Heun's method without a step was not refused")
"""

CHANGE = Change(
    name="new integrator",
    at_most=2,
    files={"flexblocks/simulation/integrators/heun.py": INTEGRATOR},
    edits=(
        Edit(
            REGISTER,
            "from flexblocks.simulation.integrators.integrator import Integrator\n",
            "from flexblocks.simulation.integrators.heun import HEUN\n"
            "from flexblocks.simulation.integrators.integrator import Integrator\n",
        ),
        Edit(REGISTER, "    DOP853,\n", "    DOP853,\n    HEUN,\n"),
    ),
    check=CHECK,
)
