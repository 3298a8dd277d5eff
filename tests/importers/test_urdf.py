"""What a URDF file says of joints, and what of it users change."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

import flexblocks as fb
from arms.flexible_bodies import angle
from flexblocks import export, optim
from urdf_files import joint, link, two_links, written

LIMIT = '<limit lower="-1.2" upper="2" velocity="3" effort="50"/>'


def test_limits_efforts_damping_and_friction(tmp_path: Path) -> None:
    path = two_links(tmp_path, LIMIT + '<dynamics damping="0.7" friction="0.3"/>')
    robot = fb.from_urdf(path)
    shoulder = robot.model["shoulder"]
    assert (shoulder.low, shoulder.high, shoulder.max_speed, shoulder.limit) == (-1.2, 2.0, 3.0, 50.0)
    assert shoulder.damping == 0.7
    assert robot.model["shoulder_friction"].coulomb == 0.3
    assert robot.model["elbow"].limit is robot.model["elbow"].low is None
    assert robot.coordinates == {"shoulder": "shoulder.angle", "elbow": "elbow.angle"}
    assert robot.inputs == {"shoulder": "shoulder.motor.torque", "elbow": "elbow.motor.torque"}
    dae = fb.assemble(robot.model)
    assert dae.u.names == tuple(robot.inputs.values())
    assert dae.u.limits.tolist() == [50.0, np.inf]


def test_plans_keep_the_limits_of_the_file(tmp_path: Path) -> None:
    path = two_links(tmp_path, '<limit lower="-1.2" upper="2" velocity="0.8" effort="500"/>', LIMIT)
    dae = fb.assemble(fb.from_urdf(path).model)
    start, goal = ({"shoulder.angle": value, "elbow.angle": value} for value in (-0.5, 0.5))
    plan = optim.plan(dae, optim.RestToRest(start, goal, duration=1.6))
    assert plan.status == "converged"
    assert np.abs(plan.trajectory["der(shoulder.angle)"]).max() <= 0.8 * (1 + 1e-6)


@pytest.mark.parametrize("text", ["", '<limit lower="0" upper="0" effort="0" velocity="0"/>'])
def test_joints_without_limits(tmp_path: Path, text: str) -> None:
    block = fb.from_urdf(two_links(tmp_path, text)).model["shoulder"]
    assert block.low is block.high is block.max_speed is block.limit is None


def test_continuous_joints_have_no_range(tmp_path: Path) -> None:
    block = fb.from_urdf(two_links(tmp_path, "", LIMIT, "continuous")).model["elbow"]
    assert block.low is block.high is None
    assert block.max_speed == 3.0


def test_starts_lie_within_the_limits(tmp_path: Path) -> None:
    path = two_links(tmp_path, LIMIT, '<limit lower="0.5" upper="1.5" effort="1" velocity="1"/>')
    assert fb.from_urdf(path).model["shoulder"].start == 0.0
    assert fb.from_urdf(path).model["elbow"].start == 1.0
    assert fb.from_urdf(path, start={"elbow": 0.6}).model["elbow"].start == 0.6


@pytest.mark.parametrize("leader", ["revolute", "prismatic"])
@pytest.mark.parametrize("follower", ["revolute", "prismatic"])
@pytest.mark.parametrize("ratio", [1.0, -0.4])
def test_mimics_are_gears(tmp_path: Path, leader: str, follower: str, ratio: float) -> None:
    """The energy of the arm with a mimic is that of the arm without, at the positions that the mimic has."""
    parts = [link("base"), link("upper"), link("forearm"), joint("shoulder", "base", "upper", kind=leader)]
    mimic = f'<mimic joint="shoulder" multiplier="{ratio}" offset="0.3"/>'
    both = [
        fb.assemble(fb.from_urdf(written(tmp_path, *parts, joint("elbow", "upper", "forearm", text, follower))).model)
        for text in ("", mimic)
    ]
    assert both[1].q_names == both[0].q_names[:1]
    q, v = 0.35, 0.9
    free = both[0].energy([q, ratio * q + 0.3, v, ratio * v], [])
    coupled = both[1].energy([q, v], [])
    np.testing.assert_allclose(np.array(coupled).ravel(), np.array(free).ravel(), rtol=1e-12)


def test_limits_of_mimics_bound_their_leader(tmp_path: Path) -> None:
    mimic = '<mimic joint="shoulder" multiplier="2" offset="1"/><limit lower="0" upper="2" velocity="1" effort="1"/>'
    dae = fb.assemble(fb.from_urdf(two_links(tmp_path, LIMIT, mimic)).model)
    bound = dae.tree.state_ranges["shoulder.angle"]
    assert (bound.low, bound.high) == (-0.5, 0.5)
    assert dae.tree.state_ranges["der(shoulder.angle)"].high == 0.5


def test_locks_hold_joints_and_what_mimics_them(tmp_path: Path) -> None:
    mimic = '<mimic joint="shoulder" multiplier="2" offset="0.5"/>'
    path = two_links(tmp_path, LIMIT, mimic)
    dae = fb.assemble(fb.from_urdf(path, lock={"shoulder": 0.3}).model)
    assert dae.q_names == ()
    (tmp_path / "free").mkdir()
    free = fb.assemble(fb.from_urdf(two_links(tmp_path / "free", LIMIT)).model)
    np.testing.assert_allclose(float(dae.energy([], [])[1]), float(free.energy([0.3, 1.1, 0, 0], [])[1]), rtol=1e-12)
    with pytest.raises(fb.FlexblocksError, match="lock that one"):
        fb.from_urdf(path, lock={"elbow": 0.3})
    with pytest.warns(fb.FlexblocksWarning, match="beyond its limits"):
        fb.from_urdf(path, lock={"shoulder": 3.0})


def test_passive_joints_have_no_motor(tmp_path: Path) -> None:
    robot = fb.from_urdf(two_links(tmp_path), passive=("elbow",))
    assert fb.assemble(robot.model).u.names == ("shoulder.motor.torque",)


def test_free_bases_fall(tmp_path: Path) -> None:
    dae = fb.assemble(fb.from_urdf(two_links(tmp_path), base="free").model)
    run = fb.simulate(dae, [0.0, 0.5])
    assert run["floating_base.displacement_z"][-1] == pytest.approx(-9.81 * 0.5**2 / 2, rel=1e-6)


def test_elastic_joints_keep_the_names_of_rigid_ones(tmp_path: Path) -> None:
    path = two_links(tmp_path, LIMIT, LIMIT)
    elastic = {name: fb.Elastic(stiffness=1e3, rotor=1e-4, gear_ratio=100.0) for name in ("shoulder", "elbow")}
    rigid, soft = fb.from_urdf(path), fb.from_urdf(path, elastic=elastic)
    assert rigid.coordinates == soft.coordinates
    assert rigid.inputs == soft.inputs
    assert fb.assemble(soft.model).x.names[:4] == (
        "shoulder.rotor.angle",
        "shoulder.angle",
        "elbow.rotor.angle",
        "elbow.angle",
    )
    # Behind rigid springs the rotor is 1 kg m2 more on its joint.
    stiff = fb.assemble(fb.stiffen(soft.model)).mass_matrix([0.2, 0.4], [])
    np.testing.assert_allclose(
        np.array(stiff), np.array(fb.assemble(rigid.model).mass_matrix([0.2, 0.4], [])) + np.eye(2), rtol=1e-12
    )


def test_flexible_links_keep_mass_and_geometry(tmp_path: Path) -> None:
    tip = joint("flange", "forearm", "tool", kind="fixed", xyz="0.3 0.1 0.2") + link("tool")
    path = two_links(tmp_path, more=tip)
    rigid = fb.from_urdf(path)
    beam = {"flexural_rigidity": 100.0, "discretization": fb.AssumedModes(2)}
    robot = fb.from_urdf(path, flexible={"forearm": beam})
    block = robot.model["forearm"]
    assert block.length == pytest.approx(np.sqrt(0.14))
    assert block.linear_density * block.length == pytest.approx(2.0)
    dae, other = fb.assemble(robot.model), fb.assemble(rigid.model)
    x = dae.x.start.copy()
    q = {"shoulder.angle": 0.4, "elbow.angle": -0.7}
    for name, value in q.items():
        x[dae.x.names.index(name)] = value
    ours = dict(zip(dae.y.names, np.array(dae.output(x, np.zeros(len(dae.u)), [])).ravel(), strict=True))
    theirs = dict(zip(other.y.names, np.array(other.output([*q.values(), 0, 0], [0, 0], [])).ravel(), strict=True))
    for axis in "xyz":
        assert ours[f"tool.{axis}"] == pytest.approx(theirs[f"tool.{axis}"], abs=1e-12)
    assert dae.x.names[2:6] == tuple(f"forearm.bending_{axis}[{i}]" for axis in "yz" for i in (1, 2))


def test_flexible_links_of_another_mass_or_length(tmp_path: Path) -> None:
    path = two_links(tmp_path, more=joint("flange", "forearm", "tool", kind="fixed") + link("tool"))
    with pytest.warns(fb.FlexblocksWarning, match=r"has 2 kg in the file, and its beam 0\.4 kg"):
        fb.from_urdf(path, flexible={"forearm": fb.FlexibleBeam("beam", 0.4, 1.0, 50.0, fb.AssumedModes(1))})
    with pytest.raises(fb.FlexblocksError, match=r"must be 0\.4 m, the distance of its joints"):
        fb.from_urdf(path, flexible={"forearm": fb.FlexibleBeam("beam", 0.5, 4.0, 50.0, fb.AssumedModes(1))})
    with pytest.raises(fb.FlexblocksError, match="carries no joint"):
        fb.from_urdf(path, flexible={"tool": {"flexural_rigidity": 1.0}})
    with pytest.raises(fb.FlexblocksError, match="leave it out"):
        fb.from_urdf(path, flexible={"forearm": {"length": 0.4, "flexural_rigidity": 1.0}})


def test_bodies_of_finite_elements_stand_for_links(tmp_path: Path) -> None:
    body = angle()
    place = " ".join(f"{x:.6f}" for x in body.points[1])
    more = joint("flange", "forearm", "tool", kind="fixed", xyz=place) + link("tool")
    path = two_links(tmp_path, more=more)
    robot = fb.from_urdf(path, flexible={"forearm": fb.ReducedBody("any", body=body, modes=2)})
    assert robot.model["forearm"].modes == 2
    dae, rigid = fb.assemble(robot.model), fb.assemble(fb.from_urdf(path).model)
    q = {"shoulder.angle": 0.4, "elbow.angle": -0.7}
    x = dae.x.start.copy()
    for name, value in q.items():
        x[dae.x.names.index(name)] = value
    ours = dict(zip(dae.y.names, np.array(dae.output(x, np.zeros(len(dae.u)), [])).ravel(), strict=True))
    theirs = dict(zip(rigid.y.names, np.array(rigid.output([*q.values(), 0, 0], [0, 0], [])).ravel(), strict=True))
    for axis in "xyz":
        assert ours[f"tool.{axis}"] == pytest.approx(theirs[f"tool.{axis}"], abs=2e-6)
    elsewhere = two_links(tmp_path, more=joint("flange", "forearm", "tool", kind="fixed", xyz="0.4 0 0") + link("tool"))
    with pytest.raises(fb.FlexblocksError, match=r"frame_b of the body is at .* both must be one place"):
        fb.from_urdf(elsewhere, flexible={"forearm": fb.ReducedBody("any", body=body)})


def test_links_that_carry_several_joints(tmp_path: Path) -> None:
    more = "".join(joint(f"finger{i}", "forearm", f"tip{i}", xyz=f"0.4 {i} 0") + link(f"tip{i}") for i in (0, 1))
    path = two_links(tmp_path, more=more)
    beam = {"flexural_rigidity": 1e9, "discretization": fb.AssumedModes(1)}
    with pytest.raises(fb.FlexblocksError, match="carries 2 joints"):
        fb.from_urdf(path, flexible={"forearm": beam})
    robot = fb.from_urdf(path, flexible={("forearm", "finger0"): beam})
    dae, rigid = fb.assemble(robot.model), fb.assemble(fb.from_urdf(path).model)
    places = [
        np.array(arm.output(arm.x.start, np.zeros(4), [])).ravel()[arm.y.names.index("tip1.y")] for arm in (dae, rigid)
    ]
    assert places[0] == pytest.approx(places[1], abs=1e-12)


def test_names_that_blocks_cannot_have(tmp_path: Path) -> None:
    path = written(tmp_path, link("a"), link("2.b"), joint("2.b", "a", "2.b"), joint("2-b", "2.b", "c"), link("c"))
    robot = fb.from_urdf(path)
    assert robot.coordinates == {"2.b": "_2_b.angle", "2-b": "_2_b_2.angle"}
    assert "_2_b_link" in robot.model
    assert set(robot.frames) == {"a", "2.b", "c"}


def test_what_is_mounted_on_a_frame_moves_with_it(tmp_path: Path) -> None:
    robot = fb.from_urdf(two_links(tmp_path))
    tip = robot.model.add(fb.FixedTransform("tip", (0.4, 0.0, 0.0)))
    robot.model.connect(robot.frames["forearm"], tip.frame_a)
    dae = fb.assemble(robot.model)
    values = dict(zip(dae.y.names, np.array(dae.output([0.0, np.pi / 2, 0, 0], [0, 0], [])).ravel(), strict=True))
    assert [values[f"tip.{axis}"] for axis in "xyz"] == pytest.approx([0.8, 0.0, -0.4])


def test_robots_in_files(tmp_path: Path) -> None:
    robot = fb.from_urdf(two_links(tmp_path, LIMIT), elastic={"elbow": fb.Elastic(stiffness=1e3, rotor=1e-4)})
    robot.model.save(tmp_path / "arm.yaml")
    again = fb.assemble(fb.load(tmp_path / "arm.yaml"))
    dae = fb.assemble(robot.model)
    assert again.x.names == dae.x.names
    x, u = np.linspace(0.1, 0.6, len(dae.x)), np.ones(len(dae.u))
    np.testing.assert_allclose(
        np.array(again.forward_dynamics(x, u, [])), np.array(dae.forward_dynamics(x, u, [])), rtol=1e-14
    )


def test_printed_robots_say_what_is_left_out(tmp_path: Path) -> None:
    path = two_links(tmp_path, "<safety_controller k_velocity='1'/>", more="<transmission name='t1'/><gazebo/>")
    robot = fb.from_urdf(path)
    assert robot.left_out == ("safety controller: shoulder", "transmission: t1", "gazebo: one")
    assert "left out: transmission: t1" in str(robot)
    assert repr(robot) == "Robot('arm': 3 links, 2 joints)"


def test_a_joint_without_mass_may_lead_others(tmp_path: Path) -> None:
    finger = joint("finger", "base", "pad", '<mimic joint="drive" multiplier="2"/>') + link("pad")
    path = written(tmp_path, link("base"), link("horn", ""), joint("drive", "base", "horn"), finger)
    dae = fb.assemble(fb.from_urdf(path).model)
    assert len(dae.q_names) == 1
    assert float(dae.mass_matrix([0.3], [])) == pytest.approx(4 * (0.02 + 2 * 0.2**2))


@pytest.mark.slow
def test_seven_elastic_joints_and_a_flexible_forearm_leave_for_other_tools(tmp_path: Path) -> None:
    names = [f"joint{i}" for i in range(7)]
    parts = [link("link0")]
    for i, name in enumerate(names):
        axis = ("0 0 1", "0 1 0")[i % 2]
        parts += [joint(name, f"link{i}", f"link{i + 1}", LIMIT).replace("0 1 0", axis), link(f"link{i + 1}")]
    elastic = {name: fb.Elastic(stiffness=1e4, damping=5.0, rotor=5e-5, gear_ratio=100.0) for name in names}
    forearm = {"flexural_rigidity": 2e3, "discretization": fb.AssumedModes(1)}
    robot = fb.from_urdf(written(tmp_path, *parts), elastic=elastic, flexible={"link4": forearm})
    dae = fb.assemble(robot.model)
    lin = fb.linearize(dae)
    assert set(lin.inputs) == set(robot.inputs.values())
    unit = export.fmu(dae, tmp_path / "arm.fmu")
    model = fmpy.read_model_description(unit)
    assert set(robot.inputs.values()) <= {variable.name for variable in model.modelVariables}
    run = fmpy.simulate_fmu(str(unit), stop_time=0.05, output=["joint3.angle"], relative_tolerance=1e-8)
    ours = fb.simulate(dae, (0.0, 0.05), rtol=1e-9, atol=1e-11)
    assert run["joint3.angle"][-1] == pytest.approx(ours["joint3.angle"][-1], abs=1e-6)
