"""Whether axes of an arm may align: joints in series with neither rotors of their own nor bodies of a size between."""

from __future__ import annotations

import pytest

import flexblocks as fb

ROD = {"mass": 1.0, "inertia": (0.1, 0.1, 0.02)}


def wrist(*between: fb.Block, rotors: tuple[int, ...] = ()) -> fb.DAE:
    """Three hinges about z, y, z; blocks fixed to what is between the first two, and rotors on the axes of some."""
    model = fb.Model("wrist")
    frame = model.add(fb.Ground("ground")).frame_b
    for i, axis in enumerate(((0, 0, 1), (0, 1, 0), (0, 0, 1)), start=1):
        joint = model.add(fb.Revolute(f"joint{i}", axis=axis))
        model.connect(frame, joint.frame_a)
        if i in rotors:
            model.connect(joint.axis, model.add(fb.Rotor(f"rotor{i}", inertia=0.01)).flange_a)
        frame = joint.frame_b
        if i == 1:
            for block in between:
                model.connect(frame, model.add(block).frame_a)
        else:
            model.connect(frame, model.add(fb.RigidBody(f"body{i}", **ROD)).frame_a)
    return fb.assemble(model)


@pytest.mark.parametrize(
    ("between", "rotors", "may_align"),
    [
        ((), (), True),
        ((fb.RigidBody("body", **ROD),), (), False),
        ((fb.Payload("point", mass=1.0),), (), True),
        ((), (1,), False),
        ((), (2,), False),
        ((), (3,), True),
    ],
)
def test_joints_whose_axes_may_align(between: tuple[fb.Block, ...], rotors: tuple[int, ...], may_align: bool) -> None:
    assert wrist(*between, rotors=rotors).tree.has_joints_in_series is may_align
