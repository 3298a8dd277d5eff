"""Every wrench from outside reaches the tree, whatever carries it, in its own axes."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.random_arms import Arm, arms
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.block_variables import Variable
from flexblocks.interfaces.parameters import NOT_NEGATIVE, parameter
from flexblocks.interfaces.physics import Output, Physics
from flexblocks.interfaces.ports import inlet, outlet

INPUTS = tuple(f"{what}_{axis}" for what in ("force", "torque") for axis in "xyz")


@dataclass(frozen=True)
class Thruster(Block):
    """A force and a torque in the axes of the frame that carries them; what they do is an output."""

    mass: float = parameter("kg", NOT_NEGATIVE, default=0.0)

    ports = (inlet(), outlet())

    def inputs(self):
        return tuple(Variable(name, "N" if name < "t" else "N m") for name in INPUTS)

    def physics(self, frame, local):
        force, torque = (ca.vertcat(*[local[name] for name in names]) for names in (INPUTS[:3], INPUTS[3:]))
        power = ca.dot(force, frame.v) + ca.dot(torque, frame.omega)
        kinetic = self.mass * ca.dot(frame.v, frame.v) / 2 if self.mass else 0.0
        outlets = {"frame_b": frame.translate((0.2, 0.1, -0.1))}
        return Physics(kinetic=kinetic, power=power, outlets=outlets, outputs={"power": Output(power, "W")})


def pushed(arm: Arm, mass: float, numbers: np.random.Generator) -> fb.DAE:
    """Return the arm with thrusters behind turned and unturned places of its links, one of them carrying another."""
    model = arm.model
    for i, segment in enumerate(arm.segments):
        place = segment.link.frame_b
        if numbers.random() < 0.7:
            turned, _ = np.linalg.qr(numbers.normal(size=(3, 3)))
            turned *= np.linalg.det(turned)
            shift = tuple(numbers.uniform(-0.3, 0.3, 3))
            mount = model.add(fb.FixedTransform(f"bracket{i}", shift, rotation=tuple(map(tuple, turned))))
            model.connect(place, mount.frame_a)
            place = mount.frame_b
        first, second = (model.add(Thruster(f"jet{i}{end}", mass)) for end in "ab")
        model.connect(place, first.frame_a)
        model.connect(first.frame_b, second.frame_a)
    return fb.assemble(model)


@pytest.mark.slow
@settings(max_examples=10)
@given(arms(links=3, modes=2), st.sampled_from([0.0, 0.3]), st.integers(0, 10**6))
def test_generalized_forces_are_those_of_virtual_work(arm: Arm, mass: float, seed: int) -> None:
    """Q = d(power)/dv, with the power read from outputs, which are computed along every block's own motion."""
    numbers = np.random.default_rng(seed)
    dae = pushed(arm, mass, numbers)
    q, v, *_ = arm.random_state(dae, seed)
    u = numbers.uniform(-2, 2, len(dae.u)) * [name.startswith("jet") for name in dae.u.names]
    x = np.concatenate([q, v, np.zeros(len(dae.x) - 2 * len(q))])
    powers = ca.vertcat(*[dae.expressions.output[i] for i, name in enumerate(dae.y.names) if name.endswith(".power")])
    work = ca.Function("work", [dae.x.symbol, dae.u.symbol], [ca.gradient(ca.sum1(powers), dae.v)])
    exact = work(x, u).full().ravel()
    force = dae.input_force(x, u, []).full().ravel()
    np.testing.assert_allclose(force, exact, atol=1e-11 * max(1.0, np.abs(exact).max()))
    applied = dae.inverse_dynamics(q, v, dae.forward_dynamics(x, u, [])[len(q) : 2 * len(q)], []).full().ravel()
    assert np.abs(applied - exact).max() < 1e-8 * max(1.0, np.abs(applied).max(), np.abs(exact).max())


@pytest.mark.parametrize("dynamics", ["recursive", "closed-form"])
@pytest.mark.parametrize("mass", [0.0, 1.0])
@pytest.mark.parametrize("turn", [0.0, 0.4, np.pi / 2, np.pi])
def test_a_thruster_at_the_end_of_a_rod(turn: float, mass: float, dynamics: str) -> None:
    model = fb.Model("rod")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    link = model.add(fb.RigidLink("link", 0.5, 1.0))
    c, s = np.cos(turn), np.sin(turn)
    bracket = model.add(fb.FixedTransform("bracket", rotation=((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))))
    jet = model.add(Thruster("jet", mass))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, link.frame_a)
    model.connect(link.frame_b, bracket.frame_a)
    model.connect(bracket.frame_b, jet.frame_a)
    dae = fb.assemble(model, dynamics=dynamics)
    inertia = 0.25 / 3 + mass * 0.25
    for u, torque in ((np.eye(6)[0], 0.5 * s), (np.eye(6)[1], 0.5 * c), (np.eye(6)[5], 1.0)):
        assert float(dae.forward_dynamics([0, 0], u, [])[1]) == pytest.approx(torque / inertia, abs=1e-12)


def test_a_load_along_a_beam_behind_a_turned_bracket_acts_in_the_axes_of_the_beam() -> None:
    """A uniform load across a rigid beam that stands upright on a slide: all of it drives the slide, or none."""
    for turn, share in ((0.0, 1.0), (np.pi / 2, 0.0), (1.0, np.cos(1.0))):
        model = fb.Model("slide")
        ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide", axis=(0, 1, 0)))
        c, s = np.cos(turn), np.sin(turn)
        bracket = model.add(fb.FixedTransform("bracket", rotation=((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))))
        beam = {"length": 2.0, "linear_density": 3.0, "flexural_rigidity": 1.0, "load_y": "input"}
        link = model.add(fb.FlexibleBeam("link", **beam, discretization=fb.Rigid()))
        model.connect(ground.frame_b, slide.frame_a)
        model.connect(slide.frame_b, bracket.frame_a)
        model.connect(bracket.frame_b, link.frame_a)
        dae = fb.assemble(model)
        acceleration = float(dae.forward_dynamics([0, 0], [1.5], [])[1])
        assert acceleration == pytest.approx(1.5 * 2.0 * share / 6.0, abs=1e-12)
