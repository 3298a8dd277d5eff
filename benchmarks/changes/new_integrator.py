"""A new integrator: Heun's method."""

from __future__ import annotations

from benchmarks.changes.change import Change, Edit

REGISTER = "flexblocks/simulation/integrators/register.py"

INTEGRATOR = '''\
"""Heun's method: the explicit trapezoidal rule of order 2, with a fixed step."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from flexblocks.simulation.integrators.driven_equations import DrivenEquations
from flexblocks.simulation.integrators.integrator import Integrator, Options
from flexblocks.simulation.integrators.stepper import StepFailure, Stepper, finite


class HeunStepper(Stepper):
    """Heun's method, with equal steps between two stops that are no longer than the step set."""

    divisible = False  # where it is interrupted its steps would differ

    def __init__(self, equations: DrivenEquations, options: Options) -> None:
        self.rates, self.step = equations.rates, options.fixed_step

    def advance(
        self, X: np.ndarray, z: np.ndarray, P: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        del z
        rows, self.steps = [], 0
        for start, stop in pairwise(times):
            count = max(int(np.ceil((stop - start) / self.step - 1e-6)), 1)  # less is rounding of the times
            h = (stop - start) / count
            for k in range(count):
                t = start + k * h
                slope = self._rates(t, X, P)
                X = X + h / 2 * (slope + self._rates(t + h, X + h * slope, P))
            rows.append(X)
            self.steps += count
        return finite(np.array(rows)), None

    def _rates(self, t: float, X: np.ndarray, P: np.ndarray) -> np.ndarray:
        try:
            return np.array(self.rates(t, X, P)).ravel()
        except RuntimeError as error:  # Newton's method for the algebraic variables
            raise StepFailure(str(error).strip().splitlines()[-1]) from None


HEUN = Integrator("heun", HeunStepper, fixed_step=True, advice="Take a smaller step, or method 'auto'.")
'''

CHECK = """
import numpy as np
import flexblocks as fb
from scipy.special import ellipk

# A pendulum let go at 1 rad; its period is 4 K(sin^2(angle / 2)) sqrt(l / g).
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
    before="4",
    at_most=2,
    files={"flexblocks/simulation/integrators/heun.py": INTEGRATOR},
    edits=(
        Edit(
            REGISTER,
            "from flexblocks.simulation.integrators.integrator import Integrator\n",
            "from flexblocks.simulation.integrators.heun import HEUN\n"
            "from flexblocks.simulation.integrators.integrator import Integrator\n",
        ),
        Edit(REGISTER, "RK4, DOP853)", "RK4, DOP853, HEUN)"),
    ),
    check=CHECK,
)
