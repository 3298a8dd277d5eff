"""The largest stress along a beam: wherever it is, as an output and as a limit of a plan."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import flexblocks as fb
from arms.fidelities import cantilever, outputs
from flexblocks import optim
from flexblocks.errors import FlexblocksError

STEEL = fb.Material(7850.0, 2.1e11)
BAR = fb.FlexibleBeam("beam", 2.0, section=fb.Rectangle(width=0.02, height=0.03), material=STEEL, largest_stress=True)
KINDS = [fb.Rigid(), fb.AssumedModes(2, tip="free"), fb.FiniteElements(2), fb.RigidSegments(4), fb.StrainModes(2)]


def largest(beam: fb.FlexibleBeam, *loads: fb.Block, gravity=(0.0, -9.81, 0.0)) -> float:
    dae = fb.assemble(cantilever(beam, *loads, gravity=gravity))
    return outputs(dae, fb.equilibrium(dae).x[: dae.tree.size])["beam.largest_stress"]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_cantilever_is_stressed_most_at_its_root(kind) -> None:
    """rho A g l^2/2 over the section modulus b h^2/6."""
    expected = 7850.0 * 0.02 * 0.03 * 9.81 * 2.0**2 / 2 / (0.02 * 0.03**2 / 6)
    assert largest(replace(BAR, discretization=kind)) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_load_that_lifts_the_tip_moves_the_worst_place_outward(kind) -> None:
    """M = F s - f s^2/2 at s from the tip has its largest F^2/(2 f) at s = F/f, three quarters of the length."""
    f, lift = 8.0, 8.0 * 0.75 * 2.0
    light = fb.FlexibleBeam(
        "beam", 2.0, section=fb.Rectangle(width=0.02, height=0.03), material=fb.Material(30.0, 2.1e11),
        largest_stress=True, load_y=f, discretization=kind,
    )  # fmt: skip
    found = largest(light, fb.LumpedMass("load", 1.0), gravity=(0.0, -lift, 0.0))
    f -= 30.0 * 0.02 * 0.03 * lift  # the weight of the bar itself
    ends = abs(lift * 2.0 - f * 2.0**2 / 2) / (0.02 * 0.03**2 / 6)
    inside = lift**2 / (2 * f) / (0.02 * 0.03**2 / 6)
    assert found == pytest.approx(inside, rel=8e-3)
    assert found > 1.08 * ends


def test_the_weaker_side_of_a_jump_counts() -> None:
    """Where a thick tube is welded to a thin one, the thin one fails; between the stations that are looked at."""
    thick, thin = fb.Tube(outer=0.1, inner=0.08), fb.Tube(outer=0.04, inner=0.03)
    table = [(0.0, thin), (0.77, thin), (0.77, thick), (1.31, thick), (1.31, thin), (2.0, thin)]
    beam = replace(BAR, section=table, internal_forces=(0.77,), discretization=KINDS[1])
    dae = fb.assemble(cantilever(beam, fb.LumpedMass("load", 5.0), gravity=(0.0, -9.81, 0.0)))
    y = outputs(dae, fb.equilibrium(dae).x[: dae.tree.size])
    modulus = thin.second_moment("y") / 0.02
    assert y["beam.station(0.77).stress"] == pytest.approx(-y["beam.station(0.77).moment_y"] / modulus, rel=1e-12)
    # Thick at the root, the worst place is the jump to the thin end, which no evenly spaced station meets.
    stout = replace(beam, section=[(0.0, thick), (1.31, thick), (1.31, thin), (2.0, thin)], internal_forces=(1.31,))
    dae = fb.assemble(cantilever(stout, fb.LumpedMass("load", 5.0), gravity=(0.0, -9.81, 0.0)))
    y = outputs(dae, fb.equilibrium(dae).x[: dae.tree.size])
    assert y["beam.largest_stress"] == y["beam.station(1.31).stress"]


def test_costs_the_equations_nothing() -> None:
    plain, asked = (
        fb.assemble(cantilever(replace(BAR, discretization=fb.AssumedModes(2, tip="free"), largest_stress=on)))
        for on in (False, 8)
    )
    assert asked.x.names == plain.x.names
    assert set(asked.y.names) - set(plain.y.names) == {"beam.largest_stress"}
    for function in ("mass_matrix", "forward_dynamics", "inverse_dynamics"):
        assert getattr(asked, function).n_instructions() == getattr(plain, function).n_instructions()


@cache
def swinging() -> fb.DAE:
    """Return a bar that is turned about its root, with a heavy end: it lashes as it is turned."""
    model = fb.Model("lash")
    ground, motor, joint = (model.add(b) for b in (fb.Ground("g"), fb.TorqueSource("motor"), fb.Revolute("joint")))
    section = [
        (0.0, fb.Rectangle(width=0.02, height=0.03)),
        (1.0, fb.Rectangle(width=0.02, height=0.03)),
        (2.0, fb.Rectangle(width=0.02, height=0.012)),
    ]
    beam = model.add(replace(BAR, section=section, discretization=fb.AssumedModes(2, tip="auto")))
    load = model.add(fb.LumpedMass("load", 2.0))
    model.connect(motor.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    return fb.assemble(model)


def test_limits_a_plan_wherever_the_worst_place_is() -> None:
    dae, output = swinging(), "beam.largest_stress"
    motion = {"start": {"joint.angle": 0.0}, "goal": {"joint.angle": 1.0}, "duration": 1.5}
    motion |= {"objective": optim.Effort(rate_weight=0.01)}
    free = optim.plan(dae, optim.RestToRest(**motion), intervals=15)
    most = free.trajectory[output].max()
    held = optim.plan(dae, optim.RestToRest(**motion, limits={output: 0.8 * most}), intervals=15)
    # Each station is bounded from both sides by itself, so that nothing has a kink; none at the end.
    names = {name for name in held.pyomo_model.path_names if output in name}
    assert names == {f"{output} ({i})" for i in range(1, 9)}
    assert held.trajectory[output].max() <= 0.8 * most * (1 + 1e-5)
    assert held.objective > 1.001 * free.objective


def test_comes_back_from_files(tmp_path: Path) -> None:
    model = cantilever(replace(BAR, largest_stress=12))
    model.save(tmp_path / "arm.yaml")
    assert fb.load(tmp_path / "arm.yaml").blocks == model.blocks


@pytest.mark.parametrize("value", [0, -1, 41, 2.5, "all", None])
def test_refused(value) -> None:
    with pytest.raises(FlexblocksError, match="largest_stress = "):
        replace(BAR, largest_stress=value)


def test_refused_without_a_section() -> None:
    with pytest.raises(FlexblocksError, match="without a section"):
        fb.FlexibleBeam("beam", 1.0, 1.0, 1.0, largest_stress=True)
