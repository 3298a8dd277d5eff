"""An arm on which disturbances may act is the arm without them, until they are given."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.random_arms import ALL_BEAMS, Arm, arms
from flexblocks import control
from flexblocks.errors import FlexblocksError, FlexblocksWarning


def disturbed(arm: Arm, seed: int, role: str = "disturbance") -> fb.DAE:
    """The arm with forces and torques from outside at its links, and loads along its beams."""
    numbers, model = np.random.default_rng(seed), arm.model
    links = [segment.link for segment in arm.segments]
    loaded = [link.with_values({"load_y": "input"}) for link in links if isinstance(link, fb.FlexibleBeam)]
    model = model.copy({link.name: link for link in loaded})
    for i, link in enumerate(links):
        kind = (fb.WorldForce, fb.WorldTorque)[numbers.integers(2)]
        push = model.add(kind(f"push{i}", resolve_in=("world", "frame")[numbers.integers(2)], role=role))
        model.connect(f"{link.name}.frame_b", push.frame_a)
    return fb.assemble(model)


@settings(max_examples=3)
@given(arms(links=2, modes=2, beams=ALL_BEAMS), st.integers(0, 10**6))
def test_equilibrium_linear_model_and_regulator_are_those_of_the_arm_without(arm: Arm, seed: int) -> None:
    plain, other = fb.assemble(arm.model), disturbed(arm, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexblocksWarning)
        try:
            point = fb.equilibrium(plain)
        except FlexblocksError as error:
            with pytest.raises(type(error)):
                fb.equilibrium(other)
            return
        there = fb.equilibrium(other)
        np.testing.assert_allclose(there.x, point.x, rtol=1e-9, atol=1e-9)
        assert not any(there[name] for name in other.u.with_role("disturbance"))
        for name in plain.u.names:
            assert there[name] == pytest.approx(point[name], rel=1e-9, abs=1e-9)
        lin, of_other = fb.linearize(plain, point), fb.linearize(other, there)
        assert of_other.inputs == other.u.names  # all columns of B
        columns = [of_other.inputs.index(name) for name in plain.u.names]
        for ours, theirs in ((lin.A, of_other.A), (lin.B, of_other.B[:, columns])):
            np.testing.assert_allclose(theirs, ours, rtol=1e-8, atol=1e-9 * np.abs(ours).max(initial=1.0))
        law = control.LQR(dict.fromkeys(lin.states, 1.0), at=None)
        try:
            gain = law.gain(plain)
        except FlexblocksError:
            with pytest.raises(FlexblocksError):
                law.gain(other)
            return
        np.testing.assert_allclose(law.gain(other), gain, rtol=1e-5, atol=1e-6 * np.abs(gain).max())


def test_thrusters_hold_what_disturbances_do_not():
    """A ball joint with a rod on it hangs; jets hold it up where it starts."""

    def bob(role: str) -> fb.DAE:
        model = fb.Model("bob", gravity=(0.0, -9.81, 0.0))
        ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
        rod, jet = model.add(fb.RigidLink("rod", 1.0, 2.0)), model.add(fb.WorldForce("jet", role=role))
        model.connect(ground.frame_b, hinge.frame_a)
        model.connect(hinge.frame_b, rod.frame_a)
        model.connect(rod.frame_b, jet.frame_a)
        return fb.assemble(model)

    hanging, held = fb.equilibrium(bob("disturbance")), fb.equilibrium(bob("actuator"))
    assert hanging["hinge.angle"] == pytest.approx(-np.pi / 2)
    assert held["hinge.angle"] == pytest.approx(0.0, abs=1e-9)
    assert held["jet.force_y"] == pytest.approx(9.81)
    given_force = fb.equilibrium(bob("disturbance"), u={"jet.force_x": 9.81})
    assert given_force["hinge.angle"] == pytest.approx(-np.pi / 4)


def test_cantilevers_sag_by_their_weight_alone():
    for discretization in (fb.AssumedModes(3), fb.StrainModes(3)):
        model = fb.Model("cantilever", gravity=(0.0, -9.81, 0.0))
        ground, wind = model.add(fb.Ground("ground")), model.add(fb.WorldForce("wind"))
        beam = model.add(fb.FlexibleBeam("beam", 1.0, 1.0, 100.0, discretization=discretization))
        model.connect(ground.frame_b, beam.frame_a)
        model.connect(beam.frame_b, wind.frame_a)
        dae = fb.assemble(model)
        assert fb.equilibrium(dae)["beam.tip_deflection_y"] == pytest.approx(-9.81 / 800, rel=2e-3)
        assert min(mode.frequency for mode in fb.linearize(dae).modes()) == pytest.approx(35.16, rel=5e-3)
        # 1 N sideways without weight pulls nothing along the beam.
        pushed = fb.equilibrium(dae, u={"wind.force_y": 9.81 * 3 / 8})
        assert pushed["beam.tip_deflection_y"] == pytest.approx(0.0, abs=1e-4)
        assert pushed["wind.force_x"] == 0.0
