"""A new objective term: the integral of the squared rates of the coordinates."""

from __future__ import annotations

from benchmarks.changes.change import Change, Edit, after

REGISTER = "optim/problem/objectives/__init__.py"

TERM = '''\
"""Speed: the squared rates of the coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

from ..signals.instant import Instant
from .functionals import Lagrangian


@dataclass(frozen=True)
class Speed(Lagrangian):
    """The integral over the motion of the sum of squared rates of all coordinates, rotations and lengths alike.

    Integrated by the collocation's own quadrature.
    """

    word: ClassVar[str] = "speed"

    def integrand(self, at: Instant, reference: ca.SX) -> ca.SX:
        return ca.sumsqr(at.dae.v)

    def __str__(self) -> str:
        return "speed, the integral of the squared rates of all coordinates"
'''

CHECK = """
import numpy as np
import flexblocks as fb
from flexblocks import optim

# A flywheel of 1 kg m2, by pi/2 within T = 2 s and 1 N m: least rates need full torque, then none, then full torque.
model = fb.Model("flywheel")
model.add(fb.Ground("ground"))
motor, rotor = model.add(fb.TorqueSource("motor", limit=1.0)), model.add(fb.Rotor("rotor", inertia=1.0))
model.connect(motor.flange_b, rotor.flange_a)
dae = fb.assemble(model)

def planned(objective):
    ends = {"start": {"rotor.angle": 0.0}, "goal": {"rotor.angle": np.pi / 4}}
    return optim.plan(dae, optim.RestToRest(**ends, duration=2.0, objective=objective), intervals=40, inputs="constant")

plan = planned("speed")
assert plan.status == "converged", plan.status
# Accelerating for s seconds and cruising at s rad/s: s (T - s) = pi / 4; the integral is s^2 (T - 4 s / 3).
s = 1 - np.sqrt(1 - np.pi / 4)
assert np.isclose(plan.objective, s**2 * (2 - 4 * s / 3), rtol=2e-3), (plan.objective, s**2 * (2 - 4 * s / 3))

# It adds up with others, and says what it is.
both = optim.Speed() + 0.1 * optim.Effort(rate_weight=0.0)
assert "squared rates" in str(both)
more = planned(both)
assert more.status == "converged"
assert plan.objective < more.objective

# A plan's file brings it back.
more.save("plan.nc")
assert fb.load("plan.nc").transcribed.problem.objective == both
"""

CHANGE = Change(
    name="new objective term",
    at_most=2,
    files={"optim/problem/objectives/speed.py": TERM},
    edits=(
        after(REGISTER, "from .objective import Objective\n", "from .speed import Speed\n"),
        Edit(REGISTER, '"Jerk", "Time",', '"Jerk", "Speed", "Time",'),
        Edit(REGISTER, "Tracking, Excitation)", "Tracking, Excitation, Speed)"),
    ),
    check=CHECK,
)
