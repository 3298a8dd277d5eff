"""What is done with arms whose beams have strain functions: parameters, loops, pictures, plans, FMUs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from fmpy import simulate_fmu

import flexblocks as fb
from flexblocks import export, optim
from flexblocks.dae.compiler import find_compiler
from flexblocks.geometry import shape


def swing(kind: fb.StrainModes, **options: object) -> fb.Model:
    """A soft beam on a driven hinge in a vertical plane, with a load at its tip."""
    model = fb.Model("swing", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint"))
    motor = model.add(fb.TorqueSource("motor", limit=5.0))
    beam = model.add(fb.FlexibleBeam("beam", 0.5, 0.2, 0.3, kind, **options))
    load = model.add(fb.Payload("load", 0.05, (1e-3, 1e-3, 1e-3)))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(motor.flange_b, joint.axis)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    return model


@pytest.mark.parametrize("options", [{}, {"bending": "yz", "flexural_rigidity_z": 0.2}], ids=["plane", "space"])
def test_parameters_may_stay_symbolic(options: dict) -> None:
    given = ("beam.length", "beam.linear_density", "beam.flexural_rigidity", "load.mass")
    folded = fb.assemble(swing(fb.StrainModes(2), **options))
    whole = fb.assemble(swing(fb.StrainModes(2), **options), symbolic=given)
    assert whole.p.names == given
    x = np.random.default_rng(0).uniform(-0.5, 0.5, len(folded.x))
    expected = folded.forward_dynamics(x, [0.3], []).full()
    np.testing.assert_allclose(whole.forward_dynamics(x, [0.3], whole.p.start).full(), expected, rtol=1e-9, atol=1e-9)
    heavier = whole.forward_dynamics(x, [0.3], whole.p.start * (1, 1, 1, 2)).full()
    assert np.abs(heavier - expected).max() > 0.1


def test_a_beam_is_drawn_as_the_arc_that_it_is() -> None:
    """By the first function alone the axis is an arc, whose tip is turned by the coordinate."""
    dae = fb.assemble(swing(fb.StrainModes(2, points=8)))
    angle, x = 2.0, np.zeros(len(dae.x))
    x[dae.q_names.index("beam.curvature_y[1]")] = angle
    line = shape(dae, 10)(x)["beam"]
    s = np.linspace(0.0, 1.0, 11)
    arc = 0.5 / angle * np.column_stack([np.sin(angle * s), 1 - np.cos(angle * s), 0 * s])
    np.testing.assert_allclose(line, arc, atol=1e-8)


@cache
def linkage() -> fb.DAE:
    """Four bars, the coupler of them soft, swinging in a vertical plane without losses."""
    model = fb.Model("four bars", gravity=(0.0, -9.81, 0.0))
    ground = model.add(fb.Ground("ground"))
    far = model.add(fb.FixedTransform("far", (0.6, 0.0, 0.0)))
    joints = [model.add(fb.Revolute(f"joint{i}", start=start)) for i, start in enumerate((-1.0, 1.0, -1.0, -1.0))]
    crank, rocker = (model.add(fb.RigidLink(name, 0.4, 0.3)) for name in ("crank", "rocker"))
    coupler = model.add(fb.FlexibleBeam("coupler", 0.6, 0.2, 0.05, fb.StrainModes(3)))
    model.connect(ground.frame_b, joints[0].frame_a)
    model.connect(joints[0].frame_b, crank.frame_a)
    model.connect(crank.frame_b, joints[1].frame_a)
    model.connect(joints[1].frame_b, coupler.frame_a)
    model.connect(coupler.frame_b, joints[2].frame_a)
    model.connect(joints[2].frame_b, rocker.frame_b)
    model.connect(ground.frame_b, far.frame_a)
    model.connect(far.frame_b, joints[3].frame_a)
    model.connect(joints[3].frame_b, rocker.frame_a)
    return fb.assemble(model)


def test_a_linkage_with_a_soft_coupler_keeps_its_energy_and_stays_closed() -> None:
    dae = linkage()
    run = fb.simulate(dae, np.linspace(0.0, 0.5, 26))
    energy = run.energy[:, 0] + run.energy[:, 1]
    assert np.abs(run["coupler.tip_deflection_y"]).max() > 0.03
    assert np.ptp(energy) < 1e-6 * np.ptp(run.energy[:, 0])
    n = dae.tree.size
    assert max(np.abs(dae.constraint(x[:n], []).full()).max() for x in run.x) < 1e-8


@pytest.mark.slow
def test_a_plan_replays() -> None:
    dae = fb.assemble(swing(fb.StrainModes(2)))
    problem = optim.RestToRest(start={"joint.angle": -2.2}, goal={"joint.angle": -1.0}, duration=1.0)
    plan = optim.plan(dae, problem, refine=True)
    assert plan.status in ("optimal", "converged")
    replay = plan.replay().trajectory
    assert np.ptp(replay["beam.tip_deflection_y"]) > 0.05
    assert replay["joint.angle"][-1] == pytest.approx(-1.0, abs=1e-3)


@pytest.mark.slow
@pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
def test_an_fmu_moves_as_the_arm(tmp_path) -> None:
    dae = fb.assemble(swing(fb.StrainModes(2), bending="yz"))
    path = export.fmu(dae, tmp_path / "swing.fmu")
    t = np.linspace(0.0, 0.4, 21)
    expected = fb.simulate(dae, t, {"motor.torque": 0.2}, x0={"beam.curvature_z[1]": 0.3})
    found = simulate_fmu(
        str(path),
        stop_time=0.4,
        output_interval=0.02,
        start_values={"motor.torque": 0.2, "beam.curvature_z[1]": 0.3},
        output=["load.x", "load.y", "load.z"],
        relative_tolerance=1e-9,
    )
    for axis in "xyz":
        np.testing.assert_allclose(found[f"load.{axis}"], expected[f"load.{axis}"], atol=1e-6)
