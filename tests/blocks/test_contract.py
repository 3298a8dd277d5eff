"""Physics that the equations of motion would drop, or take wrongly, are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks.errors import ModelError
from flexblocks.export.equations.parts import equation_parts
from flexblocks.interfaces import Block, Frame, InertialBody, Load, Local, Physics, inlet, outlet
from flexblocks.interfaces.block_variables import Coordinate, Variable

G = 9.81


@dataclass(frozen=True)
class Mine(Block):
    """A block with one coordinate, one state and one input whose physics a test writes."""

    ports = (inlet(), outlet())
    write: Callable[[Frame, Local], dict[str, Any]] = field(default=lambda frame, local: {})

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", "rad"),)

    def states(self) -> tuple[Variable, ...]:
        return (Variable("charge", "C"),)

    def inputs(self) -> tuple[Variable, ...]:
        return (Variable("force", "N"),)

    def physics(self, frame: Frame | None, local: Local) -> Physics:
        assert frame is not None
        s = local.rate(local["angle"])
        parts = {
            "outlets": {"frame_b": frame}, "derivatives": {"charge": -local["charge"]},
            "kinetic": ca.dot(frame.v, frame.v) + s**2,
        }  # fmt: skip
        return Physics(**{**parts, **self.write(frame, local)})


def assembled(write: Callable[[Frame, Local], dict[str, Any]]) -> fb.DAE:
    model = fb.Model("arm", gravity=(0.0, -G, 0.0))
    ground, joint, mine = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint")), Mine("mine", write)
    model.add(mine)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, mine.frame_a)
    return fb.assemble(model)


def stated(frame: Frame, local: Local, mass: float, bias: float) -> dict[str, Any]:
    """Return 1/2 2 (w.w + v.v + s^2) and the same as a body of this mass, with a bias of its velocity forces."""
    rates = ca.vertcat(frame.twist, local.rate(local["angle"]))
    inertia = ca.diag(ca.SX([2, 2, 2, mass, mass, mass, 2]))
    return {"kinetic": ca.dot(rates, rates), "bodies": (InertialBody(frame, inertia, bias * ca.SX.ones(7)),)}


def test_bodies_that_say_the_same_as_the_kinetic_energy_pass() -> None:
    told = assembled(lambda frame, local: stated(frame, local, 2.0, 0.0))
    derived = assembled(lambda frame, local: {**stated(frame, local, 2.0, 0.0), "bodies": ()})
    x, u = [0.3, 0.2, 1.0, -2.0, 0.1], [0.7]
    assert told.forward_dynamics(x, u, []).full() == pytest.approx(derived.forward_dynamics(x, u, []).full())


REFUSED = {
    "bodies of another mass": (
        lambda frame, local: stated(frame, local, 3.0, 0.0),
        "inertia or velocity forces that are not those of its kinetic energy",
    ),
    "bodies with other velocity forces": (
        lambda frame, local: stated(frame, local, 2.0, 1.0),
        "inertia or velocity forces that are not those of its kinetic energy",
    ),
    "weight as a potential": (
        lambda frame, local: {"potential": 2.0 * G * frame.r[1]},
        "a potential that depends on the inlet's pose.*Weight is not to be given",
    ),
    "a potential of the twist": (
        lambda frame, local: {"potential": ca.dot(frame.omega, frame.omega)},
        "a potential that depends on the inlet's twist",
    ),
    "a potential of a state": (
        lambda frame, local: {"potential": local["charge"] ** 2},
        "a potential that depends on states and algebraic variables",
    ),
    "a potential of an input": (
        lambda frame, local: {"potential": local["force"] * local["angle"]},
        "a potential that depends on inputs",
    ),
    "drag as a power": (
        lambda frame, local: {"power": -3.0 * ca.dot(frame.v, frame.v)},
        "a power that is not linear",
    ),
    "damping as a power": (
        lambda frame, local: {"power": -local.rate(local["angle"]) ** 2},
        "a power that is not linear",
    ),
    "a power without motion": (lambda frame, local: {"power": local["force"]}, "a power that is not linear"),
    "a power of the pose": (
        lambda frame, local: {"power": frame.r[0] * frame.v[0]},
        "a power that depends on the inlet's pose",
    ),
    "a load on a place": (
        lambda frame, local: {"loads": (Load(local["force"], frame.r[0]),)},
        "the displacement of a load that depends on the inlet's pose.*as power",
    ),
    "a load on a rate": (
        lambda frame, local: {"loads": (Load(local["force"], local.rate(local["angle"])),)},
        "the displacement of a load that depends on rates",
    ),
    "a load on nothing that moves": (
        lambda frame, local: {"loads": (Load(local["force"], ca.SX(0.5)),)},
        "the displacement of a load that depends on no coordinate",
    ),
    "an effort of the twist": (
        lambda frame, local: {"loads": (Load(frame.omega[2], local["angle"]),)},
        "the effort of a load that depends on the inlet's twist",
    ),
    "a kinetic energy of the pose": (
        lambda frame, local: {"kinetic": frame.r[0] ** 2 * ca.dot(frame.v, frame.v)},
        "a kinetic energy that depends on the inlet's pose",
    ),
    "a kinetic energy with a driven speed": (
        lambda frame, local: {"kinetic": (frame.omega[2] + local.rate(local["angle"]) + 20.0) ** 2},
        "a kinetic energy that is not quadratic",
    ),
    "a kinetic energy of fourth order": (
        lambda frame, local: {"kinetic": ca.dot(frame.v, frame.v) ** 2},
        "a kinetic energy that is not quadratic",
    ),
    "a dissipation of the twist": (
        lambda frame, local: {"dissipation": ca.dot(frame.omega, frame.omega)},
        "a dissipation that depends on the inlet's twist",
    ),
    "a derivative of the pose": (
        lambda frame, local: {"derivatives": {"charge": frame.r[0]}},
        "a derivative of 'charge' that depends on the inlet's pose",
    ),
    "an outlet moved by an input": (
        lambda frame, local: {"outlets": {"frame_b": frame.translate(ca.vertcat(local["force"], 0, 0))}},
        "a frame 'frame_b' that depends on inputs",
    ),
    "an MX": (lambda frame, local: {"potential": ca.MX.sym("x")}, r"a potential = MX\(x\) \(MX\); must be a number"),
    "a vector": (lambda frame, local: {"power": frame.v}, r"a power = .*; must be a number or a CasADi SX \(1, 1\)"),
    "a symbol of its own": (
        lambda frame, local: {"potential": ca.SX.sym("k") * local["angle"] ** 2},
        "a potential that depends on a symbol of its own, k",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_left_out_of_the_equations_is_refused(name: str) -> None:
    write, message = REFUSED[name]
    with pytest.raises(ModelError, match=f"Mine 'mine': physics.. returned {message}"):
        assembled(write)


def test_what_the_contract_allows_assembles_and_acts() -> None:
    """Forces against virtual work: F v on the inlet, u on the coordinate, a spring and a damper."""

    def write(frame: Frame, local: Local) -> dict[str, Any]:
        angle, rate = local["angle"], local.rate(local["angle"])
        return {
            "power": 3.0 * frame.omega[2] + local["charge"] * rate,
            "loads": (Load(local["force"], 2.0 * angle),),
            "potential": 5.0 * angle**2 / 2,
            "dissipation": 0.5 * rate**2 / 2,
            "kinetic": 4.0 * frame.omega[2] ** 2 / 2 + 1.5 * (rate + frame.omega[2]) ** 2 / 2,
        }

    dae = assembled(write)
    start = {"joint.angle": 0.3, "mine.angle": 0.2, "der(mine.angle)": 0.7, "mine.charge": 0.4}
    rates = dae.forward_dynamics([start.get(name, 0.0) for name in dae.x.names], [1.1], []).full().ravel()
    a = dict(zip(dae.x.names, rates, strict=True))
    joint, mine = a["der(joint.angle)"], a["der(mine.angle)"]
    assert 4.0 * joint + 1.5 * (joint + mine) == pytest.approx(3.0, rel=1e-12)
    assert 1.5 * (joint + mine) == pytest.approx(0.4 + 2.0 * 1.1 - 5.0 * 0.2 - 0.5 * 0.7, rel=1e-12)


def test_a_load_that_says_its_energy_is_a_potential_and_the_rest():
    """A hardening spring with a damper: the same forces, energies and linear model, written in one effort."""

    def kinetic(frame: Frame, s: ca.SX) -> ca.SX:
        return ca.sumsqr(frame.twist) + s**2

    def apart(frame: Frame, local: Local) -> dict[str, Any]:
        q, s = local["angle"], local.rate(local["angle"])
        return {
            "kinetic": kinetic(frame, s),
            "potential": 3 * q**2 / 2 + q**4 / 4,
            "loads": (Load(-0.2 * s * q**2, q),),
        }

    def bare(frame: Frame, local: Local) -> dict[str, Any]:
        return {"kinetic": kinetic(frame, local.rate(local["angle"]))}

    def at_once(frame: Frame, local: Local) -> dict[str, Any]:
        q, s = local["angle"], local.rate(local["angle"])
        return {
            "kinetic": kinetic(frame, s),
            "loads": (Load(-(3 * q + q**3) - 0.2 * s * q**2, q, 3 * q**2 / 2 + q**4 / 4),),
        }

    first, second = assembled(apart), assembled(at_once)
    x, u = [0.3, 0.7, -0.4, 1.1, 0.2], [0.5]
    rates = [dae.forward_dynamics(x, u, []).full() for dae in (first, second)]
    np.testing.assert_allclose(*rates, rtol=1e-12)
    stored = [float(dae.energy(x, [])[1]) for dae in (first, second, assembled(bare))]
    assert stored[0] == pytest.approx(stored[1], rel=1e-12)
    assert stored[1] - stored[2] == pytest.approx(3 * 0.7**2 / 2 + 0.7**4 / 4, rel=1e-12)
    damping = [equation_parts(dae)["d"] for dae in (first, second)]
    lost = [float(ca.Function("d", [dae.x.symbol], [d[1]])(x)) for dae, d in zip((first, second), damping, strict=True)]
    np.testing.assert_allclose(lost, 0.2 * 1.1 * 0.7**2, rtol=1e-12)
