"""Models: ports, connections, the graph, shared coordinates, composites, and the names a user sees."""

from __future__ import annotations

import random
from dataclasses import dataclass

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.library import subudhi_morris
from arms.random_arms import arms
from flexblocks import models
from flexblocks.errors import ModelError
from flexblocks.interfaces import Kind, inlet, outlet, parameter


def random_point(dae: fb.DAE, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.3, 0.3, len(dae.x)), rng.uniform(-1, 1, len(dae.u))


def assert_same_motion(first: fb.DAE, second: fb.DAE) -> None:
    assert first.x.names == second.x.names
    assert first.u.names == second.u.names
    x, u = random_point(first)
    expected = first.forward_dynamics(x, u, []).full()
    np.testing.assert_allclose(second.forward_dynamics(x, u, []).full(), expected, rtol=1e-9, atol=1e-9)
    q = x[: first.tree.size]
    np.testing.assert_allclose(second.mass_matrix(q, []).full(), first.mass_matrix(q, []).full(), rtol=0, atol=1e-12)


def rewired(model: fb.Model, seed: int) -> fb.Model:
    """Return the same model with its connections in another order, the ports of each shuffled."""
    chance = random.Random(seed)
    other = fb.Model(model.name, model.gravity)
    for block in model.blocks.values():
        other.add(block)
    for ports in chance.sample(model.connections, len(model.connections)):
        other.connect(*chance.sample(ports, len(ports)))
    return other


@settings(max_examples=3)
@given(arms(links=3, modes=2), st.integers(0, 1000))
def test_order_of_connections_and_of_their_ports_is_irrelevant(arm, seed):
    assert_same_motion(fb.assemble(arm.model), fb.assemble(rewired(arm.model, seed)))


def test_connections_are_variadic_and_merge():
    blocks = (
        fb.Ground("ground"),
        fb.Revolute("left"),
        fb.Revolute("right"),
        fb.Payload("a", mass=1.0, inertia=0.1),
        fb.Payload("b", mass=2.0, inertia=0.2, center=(0.3, 0, 0)),
    )
    ends = (("left.frame_b", "a.frame_a"), ("right.frame_b", "b.frame_a"))
    wirings = (
        (("left.frame_a", "ground.frame_b", "right.frame_a"), *ends),
        (("ground.frame_b", "left.frame_a"), ("right.frame_a", "ground.frame_b"), *ends),
        (*ends, ("left.frame_a", "right.frame_a"), ("right.frame_a", "ground.frame_b")),
    )
    daes = []
    for wiring in wirings:
        model = fb.Model("tree", gravity=(0, -9.81, 0))
        for block in blocks:
            model.add(block)
        for ports in wiring:
            model.connect(*ports)
        daes.append(fb.assemble(model))
    assert daes[0].q_names == ("left.angle", "right.angle")
    np.testing.assert_allclose(daes[0].mass_matrix([0.1, 0.2], []).full(), np.diag([0.1, 0.2 + 2.0 * 0.09]), atol=1e-15)
    for dae in daes[1:]:
        assert_same_motion(daes[0], dae)


def test_ports_are_attributes():
    link = fb.RigidLink("link", 0.5)
    assert str(link.frame_b) == "link.frame_b"
    assert link.frame_b == link.port("frame_b") != link.frame_a
    assert str(link.station(0.25)) == "link.station(0.25)"
    assert link.port("station(0.250)") == link.station(0.25)
    joint = fb.Revolute("joint", axis=(0, 3, 4))
    assert joint.axis.kind is Kind.ROTATIONAL
    assert joint.direction == (0.0, 0.6, 0.8)
    assert fb.Prismatic("slide").axis.kind is Kind.TRANSLATIONAL


def test_graph():
    model = models.subudhi_morris_2002(links=2)
    graph = model.graph
    assert type(graph) is nx.MultiGraph
    assert list(graph) == list(model.blocks)
    assert graph.nodes["link1"]["block"] is model["link1"]
    assert nx.is_connected(graph)
    assert graph.number_of_edges() == sum(len(ports) - 1 for ports in model.connections)
    (edge,) = graph.get_edge_data("link1", "joint2").values()
    assert set(edge["ports"]) == {"link1.frame_b", "joint2.frame_a"}
    assert edge["kind"] == Kind.FRAME
    (edge,) = graph.get_edge_data("spring1", "joint1").values()
    assert set(edge["ports"]) == {"spring1.flange_b", "joint1.axis"}
    # From the ground to the payload the way is the arm itself.
    assert nx.shortest_path(graph, "ground", "payload") == ["ground", "joint1", "link1", "joint2", "link2", "payload"]


def test_a_block_by_its_name():
    model = models.subudhi_morris_2002(links=2)
    assert all(model[name] is block for name, block in model.blocks.items())
    assert list(model) == list(model.blocks)
    assert "joint1" in model
    assert "jonit1" not in model
    with pytest.raises(fb.FlexblocksError, match="Did you mean joint1"):
        model["jonit1"]


def test_graph_of_a_connection_of_three():
    model = fb.Model("m")
    for block in (fb.LumpedMass("a", 1.0), fb.Ground("ground"), fb.LumpedMass("b", 1.0)):
        model.add(block)
    model.connect("a.frame_a", "b.frame_a", "ground.frame_b")
    assert sorted(map(sorted, model.graph.edges())) == [["a", "ground"], ["b", "ground"]]


def test_what_a_model_hands_out_is_a_copy():
    model = fb.Model("m")
    model.add(fb.Ground("ground"))
    model.blocks.clear()
    assert list(model.blocks) == ["ground"]
    assert model.connections == ()


def drive(*blocks: fb.Block, start: float = 0.5) -> fb.Model:
    """Return a wheel (1 kg m2) on a hinge, driven through `blocks` in series."""
    model = fb.Model("wheel")
    chain = [model.add(block) for block in blocks]
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", start=start))
    wheel = model.add(fb.Payload("wheel", mass=1.0, inertia=1.0))
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, wheel.frame_a)
    for first, second in zip(chain, [*chain[1:], joint], strict=True):
        model.connect(first.flange_b, second.axis if second is joint else second.flange_a)
    return model


def test_rigidly_joined_shafts_share_the_coordinate_of_the_joint():
    motor, rotor = fb.TorqueSource("motor", limit=3.0), fb.Rotor("rotor", inertia=0.02)
    dae = fb.assemble(drive(motor, rotor, fb.Gear("gear", ratio=-5.0)))
    assert dae.x.names == ("joint.angle", "der(joint.angle)")
    assert dae.x.units == ("rad", "rad/s")
    assert dae.x.start[0] == 0.5
    assert (dae.u.names, dae.u.units, dae.u.limits[0]) == (("motor.torque",), ("N m",), 3.0)
    assert float(dae.mass_matrix([0], [])) == pytest.approx(1 + 25 * 0.02, rel=1e-15)
    assert float(dae.input_force([0, 0], [2.0], [])) == -10.0


def test_rotors_without_a_joint_share_the_coordinate_of_the_first():
    rotors = (fb.Rotor("rotor1", inertia=0.02, gear_ratio=3.0, start=0.1), fb.Rotor("rotor2", inertia=0.5))
    dae = fb.assemble(drive(*rotors, fb.TorsionalSpring("spring", stiffness=7.0)))
    assert dae.q_names == ("rotor1.angle", "joint.angle")
    assert list(dae.x.start[:2]) == [0.1, 0.5]
    np.testing.assert_allclose(dae.mass_matrix([0, 0], []).full(), np.diag([0.5 + 9 * 0.02, 1.0]), rtol=1e-15)
    force = dae.inverse_dynamics([0.3, 0.5], [0, 0], [0, 0], []).full().ravel()
    np.testing.assert_allclose(force, [-1.4, 1.4], rtol=1e-14)


@pytest.mark.parametrize(("joint", "rotor"), [(0.5, 0.0), (0.0, -2.5), (0.5, -2.5)])
def test_shafts_that_share_a_coordinate_start_where_one_of_them_was_set(joint, rotor):
    """0 is the default; behind a gear the value is that of its own shaft."""
    dae = fb.assemble(drive(fb.Rotor("rotor", 0.02, start=rotor), fb.Gear("gear", ratio=-5.0), start=joint))
    assert dae.x.names[0] == "joint.angle"
    assert dae.x.start[0] == pytest.approx(0.5, rel=1e-15)


def test_start_values_that_contradict_each_other_are_refused():
    geared = drive(fb.Rotor("rotor", 0.02, start=0.1), fb.Gear("gear", ratio=-5.0))
    with pytest.raises(
        ModelError, match=r"(?s)(?=.*joint\.angle = 0\.5 rad)(?=.*rotor\.angle = 0\.1 rad).*rotor\.angle = -5"
    ):
        fb.assemble(geared)
    with pytest.raises(ModelError, match=r"joint\.angle = 0\.5 rad at the start, where a fixed flange holds it at 0"):
        fb.assemble(drive(fb.Fixed("wall")))
    assert fb.assemble(geared, locked={"joint.angle": 0.2}).q_names == ()


def test_fixed_locks_a_joint_and_holds_a_spring():
    locked = fb.assemble(drive(fb.Fixed("wall"), start=0.0))
    assert locked.q_names == ()
    held = fb.assemble(drive(fb.Fixed("wall"), fb.TorsionalSpring("spring", stiffness=7.0, damping=0.1)))
    assert held.q_names == ("joint.angle",)
    assert float(held.inverse_dynamics([0.2], [3.0], [0.0], [])) == pytest.approx(7 * 0.2 + 0.1 * 3, rel=1e-14)
    assert held.y.names == (
        "spring.deflection",
        *(f"wheel.{name}" for name in ("center_x", "center_y", "center_z", "x", "y", "z")),
    )


def test_locked_joint_behind_a_gear_is_rigid():
    model = drive(fb.Fixed("wall"), fb.TorsionalSpring("spring", stiffness=7.0), start=0.0)
    gear = model.add(fb.Gear("gear", ratio=2.0))
    stop = model.add(fb.Fixed("stop"))
    model.connect(gear.flange_b, "joint.axis")
    model.connect(gear.flange_a, stop.flange_b)
    assert fb.assemble(model).q_names == ()


def test_names_units_and_outputs():
    dae = subudhi_morris(links=1, modes=2)
    assert dae.q_names == ("rotor1.angle", "joint1.angle", "link1.bending_y[1]", "link1.bending_y[2]")
    assert dae.x.names[4:] == tuple(f"der({name})" for name in dae.q_names)
    assert dae.x.units == ("rad", "rad", "m", "m", "rad/s", "rad/s", "m/s", "m/s")
    assert dict(zip(dae.y.names, dae.y.units, strict=True)) == {
        "spring1.deflection": "rad",
        "link1.tip_deflection_y": "m",
        **{f"payload.{name}": "m" for name in ("center_x", "center_y", "center_z", "x", "y", "z")},
    }


def composite_arm(joints: tuple[fb.Block, ...], wiring: tuple[tuple[str, ...], ...]) -> fb.Model:
    model = fb.Model("arm", gravity=(0.0, -9.81, 0.0))
    beam = fb.FlexibleBeam("link", 0.5, 0.2, 1.0, discretization=fb.AssumedModes(2, tip="auto"))
    for block in (fb.Ground("ground"), *joints, beam, fb.Payload("payload", mass=0.1, inertia=(0.005,) * 3)):
        model.add(block)
    for ports in (*wiring, ("link.frame_b", "payload.frame_a")):
        model.connect(*ports)
    return model


def test_flexible_joint_is_its_parts():
    joint = fb.FlexibleJoint(
        "joint", inertia=0.02, stiffness=100, gear_ratio=3, spring_damping=0.1, damping=0.2, limit=2, start=0.3
    )
    composed = composite_arm((joint,), (("ground.frame_b", "joint.frame_a"), ("joint.frame_b", "link.frame_a")))
    parts = (
        fb.TorqueSource("motor", limit=2),
        fb.Rotor("rotor", 0.02, gear_ratio=3, start=0.3),
        fb.TorsionalSpring("spring", 100, damping=0.1),
        fb.Revolute("revolute", damping=0.2, start=0.3),
    )
    wiring = (
        ("motor.flange_b", "rotor.flange_a"),
        ("rotor.flange_b", "spring.flange_a"),
        ("spring.flange_b", "revolute.axis"),
        ("ground.frame_b", "revolute.frame_a"),
        ("revolute.frame_b", "link.frame_a"),
    )
    one, other = fb.assemble(composed), fb.assemble(composite_arm(parts, wiring))
    assert one.q_names[:2] == ("joint.rotor.angle", "joint.angle")
    assert one.u.names == ("joint.motor.torque",)
    assert "joint.spring.deflection" in one.y
    plain = tuple(name.replace("joint.angle", "revolute.angle").replace("joint.", "") for name in one.x.names)
    assert plain == other.x.names
    assert np.array_equal(one.x.start, other.x.start)
    assert np.array_equal(one.u.limits, other.u.limits)
    x, u = random_point(one)
    expected = other.forward_dynamics(x, u, []).full()
    np.testing.assert_allclose(one.forward_dynamics(x, u, []).full(), expected, rtol=1e-12)


@dataclass(frozen=True)
class Shoulder(fb.Composite):
    """Two flexible joints at right angles: a composite of composites."""

    stiffness: float = parameter("N m/rad")

    ports = (inlet(), outlet())

    def parts(self):
        return tuple(
            fb.FlexibleJoint(name, inertia=0.02, stiffness=self.stiffness, axis=axis)
            for name, axis in (("yaw", (0, 0, 1)), ("pitch", (0, 1, 0)))
        )

    def connections(self):
        return (("yaw.frame_b", "pitch.frame_a"),)

    def exposed(self):
        return {"frame_a": "yaw.frame_a", "frame_b": "pitch.frame_b"}


def test_composites_nest():
    wiring = (("ground.frame_b", "shoulder.frame_a"), ("shoulder.frame_b", "link.frame_a"))
    model = composite_arm((Shoulder("shoulder", stiffness=50.0),), wiring)
    dae = fb.assemble(model)
    assert dae.q_names[:4] == (
        "shoulder.yaw.rotor.angle",
        "shoulder.yaw.angle",
        "shoulder.pitch.rotor.angle",
        "shoulder.pitch.angle",
    )
    assert dae.u.names == ("shoulder.yaw.motor.torque", "shoulder.pitch.motor.torque")
    symbolic = fb.assemble(model, symbolic=("shoulder.stiffness",))
    assert symbolic.p.names == ("shoulder.stiffness",)
    x, u = random_point(dae)
    expected = dae.forward_dynamics(x, u, []).full()
    np.testing.assert_allclose(symbolic.forward_dynamics(x, u, [50.0]).full(), expected, rtol=1e-9)
    q = x[: dae.tree.size]
    soft, stiff = (symbolic.inverse_dynamics(q, 0 * q, 0 * q, [k]).full().ravel()[:2] for k in (50.0, 60.0))
    np.testing.assert_allclose((stiff - soft)[0], 10 * (q[0] - q[1]), rtol=1e-9)
    assert list(model.graph) == ["ground", "shoulder", "link", "payload"]
