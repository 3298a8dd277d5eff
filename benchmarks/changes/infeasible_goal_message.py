"""The message of an infeasible goal: one beyond its limits shall say by how much it is."""

from __future__ import annotations

from benchmarks.changes.change import Change, Edit

MESSAGES = "optim/presolve/refusals/beyond_limits.py"

CHECK = """
import flexblocks as fb
from flexblocks import optim

model = fb.Model("flywheel")
model.add(fb.Ground("ground"))
motor, rotor = model.add(fb.TorqueSource("motor", limit=2.0)), model.add(fb.Rotor("rotor", inertia=1.0))
model.connect(motor.flange_b, rotor.flange_a)
problem = optim.RestToRest(
    start={"rotor.angle": 0.0}, goal={"rotor.angle": 1.5}, duration=2.0, limits={"rotor.angle": (-1.0, 1.25)}
)
try:
    optim.plan(fb.assemble(model), problem)
except optim.ProblemError as error:
    assert "Move the goal by 0.25 rad or widen the limit." in str(error), error
else:
    raise AssertionError("a goal beyond its limits was not refused")
"""

CHANGE = Change(
    name="message of an infeasible goal",
    at_most=1,
    edits=(
        Edit(
            MESSAGES,
            '            raise ProblemError(\n                f"plan: {where}: {group.names[i]} =',
            "            beyond = max(bounds[i, 0] - values[i], values[i] - bounds[i, 1])\n"
            "            raise ProblemError(\n"
            '                f"plan: {where}: {group.names[i]} =',
        ),
        Edit(
            MESSAGES,
            'to {bounds[i, 1]:g}. Move the {where} or widen the limit."',
            'to {bounds[i, 1]:g}. "\n'
            '                f"Move the {where} by {beyond:g} {group.units[i]} or widen the limit."',
        ),
    ),
    check=CHECK,
)
