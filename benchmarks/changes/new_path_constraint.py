"""A new path constraint: a least distance between two points of the arm."""

from __future__ import annotations

from benchmarks.changes.change import Change, Edit

REGISTER = "optim/problem/path_constraints/__init__.py"

CONSTRAINT = '''\
"""Clearance: a least distance between two points that move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

from ...errors import ProblemError
from ..signals.signals import Signals
from .path_constraint import BoundedValue, PathConstraint


@dataclass(frozen=True)
class Apart(PathConstraint):
    """Keep two points of the arm apart, as the tips of two arms on one table.

    Parameters
    ----------
    one, other : str
        Points, see `flexblocks.geometry.place`: ``"payload"``, ``"link1.station(0.25)"``.
    distance : float
        The least between them [m]; > 0.

    Notes
    -----
    (|r|^2 - D^2) / (2 D) >= 0: smooth everywhere, and near the bound the distance beyond it.
    """

    is_distance: ClassVar[bool] = True
    one: str
    other: str
    distance: float

    def __post_init__(self) -> None:
        distance = self.distance
        if isinstance(distance, bool) or not isinstance(distance, (int, float)) or not 0 < distance < math.inf:
            raise ProblemError(f"Apart: distance = {distance!r}; must be a finite number > 0 [m].")

    @property
    def label(self) -> str:
        return f"{self.one} apart from {self.other}"

    def values(self, label: str, signals: Signals) -> list[BoundedValue]:
        between = ca.sumsqr(signals.position(self.one) - signals.position(self.other))
        return [BoundedValue(label, (between - self.distance**2) / (2 * self.distance), low=0.0)]
'''

CHECK = """
import numpy as np
import flexblocks as fb
from flexblocks import optim

# Two arms of 0.5 m whose hinges are 0.8 m apart: the left one swings past the right one, which has to give way.
model = fb.Model("two arms on a table")
ground = model.add(fb.Ground("ground"))
table = model.add(fb.FixedTransform("table", translation=(0.8, 0.0, 0.0)))
model.connect(ground.frame_b, table.frame_a)
for side, base in (("left", ground.frame_b), ("right", table.frame_b)):
    joint = model.add(fb.Revolute(f"{side}_joint"))
    motor = model.add(fb.TorqueSource(f"{side}_motor"))
    link = model.add(fb.RigidLink(f"{side}_link", length=0.5, mass=0.5))
    model.connect(base, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, link.frame_a)
dae = fb.assemble(model)

def planned(*path):
    start = {"left_joint.angle": 1.4, "right_joint.angle": np.pi - 0.9}
    goal = {"left_joint.angle": 0.2, "right_joint.angle": np.pi - 0.9}
    problem = optim.RestToRest(start=start, goal=goal, duration=2.0, objective="effort", path=path)
    return optim.plan(dae, problem, intervals=20)

def least(plan):
    run = plan.replay().trajectory
    return np.sqrt(sum((run[f"left_link.{a}"] - run[f"right_link.{a}"]) ** 2 for a in "xyz")).min()

free = planned()
assert least(free) < 0.13, least(free)
kept = planned(optim.Apart("left_link", "right_link", 0.2))
assert kept.status == "converged", kept
assert 0.199 < least(kept) < 0.201, least(kept)
assert kept.objective > free.objective

# A goal that does not keep it is refused by name, and a problem's file brings it back.
try:
    planned(optim.Apart("left_link", "right_link", 1.5))
except optim.ProblemError as error:
    assert "left_link apart from right_link" in str(error), error
else:
    raise AssertionError("a start too close by was not refused")
kept.save("plan.nc")
assert fb.load("plan.nc").transcribed.problem.path == kept.transcribed.problem.path
"""

CHANGE = Change(
    name="new path constraint",
    at_most=2,
    files={"optim/problem/path_constraints/apart.py": CONSTRAINT},
    edits=(
        Edit(REGISTER, "from .follow import", "from .apart import Apart\nfrom .follow import"),
        Edit(REGISTER, '["Follow",', '["Apart", "Follow",'),
        Edit(REGISTER, "    Within,\n)", "    Within,\n    Apart,\n)"),
    ),
    check=CHECK,
)
