"""Composites: the part that goes by the composite's own name, its variables and its parameters."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import flexblocks as fb
from flexblocks import control, optim
from flexblocks.errors import ModelError, NameUnknownError, ParameterError
from flexblocks.interfaces import NOT_NEGATIVE, inlet, outlet, parameter

SAME = {"rtol": 1e-12, "atol": 1e-12}


@dataclass(frozen=True)
class Wrist(fb.Composite):
    """A joint with friction of two kinds, of which the hinge goes by its name."""

    stiction: float = parameter("N m", NOT_NEGATIVE, default=0.0)
    named: ClassVar[tuple[str, ...]] = ("friction", "hinge")
    namesake = "hinge"
    ports = (inlet(), outlet())

    def parts(self):
        friction, hinge = self.named
        return fb.Friction(friction, coulomb=self.stiction, viscous=0.1), fb.Revolute(hinge, damping=0.2, start=0.3)

    def connections(self):
        return (("friction.flange_b", "hinge.axis"),)

    def exposed(self):
        return {"frame_a": "hinge.frame_a", "frame_b": "hinge.frame_b"}


@dataclass(frozen=True)
class Sleeve(Wrist):
    """The same within a composite of which it is the namesake."""

    namesake = "inner"

    def parts(self):
        return (Wrist("inner", self.stiction),)

    def connections(self):
        return ()

    def exposed(self):
        return {"frame_a": "inner.frame_a", "frame_b": "inner.frame_b"}


@dataclass(frozen=True)
class Nameless(Wrist):
    namesake = "axle"


@dataclass(frozen=True)
class Twice(Wrist):
    named = ("hinge", "hinge")


def pendulum(joint, gravity=(0.0, -9.81, 0.0)) -> fb.Model:
    model = fb.Model("pendulum", gravity)
    ground, load = model.add(fb.Ground("ground")), fb.Payload("load", mass=1.0, inertia=0.02, center=(0.5, 0.0, 0.0))
    model.connect(ground.frame_b, model.add(joint).frame_a)
    model.connect(joint.frame_b, model.add(load).frame_a)
    return model


def driven(damping: float = 0.0) -> fb.Model:
    """The rigid joint of the elastic one, with its motor straight on the hinge."""
    joint = fb.Revolute("joint", damping=damping)
    model = pendulum(joint)
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, joint.axis)
    return model


@pytest.mark.parametrize("joint", [Wrist("joint"), Sleeve("joint")])
def test_variables_and_ports_of_the_namesake_are_those_of_the_composite(joint):
    dae, hinge = fb.assemble(pendulum(joint)), pendulum(fb.Revolute("joint", damping=0.3, start=0.3))
    alone = fb.assemble(hinge)
    assert dae.x.names == alone.x.names == ("joint.angle", "der(joint.angle)")
    assert np.array_equal(dae.x.start, alone.x.start)
    assert "joint.friction.torque" in dae.y
    x = [0.4, 0.7]
    np.testing.assert_allclose(dae.forward_dynamics(x, [], []), alone.forward_dynamics(x, [], []), **SAME)
    places = ("joint.x", "joint.frame_b.yaw", "joint.frame_a.yaw")
    same = [arm.with_outputs(places).output(x, [], []).full()[-3:] for arm in (dae, alone)]
    np.testing.assert_allclose(*same, **SAME)
    locked = fb.assemble(pendulum(joint), locked={"joint.angle": 0.2})
    assert locked.q_names == ()
    assert "joint.holding_torque" in locked.y


def test_parameters_of_the_namesake_are_those_that_the_composite_has_not():
    for joint in (Wrist("joint"), Sleeve("joint")):
        dae = fb.assemble(pendulum(joint), symbolic=("joint.damping", "joint.stiction"))
        assert dae.p.names == ("joint.damping", "joint.stiction")
        other = fb.assemble(pendulum(fb.Revolute("joint", damping=0.6)))
        x = [0.4, 0.7]
        found = dae.forward_dynamics(x, [], [0.5, 0.0])
        np.testing.assert_allclose(found, other.forward_dynamics(x, [], []), **SAME)
        with pytest.raises(ParameterError, match=r"joint.damping = -1; must be at least 0"):
            fb.simulate(dae, (0.0, 0.1), p={"joint.damping": -1.0})


def test_a_parameter_of_both_is_the_composites():
    model = pendulum(fb.FlexibleJoint("joint", inertia=0.02, stiffness=100.0, damping=0.1))
    dae = fb.assemble(model, symbolic="joint.damping")
    other = fb.assemble(pendulum(fb.FlexibleJoint("joint", inertia=0.02, stiffness=100.0, damping=0.4)))
    x = [0.2, 0.3, -0.5, 0.9]
    found = dae.forward_dynamics(x, [0.1], [0.4])
    np.testing.assert_allclose(found, other.forward_dynamics(x, [0.1], []), **SAME)
    everything = fb.assemble(model, symbolic="all").p.names
    inside = ("joint.damping", "joint.rotor.inertia", "joint.rotor.gear_ratio", "joint.spring.stiffness")
    assert set(inside) < set(everything)
    assert not {"joint.inertia", "joint.stiffness"} & set(everything)


def test_what_is_made_for_the_rigid_joint_fits_the_elastic_one():
    """A law by the angle of the link, compensation of its weight, an equilibrium, a plan's ends."""
    rigid, elastic = fb.assemble(driven()), fb.assemble(pendulum(fb.FlexibleJoint("joint", 0.02, 400.0, damping=0.1)))
    posture = {"joint.angle": 0.7}
    weight = 0.5 * 9.81 * np.cos(0.7)
    held, sprung = fb.equilibrium(rigid, posture), fb.equilibrium(elastic, posture)
    assert held["motor.torque"] == pytest.approx(weight)
    assert sprung["joint.motor.torque"] == pytest.approx(weight)
    assert sprung["joint.rotor.angle"] - 0.7 == pytest.approx(weight / 400.0)
    law = control.PD({"joint.angle": "joint.motor.torque"}, kp=20.0, kd=1.0)
    assert control.close_loop(elastic, law).u.names == ("reference.joint.angle", "der(reference.joint.angle)")
    move = optim.RestToRest({"joint.angle": 0.0}, {"joint.angle": 1.0}, 2.0)
    for dae in (rigid, elastic):
        m = optim.pyomo_model(dae, move, intervals=4)
        ends = [m.q[k, "joint.angle"].value for k in (0, 4)]
        np.testing.assert_allclose(ends, [0.0, 1.0], atol=1e-9)


def test_names_that_do_not_fit_are_refused():
    with pytest.raises(
        ModelError, match=r"Nameless 'joint': namesake = 'axle'; must be one of its parts, friction, hi"
    ):
        fb.assemble(pendulum(Nameless("joint")))
    with pytest.raises(
        ModelError, match=r"Twice 'joint': has the parts hinge, hinge; each must have a name of its own"
    ):
        fb.assemble(pendulum(Twice("joint")))
    with pytest.raises(NameUnknownError, match=r"no state 'joint.hinge.angle'"):
        fb.assemble(pendulum(Wrist("joint"))).x.index("joint.hinge.angle")
