"""A limit on jerk: on the second derivatives of the inputs, beside those on their rates."""

from __future__ import annotations

from benchmarks.changes.change import Change, Edit

PRESOLVE = "optim/presolve/bounds.py"
MODEL = "optim/model/bounds.py"

CHECK = '''
import numpy as np
import flexblocks as fb
from flexblocks import optim

model = fb.Model("flywheel")
model.add(fb.Ground("ground"))
motor, rotor = model.add(fb.TorqueSource("motor", limit=2.0)), model.add(fb.Rotor("rotor", inertia=1.0))
model.connect(motor.flange_b, rotor.flange_a)
dae = fb.assemble(model)

def planned(limits, inputs="cubic"):
    problem = optim.RestToRest(start={"rotor.angle": 0.0}, goal={"rotor.angle": 1.0}, duration=2.0, limits=limits)
    return optim.plan(dae, problem, intervals=12, inputs=inputs)

def greatest(plan):
    """Return the greatest second derivative of the torque, linear over each interval [N m/s2]."""
    m, times = plan.pyomo_model, plan.transcribed.first[0].mesh.times
    u = np.array([m.u[k, "motor.torque"].value for k in m.mesh])
    du = np.array([m.du[k, "motor.torque"].value for k in m.mesh])
    h, steps = np.diff(times), np.diff(u)
    begin = (6 * steps / h - 4 * du[:-1] - 2 * du[1:]) / h
    end = (-6 * steps / h + 2 * du[:-1] + 4 * du[1:]) / h
    return np.max(np.abs([begin, end]))

free = planned({})
limit = 0.6 * greatest(free)
kept = planned({"der(der(motor.torque))": limit})
assert kept.status == "converged", kept.status
assert greatest(kept) <= limit * (1 + 1e-6), (greatest(kept), limit)
assert kept.objective > free.objective

# Inputs whose rates jump have no second derivative to limit.
try:
    planned({"der(der(motor.torque))": limit}, inputs="linear")
except optim.ProblemError as error:
    assert 'der(u) of' in str(error) and 'inputs="cubic"' in str(error), error
else:
    raise AssertionError("a limit on the jerk of linear inputs was not refused")

# A limit too tight for the motion is named in the diagnosis.
slow = {"start": {"rotor.angle": 0.0}, "goal": {"rotor.angle": 1.0}, "duration": 2.0, "input_ends": "holding"}
tight = optim.RestToRest(**slow, limits={"der(der(motor.torque))": 0.01})
conflict = optim.diagnose(optim.pyomo_model(dae, tight, intervals=12))
assert "der(der(motor.torque))" in str(conflict), conflict
'''

CHANGE = Change(
    name="limit on jerk",
    at_most=2,
    edits=(
        Edit(
            PRESOLVE,
            "HIGHEST_ORDER = 1  # of the inputs' derivatives that can be limited: their rates",
            "HIGHEST_ORDER = 2  # of the inputs' derivatives that can be limited: what is to torques as jerk to motion",
        ),
        Edit(MODEL, '"input_rate_limit": 1}', '"input_rate_limit": 1, "input_jerk_limit": 2}'),
    ),
    check=CHECK,
)
