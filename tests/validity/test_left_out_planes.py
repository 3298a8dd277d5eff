"""Forces from outside across the plane in which a beam bends."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import ModelWarning
from flexblocks.validity.left_out_planes import left_out_planes


def cantilever(*elements: fb.ForceElement, at: str = "beam.frame_b", bending: str = "auto", **changes) -> fb.DAE:
    model = fb.Model("cantilever")
    beam = model.add(
        fb.FlexibleBeam(
            "beam", 0.8, 0.2, 20.0, fb.FiniteElements(2), bending=bending, flexural_rigidity_z=5.0, **changes
        )
    )
    model.connect(model.add(fb.Ground("ground")).frame_b, beam.frame_a)
    bar = model.add(fb.RigidLink("bar", length=0.3, mass=0.1))
    model.connect(beam.frame_b, bar.frame_a)
    for element in map(model.add, elements):
        model.connect(beam.station(0.4) if at == "middle" else at, element.frame_a)
    return fb.assemble(model)


CASES = [
    ({"wind.force_z": 1.0}, "beam.frame_b", {}),
    ({"wind.force_z": -2.0}, "bar.frame_b", {}),
    ({"wind.force_z": 1.0, "jet.torque_y": 0.7}, "middle", {}),
    ({"jet.torque_y": 0.5}, "bar.frame_b", {}),
    ({"beam.load_z": 3.0}, "beam.frame_b", {"load_z": "input"}),
]


@pytest.mark.parametrize(("u", "at", "changes"), CASES)
def test_the_deflection_that_is_told_is_that_of_the_beam_that_bends_there(u, at, changes) -> None:
    elements = fb.WorldForce("wind"), fb.WorldTorque("jet")
    dae = cantilever(*elements, at=at, **changes)
    inputs = {name: u.get(name, 0.0) for name in dae.u.names}
    with pytest.warns(ModelWarning, match="is left out. Give it bending='yz'"):
        fb.equilibrium(dae, u=inputs)
    values = np.array([list(inputs.values())])
    (told,) = left_out_planes(dae, dae.x.start[None], dae.z.start[None], values, dae.p.start)
    both = fb.equilibrium(cantilever(*elements, at=at, bending="yz", **changes), u=inputs)
    assert (told.beam.name, told.axis) == ("beam", "z")
    assert told.deflection == pytest.approx(abs(both["beam.tip_deflection_z"]), rel=0.02)


def test_forces_in_the_plane_and_none_are_not_warned_of() -> None:
    dae = cantilever(fb.WorldForce("wind"), fb.WorldTorque("jet"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fb.equilibrium(dae, u={name: 0.01 * (name in ("wind.force_y", "jet.torque_z")) for name in dae.u.names})
        fb.simulate(dae, (0.0, 0.01))


def told(caught) -> str:
    """The text of the only warning of deflections that are left out."""
    (text,) = [str(one.message) for one in caught if "is left out" in str(one.message)]
    return text


def test_batches_tell_the_worst_run_once() -> None:
    dae = cantilever(fb.WorldForce("wind"))
    with pytest.warns(ModelWarning) as caught:
        fb.simulate_batch(dae, (0.0, 0.01), u={"wind.force_z": [0.0, 0.5, 1.0]})
    (alone,) = left_out_planes(dae, dae.x.start[None], dae.z.start[None], np.array([[0.0, 0.0, 1.0]]), dae.p.start)
    assert "in 2 runs, the most in run 2: FlexibleBeam 'beam' bends along y alone" in told(caught)
    assert f"by about {alone.deflection:.2g} m along z" in told(caught)


def test_grids_tell_the_worst_point_once() -> None:
    dae = cantilever(fb.WorldForce("wind"))
    with pytest.warns(ModelWarning) as caught:
        fb.linear_grid(dae, {"wind.force_z": [0.0, 0.5, 1.0]})
    assert "at 2 points, the most at wind.force_z = 1: FlexibleBeam 'beam' bends along y alone" in told(caught)
    with pytest.warns(ModelWarning) as caught:
        fb.linear_grid(dae, {"wind.force_y": [0.0, 0.01]}, at={"wind.force_z": 0.5})
    assert "at 2 points" in told(caught)


def test_a_thruster_on_a_turned_link_is_seen_in_its_own_axes() -> None:
    model = fb.Model("thruster")
    joint = model.add(fb.Revolute("joint", start=1.0))
    beam = model.add(fb.FlexibleBeam("beam", 1.0, 0.2, 20.0, fb.AssumedModes(1)))
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    mount = model.add(fb.FixedTransform("mount", rotation=(np.pi / 2, 0.0, 0.0)))
    model.connect(beam.frame_b, mount.frame_a)
    model.connect(mount.frame_b, model.add(fb.WorldForce("jet", resolve_in="frame")).frame_a)
    dae = fb.assemble(model)
    with pytest.warns(ModelWarning, match=r"jet would deflect it by about 0\.033 m along z"):
        fb.simulate(dae, (0.0, 0.02), u={"jet.force_y": 2.0})
