"""Compliance of end points, against closed forms."""

import math

import pytest

import flexblocks as fb
from arms.linkages import FourBar
from flexblocks.optim.verification.end_compliance import end_compliance


def arm(length: float, rigidity: float, spring: float = math.inf) -> fb.DAE:
    """Return a beam with a load on a hinge that stands still, driven through a spring."""
    model = fb.Model("arm")
    ground, hinge, load = (model.add(b) for b in (fb.Ground("ground"), fb.Revolute("hinge"), fb.Payload("load", 1.0)))
    beam = model.add(fb.FlexibleBeam("beam", length, 0.1, rigidity, fb.FiniteElements(2), bending="yz"))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    if spring < math.inf:
        rotor, elastic = model.add(fb.Rotor("rotor", 1e-3)), model.add(fb.TorsionalSpring("spring", spring))
        model.connect(rotor.flange_b, elastic.flange_a)
        model.connect(elastic.flange_b, hinge.axis)
    return fb.assemble(model)


@pytest.mark.parametrize(("length", "rigidity"), [(1.0, 20.0), (0.03, 2e-4), (20.0, 4e7)])
def test_of_a_cantilever_and_of_a_spring_at_its_root(length, rigidity):
    stiff = arm(length, rigidity)
    bent = length**3 / (3 * rigidity)
    assert end_compliance(stiff, fb.equilibrium(stiff), ["hinge.angle"]) == pytest.approx(bent)
    spring = rigidity / length
    soft = arm(length, rigidity, spring)
    at = fb.equilibrium(soft)
    assert end_compliance(soft, at, ["rotor.angle"]) == pytest.approx(bent + length**2 / spring)
    assert end_compliance(soft, at, ["rotor.angle", "hinge.angle"]) == pytest.approx(bent)


def test_without_stiffness_there_is_no_bound():
    dae = arm(1.0, 20.0)
    assert end_compliance(dae, fb.equilibrium(dae), []) == math.inf


def test_in_a_loop_the_held_coordinate_holds_the_others():
    """A coupler that bends between its pins moves neither of them."""
    dae = fb.assemble(FourBar(rigidity=2.0).model())
    at = fb.equilibrium(dae, {"crank_joint.angle": 1.0})
    assert end_compliance(dae, at, ["crank_joint.angle"]) == pytest.approx(0.0, abs=1e-12)
