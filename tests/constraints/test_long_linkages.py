"""Long linkages: closures of many loops are ill conditioned everywhere, which is no singular posture."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.constraints.closed_posture import is_in_line
from flexblocks.constraints.loop_equations import LoopError, closure_slopes

HALF, MASS, LOAD, ANGLE = 0.5, 1.0, 10.0, 0.6  # [m], [kg] of half a link, [kg], [rad] from the horizontal


@cache
def scissor_lift(stages: int) -> fb.DAE:
    """Return a lift of crossed links on a hinge and a slide, which a force holds."""
    model = fb.Model("scissor lift", gravity=(0.0, -9.81, 0.0))
    ground, force = model.add(fb.Ground("ground")), model.add(fb.ForceSource("ram"))
    slide = model.add(fb.Prismatic("slide", axis=(1.0, 0.0, 0.0), start=2 * HALF * math.cos(ANGLE)))
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(force.flange_b, slide.axis)
    places, turned = [ground.frame_b, slide.frame_b], [0.0, 0.0]
    for i in range(1, stages + 1):
        middle, ends = [], []
        for side, place, attitude, angle in zip("ab", places, turned, (ANGLE, math.pi - ANGLE), strict=True):
            foot = model.add(fb.Revolute(f"foot{i}{side}", start=angle - attitude))
            lower, upper = (model.add(fb.RigidLink(f"link{i}{side}{half}", HALF, MASS)) for half in (1, 2))
            model.connect(place, foot.frame_a)
            model.connect(foot.frame_b, lower.frame_a)
            model.connect(lower.frame_b, upper.frame_a)
            middle.append(lower.frame_b)
            ends.append(upper.frame_b)
        pin = model.add(fb.Revolute(f"pin{i}", start=math.pi - 2 * ANGLE))
        model.connect(middle[0], pin.frame_a)
        model.connect(pin.frame_b, middle[1])
        places, turned = ends[::-1], [math.pi - ANGLE, ANGLE]
    model.connect(places[0], model.add(fb.Payload("load", LOAD)).frame_a)
    return fb.assemble(model)


@pytest.mark.parametrize("stages", [3, pytest.param(18, marks=pytest.mark.slow)])
def test_a_force_holds_a_scissor_lift_by_virtual_work(stages: int) -> None:
    dae = scissor_lift(stages)
    angle = math.acos(0.8)
    rest = fb.equilibrium(dae, x={"slide.displacement": 2 * HALF * 0.8})
    is_long = is_in_line(closure_slopes(dae, rest.x[: dae.tree.size], dae.p.start))
    assert is_long == (stages > 10)
    assert rest["load.y"] == pytest.approx(stages * 2 * HALF * math.sin(angle), rel=1e-9)
    # The height of everything grows with sin(angle), the slide with cos(angle).
    weights = 9.81 * (4 * MASS * stages**2 / 2 + LOAD * stages)
    assert rest["ram.force"] == pytest.approx(-weights / math.tan(angle), rel=1e-9)


@pytest.mark.parametrize("stages", [3, pytest.param(9, marks=pytest.mark.slow)])
def test_a_slide_may_be_prescribed(stages: int) -> None:
    model = scissor_lift(stages).model
    assert model is not None
    dae = fb.assemble(model, prescribed=("slide.displacement",))
    run = fb.simulate(dae, np.linspace(0.0, 0.01, 3), u={"slide.displacement": lambda t: 0.8 - 0.01 * t})
    assert run["load.y"][0] == pytest.approx(stages * 2 * HALF * 0.6, rel=1e-6)


def test_a_lift_that_lies_flat_is_singular() -> None:
    dae = scissor_lift(3)
    with pytest.raises(LoopError, match="singular posture"):
        fb.simulate(dae, (0.0, 0.1), x0={"slide.displacement": 2 * HALF * (1 - 1e-10)})
