"""Where force elements may act: on beams that bend or slide, in loops, beside sensors and laws; what is refused."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain, motion
from arms.fidelities import cantilever
from arms.linkages import FourBar
from flexblocks import control
from flexblocks.errors import ModelError
from flexblocks.geometry import place
from flexblocks.interfaces import Coordinate, Load, Output, Physics, Variable, attachment, flange, inlet, parameter

STIFFNESS, FREE = 30.0, 0.1


def spring_force(dae: fb.DAE, first: str, second: str) -> ca.SX:
    """Return the generalised forces (n) of a spring between two places, from where these are in the world."""
    length = ca.norm_2(place(dae, second) - place(dae, first))
    return -ca.gradient(STIFFNESS / 2 * (length - FREE) ** 2, dae.q)


def sprung(model: fb.Model, first: str, second: str) -> fb.Model:
    spring = model.add(fb.SpringDamper("spring", STIFFNESS, free_length=FREE))
    model.connect(first, spring.frame_a)
    model.connect(second, spring.frame_b)
    return model


@pytest.mark.parametrize("kind", [fb.AssumedModes(2, tip="free"), fb.RigidSegments(2), fb.StrainModes(2)], ids=str)
def test_stations_of_a_bent_beam(kind):
    def arm() -> fb.Model:
        beam = fb.FlexibleBeam("beam", 1.0, 0.5, 3.0, kind, bending="yz")
        model = chain(fb.Revolute("hinge", axis=(0, 1, 1)), beam, fb.Payload("load", 0.3, np.eye(3) * 1e-3))
        model.connect("ground.frame_b", model.add(fb.FixedTransform("post", (0.2, 0.5, -0.3))).frame_a)
        return model

    ends = ("post.frame_b", "beam.station(0.6)")
    bare, dae = fb.assemble(arm()), fb.assemble(sprung(arm(), *ends))
    q, v, a = np.random.default_rng(0).normal(size=(3, len(dae.q_names))) * 0.1
    force = (bare.inverse_dynamics(q, v, a, []) - dae.inverse_dynamics(q, v, a, [])).full().ravel()
    exact = ca.Function("force", [dae.q], [spring_force(dae, *ends)])(q).full().ravel()
    np.testing.assert_allclose(force, exact, atol=1e-11)
    assert np.abs(exact).max() > 1.0


def test_the_end_of_a_beam_that_slides():
    """Its shapes are states that depend on how far it is out: they are parameters of the way to its end."""

    def arm() -> fb.Model:
        model = chain(fb.Revolute("hinge"), gravity=(0, -9.81, 0))
        beam = fb.SlidingBeam(
            "beam", 1.3, 0.331, 5.0, start=0.5, discretization=fb.AssumedModes(1, tip="auto"), bending="y"
        )
        model.add(beam)
        model.connect("hinge.frame_b", beam.frame_a)
        model.connect(beam.frame_b, model.add(fb.Payload("load", 0.2, 0.012)).frame_a)
        model.connect("ground.frame_b", model.add(fb.FixedTransform("post", (0.2, 0.5, 0.0))).frame_a)
        return model

    dae, bare = fb.assemble(sprung(arm(), "post.frame_b", "beam.frame_b")), fb.assemble(arm())
    energy, rates = sum(dae.energy(dae.x.symbol, [])), dae.expressions.rate
    balance = ca.Function("balance", [dae.x.symbol], [ca.jtimes(energy, dae.x.symbol, rates)])
    x = dae.x.start + 0.0
    x[: 2 * dae.tree.size] += 0.05 * np.random.default_rng(1).normal(size=2 * dae.tree.size)
    assert abs(float(balance(x))) < 1e-9
    assert np.abs((dae.forward_dynamics(x, [], []) - bare.forward_dynamics(x, [], [])).full()).max() > 1.0


@pytest.mark.slow
def test_both_sides_of_a_loop():
    linkage = FourBar(rigidity=0.5)
    bare = fb.assemble(linkage.model())
    dae = fb.assemble(sprung(linkage.model(), "crank.frame_b", "rocker.frame_b"))
    assert dae.tree.loops.multipliers == bare.tree.loops.multipliers
    q = dae.x.start[: dae.tree.size] + 0.01
    still = np.zeros(dae.tree.size)
    force = (bare.inverse_dynamics(q, still, still, []) - dae.inverse_dynamics(q, still, still, [])).full().ravel()
    ends = spring_force(dae, "crank.frame_b", "rocker.frame_b")
    np.testing.assert_allclose(force, ca.Function("f", [dae.q], [ends])(q).full().ravel(), atol=1e-12)
    run = fb.simulate(dae, t=np.linspace(0, 0.5, 51))
    energy = run["kinetic_energy"] + run["potential_energy"]
    assert np.ptp(run["kinetic_energy"]) > 0.05
    assert np.ptp(energy) < 1e-6


def test_section_forces_feel_them():
    """M = F (l - x) of a force across the tip of a clamped beam, at rest."""
    beam = fb.FlexibleBeam(
        "beam", 2.0, 3.0, 5.0, fb.AssumedModes(2, tip="free"), internal_forces=(0.0, 0.7), bending="y"
    )
    model = cantilever(beam, fb.LumpedMass("tip", 0.1), gravity=(0.0, 0.0, 0.0))
    push = model.add(fb.WorldForce("push"))
    model.connect(beam.frame_b, push.frame_a)
    dae, force = fb.assemble(model), 1e-4
    rest = fb.equilibrium(dae, u={"push.force_x": 0.0, "push.force_y": force, "push.force_z": 0.0})
    y = dict(zip(dae.y.names, dae.output(rest.x, rest.u, []).full().ravel(), strict=True))
    assert y["beam.root_moment_y"] == pytest.approx(2.0 * force, rel=2e-3)
    assert y["beam.station(0.7).shear_y"] == pytest.approx(force, rel=2e-3)


def test_a_law_closes_the_loop_over_a_ram():
    model = chain(fb.Revolute("hinge"), fb.RigidLink("rod", 1.0, 2.0))
    model.connect("ground.frame_b", model.add(fb.FixedTransform("foot", (0.3, -0.4, 0.0))).frame_a)
    ram = model.add(fb.LineForce("ram"))
    model.connect("foot.frame_b", ram.frame_a)
    model.connect("rod.station(0.5)", ram.frame_b)
    dae = fb.assemble(model)
    point = fb.equilibrium(dae, x={"hinge.angle": 0.2})
    loop = control.close_loop(dae, control.LQR(Q={"hinge.angle": 1e6}, R={"ram.force": 1e-2}, at=point))
    run = fb.simulate(loop, t=(0.0, 8.0), x0={"hinge.angle": 0.3})
    assert run["hinge.angle"][-1] == pytest.approx(0.2, abs=1e-3)


def test_an_undamped_spring_pendulum_between_two_chains_keeps_its_energy():
    model = chain(fb.Revolute("left"), fb.RigidLink("rod1", 0.8, 1.0))
    model.connect("ground.frame_b", model.add(fb.FixedTransform("apart", (1.0, 0.0, 0.0))).frame_a)
    model.add(fb.Revolute("right"))
    model.add(fb.RigidLink("rod2", 0.7, 1.5))
    model.connect("apart.frame_b", "right.frame_a")
    model.connect("right.frame_b", "rod2.frame_a")
    dae = fb.assemble(sprung(model, "rod1.frame_b", "rod2.frame_b"))
    states = motion(dae, [-0.3, -3.0, 0.0, 0.0], np.linspace(0, 2, 21))
    energy = [sum(map(float, dae.energy(x, []))) for x in states.T]
    assert np.ptp([float(dae.energy(x, [])[0]) for x in states.T]) > 1.0
    assert np.ptp(energy) < 1e-8


@dataclass(frozen=True)
class Odd(fb.ForceElement):
    """A force element that breaks the contract in one of several ways."""

    fault: str = ""

    ports = (attachment(),)

    def inputs(self):
        return (Variable("u", "N"),)

    def states(self):
        told = {"starts": {"starts_at": "speed"}, "follows": {"follows": "speed"}}
        return (Variable("w", "1", **told.get(self.fault, {})),)

    def physics(self, frames, local):
        a = frames["frame_a"]
        fine = {"power": a.power(force=(local["u"], 0, 0)), "derivatives": {"w": -local["w"]}}
        faults = {
            "kinetic": {"kinetic": ca.dot(a.v, a.v)},
            "outlets": {"outlets": {"frame_a": a.seen_from(a)}},
            "derivatives": {"derivatives": {}},
            "residuals": {"residuals": (local["w"],)},
            "potential": {"potential": local["u"] * a.r[0]},
            "load": {"loads": (Load(local["u"], a.v[0]),)},
            "stored": {"loads": (Load(local["w"], a.r[0], a.r[0] ** 2),)},
            "energy": {"loads": (Load(a.r[0], a.r[0], local["u"]),)},
            "dissipation": {"dissipation": local["w"] * ca.dot(a.v, a.v)},
            "own velocity": {"power": local["u"] * a.v[0]},
            "square": {"power": a.power(force=(local["u"], 0, 0)) ** 2},
            "elsewhere": {"derivatives": {"w": a.power(force=(1, 0, 0))}},
            "acceleration": {"derivatives": {"w": local.acceleration[0]}},
            "infinite": {"loads": (Load(1 / local["u"], a.r[0]),)},
        }
        fine["outputs"] = {"speed": Output(a.v[0], "m/s")}
        return Physics(**fine | faults.get(self.fault, {}))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("kinetic", "returned outlets or a kinetic energy"),
        ("outlets", "returned outlets or a kinetic energy"),
        ("derivatives", r"returned derivatives of \[\]; its states are \['w'\]"),
        ("residuals", "returned 1 residuals for 0 algebraic variables"),
        ("potential", "returned a potential or a load's displacement that depends on twists, states"),
        ("load", "returned a potential or a load's displacement that depends on twists, states"),
        ("stored", "returned the energy of a load whose effort depends on states or algebraic variables"),
        ("energy", "returned a potential or a load's displacement that depends on twists, states"),
        ("dissipation", "returned a dissipation that depends on more than poses and twists"),
        ("own velocity", r"returned a power that is not a sum of frame.power\(force"),
        ("square", r"returned a power that is not a sum of frame.power\(force"),
        ("elsewhere", r"uses frame.power\(...\) elsewhere than in the power"),
        ("acceleration", "uses local.acceleration, local.totals or local.effort"),
        ("follows", r"states\(\): w follows 'speed'; that must be an output which depends on poses alone"),
        ("starts", r"states\(\): w starts at 'speed'; that must be an output which depends on poses alone"),
        ("infinite", "its forces and the rates of its states are not finite at the start values"),
    ],
)
def test_elements_that_break_the_contract_are_named(fault, message):
    def arm(fault: str) -> fb.Model:
        model = chain(fb.Revolute("hinge"), fb.RigidLink("rod", 1.0, 2.0))
        model.connect("rod.frame_b", model.add(Odd("odd", fault)).frame_a)
        return model

    with pytest.raises(ModelError, match=f"Odd 'odd': .*{message}"):
        fb.assemble(arm(fault))
    fb.assemble(arm(""))


def test_ports_and_coordinates_that_a_force_element_has_not():
    class WithFlange(Odd):
        ports = (attachment(), flange("axis"))

    class WithoutPorts(Odd):
        ports = ()

    class Moving(Odd):
        def coordinates(self):
            return (Coordinate("angle", "rad"),)

    class Block(fb.Block):
        ports = (inlet(), attachment("frame_c"))

        def physics(self, frame, local):
            return Physics()

    with pytest.raises(ModelError, match=r"WithFlange 'a': ports = frame_a, axis; a ForceElement has attachments"):
        WithFlange("a")
    with pytest.raises(ModelError, match=r"WithoutPorts 'a': ports = none; a ForceElement has attachments"):
        WithoutPorts("a")
    with pytest.raises(ModelError, match=r"Moving 'a': has the coordinates angle; a ForceElement moves nothing"):
        Moving("a")
    with pytest.raises(ModelError, match=r"Block 'a': has the attachments frame_c; only a ForceElement has these"):
        Block("a")


@dataclass(frozen=True)
class Placed(fb.Block):
    """A block that uses its own pose, where it has none."""

    part: str = ""
    mass: float = parameter("kg", default=1.0)

    ports = (inlet(),)

    def physics(self, frame, local):
        height = 9.81 * frame.r[1]
        parts = {
            "kinetic energy": {"kinetic": height * ca.dot(frame.v, frame.v)},
            "potential": {"potential": self.mass * height},
            "power": {"power": ca.dot(frame.R.T @ ca.DM([0, 1, 0]), frame.v)},
        }
        return Physics(**{"kinetic": self.mass / 2 * ca.dot(frame.v, frame.v)} | parts.get(self.part, {}))


@pytest.mark.parametrize("part", ["kinetic energy", "potential", "power"])
def test_a_block_that_uses_its_own_pose_is_refused(part):
    with pytest.raises(ModelError, match=f"Placed 'p': .* a {part} that depends on the inlet's pose"):
        fb.assemble(chain(fb.Revolute("hinge"), fb.RigidLink("rod", 1.0), Placed("p", part)))
    fb.assemble(chain(fb.Revolute("hinge"), fb.RigidLink("rod", 1.0), Placed("p")))


def test_locked_joints_carry_them_and_tell_what_holds():
    """A force across the end of two rods, the outer joint locked: it holds force times the outer rod's length."""
    model = chain(fb.Revolute("inner"), fb.RigidLink("rod1", 1.0, 1.0), fb.Revolute("outer"), gravity=(0, 0, 0))
    rod, push = model.add(fb.RigidLink("rod2", 0.5, 1e-9)), model.add(fb.WorldForce("push"))
    model.connect("outer.frame_b", rod.frame_a)
    model.connect(rod.frame_b, push.frame_a)
    dae, angle = fb.assemble(model, locked={"outer.angle": 0.4}), 0.2
    x, u = [angle, 0.0], [0.0, 3.0, 0.0]
    assert float(dae.input_force(x, u, [])) == pytest.approx(3.0 * (np.cos(0.2) + 0.5 * np.cos(0.6)), abs=1e-12)
    held = float(dae.output(x, u, [])[dae.y.index("outer.holding_torque")])
    assert held == pytest.approx(-3.0 * 0.5 * np.cos(0.6), abs=1e-6)
