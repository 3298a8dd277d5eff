"""Symbolic parameters keep the ranges of the blocks' own: a mass below zero is refused wherever it is given."""

from __future__ import annotations

import pickle
import re
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import models


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("payload.mass", -0.2, "at least 0"),
        ("link1.flexural_rigidity", 0.0, "more than 0"),
        ("link1.damping_ratio", 1.0, "at least 0 and at most"),
    ],
)
def test_parameters_keep_their_ranges(name, value, words):
    dae = fb.assemble(
        models.subudhi_morris_2002(), symbolic=("payload.mass", "link1.flexural_rigidity", "link1.damping_ratio")
    )
    index = dae.p.names.index(name)
    whole = np.where(np.arange(len(dae.p)) == index, value, dae.p.start)
    for p in ({name: value}, whole):
        with pytest.raises(fb.errors.ParameterError, match=f"{name} = {value:g}; must be {words}"):
            fb.simulate(dae, (0, 0.1), p=p)
        with pytest.raises(fb.errors.ParameterError, match=words):
            fb.equilibrium(dae, p=p)
    assert fb.simulate(dae, (0, 0.01), p={"payload.mass": 0.3}).p["payload.mass"] == 0.3


@cache
def cylinder_on_a_link() -> fb.DAE:
    model = fb.Model("boom")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    link = model.add(fb.RigidLink("link", 3.0, mass=9.0, inertia=((0.1, 0, 0), (0, 0.4, 0), (0, 0, 0.5))))
    foot = model.add(fb.FixedTransform("foot", (0.4, -0.9, 0.0)))
    ram = fb.HydraulicCylinder("ram", 1e-3, 1e-3, retracted=0.5, extended=3.0, supply_pressure=1e7, rated_flow=1e-3)
    ram = model.add(ram)
    model.connect(ground.frame_b, hinge.frame_a, foot.frame_a)
    model.connect(hinge.frame_b, link.frame_a)
    model.connect(foot.frame_b, ram.frame_a)
    model.connect(link.station(1.0), ram.frame_b)
    return fb.assemble(model, symbolic=("link.inertia", "ram.retracted", "ram.extended"))


@pytest.mark.parametrize(
    ("p", "words"),
    [
        ({"link.inertia[1,1]": -0.1}, "RigidLink 'link': inertia has principal moments -0.1, 0.4, 0.5 kg m2"),
        ({"link.inertia[3,3]": 0.6}, "RigidLink 'link': inertia has principal moments 0.1, 0.4, 0.6 kg m2"),
        ({"link.inertia[1,2]": 0.3}, "RigidLink 'link': inertia has principal moments"),
        ({"ram.retracted": 4.0}, "HydraulicCylinder 'ram': "),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(p, words):
    """As when a block is made with them: no body has these moments, and no cylinder is longer when retracted."""
    dae = pickle.loads(pickle.dumps(cylinder_on_a_link()))
    whole = np.array([p.get(name, start) for name, start in zip(dae.p.names, dae.p.start, strict=True)])
    for values in (p, whole):
        with pytest.raises(fb.errors.ParameterError, match=f"simulate: p: {re.escape(words)}"):
            fb.simulate(dae, (0, 0.01), p=values)


def test_parameters_that_go_together_are_taken_together():
    dae = cylinder_on_a_link()
    p = {"link.inertia[1,1]": 0.3, "link.inertia[3,3]": 0.6, "ram.retracted": 0.7, "ram.extended": 4.0}
    assert fb.simulate(dae, (0, 0.001), p=p).p["ram.extended"] == 4.0
