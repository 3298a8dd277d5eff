"""Sizes that are orders of magnitude off are warned of at assembly, and listed by the check of the model."""

import math
import warnings

import pytest

import flexblocks as fb
from flexblocks import models
from flexblocks.errors import ModelWarning

STEEL = fb.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3)


def arm(gravity=(0.0, -9.81, 0.0), start=0.0, payload=None, **beam):
    model = fb.Model("arm", gravity=gravity)
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", axis=(0, 0, 1), start=start))
    properties = {} if "section" in beam else {"linear_density": 0.2, "flexural_rigidity": 1.0}
    link = {"length": 0.5, "discretization": fb.AssumedModes(2, tip="auto")} | properties | beam
    link = model.add(fb.FlexibleBeam("link", **link))
    load = model.add(payload or fb.Payload("payload", mass=0.1, inertia=0.005))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)
    return model


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (arm(length=500.0), "length = 500 m; if it is in mm, write 0.5"),
        (arm(section=fb.Tube(outer=20.0, inner=16.0), material=STEEL), "section is 20 m deep; if it is in mm"),
        (arm(flexural_rigidity=1.0e6), "1 N mm2 = 1e-6 N m2"),
        (arm(payload=fb.Payload("payload", mass=100.0)), "1000 times its own mass"),
        (arm(payload=fb.Payload("payload", mass=0.1, inertia=5.0e6)), "if it is in g mm2, multiply by 1e-9"),
        (arm(gravity=(0.0, -9810.0, 0.0)), "If it is in mm/s2, divide by 1000"),
    ],
)
def test_sizes_in_other_units_are_warned_of_and_listed(mistake, words):
    with pytest.warns(ModelWarning, match=words):
        fb.assemble(mistake)
    assert any(words in remark for remark in mistake.check().remarks)


def test_start_angles_in_degrees_are_warned_of():
    with pytest.warns(fb.errors.FlexblocksWarning, match=r"start: joint.angle = 90 rad is 14.3 turns"):
        fb.assemble(arm(start=90))


def test_a_rigidity_that_the_lightest_stiff_rod_has_is_plausible():
    # Two thin flanges of beryllium as far apart as half the length have the largest EI of their mass.
    largest = 0.2 * (12.9e3 * 0.5 / 4) ** 2
    assert not arm(flexural_rigidity=0.99 * largest).check().remarks
    assert arm(flexural_rigidity=1.01 * largest).check().remarks
    assert math.sqrt(3.0e11 / 1850.0) < 12.9e3


@pytest.mark.parametrize("machine", [arm, *(getattr(models, name) for name in models.__all__)])
def test_machines_from_grams_to_tons_are_plausible(machine):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        fb.assemble(machine())
    assert not [str(each.message) for each in found if "implausible-sizes" in str(each.message)]
