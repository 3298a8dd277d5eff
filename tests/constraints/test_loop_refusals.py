"""Loops that cannot close, or leave no motion, are refused with their reason."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.linkages import RIGID, FourBar, parallelogram, turning
from flexblocks.constraints.loop_equations import LoopError
from flexblocks.constraints.loop_newton import CLOSED, nearest
from flexblocks.errors import ModelError


def test_a_linkage_that_cannot_close_is_refused():
    with pytest.raises(LoopError, match=r"assemble: the loops of 'four-bar' cannot be closed: 0\.\d+ m and .* between"):
        fb.assemble(FourBar(coupler=0.05, rocker=0.05).model())


def test_what_cannot_be_kept_is_refused():
    dae = fb.assemble(RIGID.model())
    with pytest.raises(LoopError, match=r"cannot be closed with crank_joint\.angle = 1, rocker_joint\.angle = 3: 0"):
        fb.simulate(dae, (0, 1), x0={"crank_joint.angle": 1.0, "rocker_joint.angle": 3.0})
    with pytest.raises(LoopError, match=r"the full state leaves the loops of 'four-bar' open, by 0.* Give a dict"):
        fb.simulate(dae, (0, 1), x0=[1.0, 0.0, 0.0, 0.0, 0, 0, 0, 0])
    with pytest.raises(
        LoopError, match=r"has the rates given for der\(crank_joint.angle\), der\(knee.angle\)\. Give fewer"
    ):
        fb.simulate(dae, (0, 1), x0={"der(crank_joint.angle)": 1.0, "der(knee.angle)": 5.0})
    whole = turning(dae, 1.0, 2.0)
    np.testing.assert_allclose(fb.simulate(dae, (0, 0.1), x0=whole).x[0], whole, atol=1e-12)


def test_links_in_line_are_refused():
    dae = fb.assemble(parallelogram())
    with pytest.raises(LoopError, match="do not determine how they move on"):
        fb.simulate(dae, (0, 1), x0={"hinge0.angle": 0.0})


def test_a_loop_without_motion_is_refused():
    model = fb.Model("truss")
    ground, foot = model.add(fb.Ground("ground")), model.add(fb.FixedTransform("foot", (0.3, 0, 0)))
    parts = [
        fb.Revolute("a", start=1.0),
        fb.RigidLink("one", 0.25, 1.0),
        fb.Revolute("b", start=2.0),
        fb.RigidLink("two", 0.25, 1.0),
    ]
    pin = model.add(fb.Revolute("c"))
    for block in parts:
        model.add(block)
    model.connect(ground.frame_b, foot.frame_a, "a.frame_a")
    model.connect(foot.frame_b, "b.frame_a")
    for inner, outer in (("a", "one"), ("b", "two"), ("two", "c")):
        model.connect(f"{inner}.frame_b", f"{outer}.frame_a")
    model.connect("one.frame_b", pin.frame_b)
    with pytest.raises(
        ModelError, match=r"joining one.frame_b and c.frame_b leaves no motion: 3 independent constraints on 3 coord"
    ):
        fb.assemble(model)


def test_a_loop_without_a_joint_is_refused():
    model = fb.Model("frame")
    ground, link = model.add(fb.Ground("ground")), model.add(fb.RigidLink("link", 0.3, 1.0))
    foot = model.add(fb.FixedTransform("foot", (0.3, 0, 0)))
    model.connect(ground.frame_b, link.frame_a, foot.frame_a)
    model.connect(link.frame_b, foot.frame_b)
    with pytest.raises(ModelError, match="leaves no motion: 0 independent constraints on 0 coordinates"):
        fb.assemble(model)


def test_a_search_for_the_least_mismatch_ends_where_two_joints_do_the_same() -> None:
    """A closure of high order converges slowly; the search needs ever less damping, but never none."""

    def mismatch(q: np.ndarray, _: np.ndarray) -> tuple[ca.DM, ca.DM]:
        return ca.DM((q.sum() - 1) ** 9), ca.DM(9 * (q.sum() - 1) ** 8 * np.ones((1, 2)))

    equations: Any = SimpleNamespace(unit=np.ones(2), mismatch=mismatch, within=lambda _, ahead: ahead)
    q = nearest(equations, np.array([4.0, 2.0]), np.zeros(0), np.ones(2, dtype=bool))
    assert q.sum() == pytest.approx(1, abs=CLOSED ** (1 / 9))
    assert q[0] - q[1] == pytest.approx(2, abs=1e-6)
