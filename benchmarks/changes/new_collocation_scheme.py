"""A new collocation scheme: Newton-Cotes points, evenly spaced over the interval."""

from __future__ import annotations

from benchmarks.changes.change import Change, Edit

SCHEMES = "optim/collocation/schemes.py"

SCHEME = '''\
@lru_cache
def uniform(degree: int) -> Collocation:
    """Return the scheme of `degree` evenly spaced stages, both ends among them: that of Newton and Cotes; symmetric.

    Of order `degree`, one more where that is odd: two stages are the trapezoidal rule, three are Simpson's.

    Raises
    ------
    ProblemError
        `degree` is no whole number from 2 to 9.
    """
    _check_degree("uniform", degree, 2)
    return _collocation("uniform", "Newton-Cotes", np.linspace(0.0, 1.0, int(degree)))


'''

CHECK = """
import numpy as np
import flexblocks as fb
from flexblocks import optim
from flexblocks.optim.collocation.schemes import collocation

simpson = collocation("uniform", 3)
assert np.allclose(simpson.integral[-1], [1 / 6, 4 / 6, 1 / 6]) and simpson.is_symmetric

# A pendulum that swings up a quarter turn; at 5 points a plan replays and agrees with Lobatto's.
model = fb.Model("pendulum", gravity=(0.0, -9.81, 0.0))
ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
motor, rod = model.add(fb.TorqueSource("motor")), model.add(fb.RigidLink("rod", length=0.5, mass=0.2))
model.connect(ground.frame_b, joint.frame_a)
model.connect(motor.flange_b, joint.axis)
model.connect(joint.frame_b, rod.frame_a)
dae = fb.assemble(model)
problem = optim.RestToRest(start={"joint.angle": -np.pi / 2}, goal={"joint.angle": 0.0}, duration=1.5)
plans = [optim.plan(dae, problem, intervals=20, scheme=scheme, degree=5) for scheme in ("uniform", "lobatto")]
assert all(plan.status == "converged" for plan in plans)
assert np.isclose(plans[0].objective, plans[1].objective, rtol=1e-6)
assert np.isclose(plans[0].replay().trajectory["joint.angle"][-1], 0.0, atol=1e-5)
"""

CHANGE = Change(
    name="new collocation scheme",
    at_most=1,
    edits=(
        Edit(SCHEMES, "SCHEMES = {", f"{SCHEME}SCHEMES = {{"),
        Edit(SCHEMES, '"lobatto": lobatto}', '"lobatto": lobatto, "uniform": uniform}'),
    ),
    check=CHECK,
)
