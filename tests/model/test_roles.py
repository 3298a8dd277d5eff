"""Every input has a role, which travels with it."""

import pickle
from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control
from flexblocks.errors import ModelError
from flexblocks.interfaces import Variable

REFERENCE, RATE = "reference.rotor1.angle", "der(reference.rotor1.angle)"
LOOPS = {"rotor1.angle": "motor1.torque", "rotor2.angle": "motor2.torque"}


@dataclass(frozen=True)
class Servo(fb.ForceElement):
    """A force on a frame from a chain of rates, and one disturbance."""

    inputs_of_chain: tuple = (
        Variable("place", "m", role="reference"),
        Variable("speed", "m/s", role="reference_rate", derivative_of="place"),
        Variable("push", "m/s2", role="reference_rate", derivative_of="speed"),
        Variable("gust", "N", role="disturbance"),
    )

    ports = (fb.interfaces.attachment("frame_a"),)

    def inputs(self):
        return self.inputs_of_chain

    def physics(self, frames, local):
        force = sum((local[each.name] for each in self.inputs_of_chain), ca.SX(0))
        return fb.interfaces.Physics(power=frames["frame_a"].power(force=ca.vertcat(force, 0, 0)))


def arm(*more, **how):
    model = fb.Model("arm")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    rod, motor = model.add(fb.RigidLink("rod", length=1.0, mass=3.0)), model.add(fb.TorqueSource("motor"))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(motor.flange_b, hinge.axis)
    for block in more:
        model.add(block)
        model.connect(rod.frame_b, block.frame_a)
    return fb.assemble(model, **how)


def roles(dae):
    return dict(zip(dae.u.names, zip(dae.u.roles, dae.u.derivative_of, strict=True), strict=True))


def test_inputs_of_blocks_have_the_roles_that_these_give_them():
    assert roles(arm(Servo("servo"))) == {
        "motor.torque": ("actuator", None),
        "servo.place": ("reference", None),
        "servo.speed": ("reference_rate", "servo.place"),
        "servo.push": ("reference_rate", "servo.speed"),
        "servo.gust": ("disturbance", None),
    }


def test_a_servo_follows_a_reference_and_its_rate():
    model = fb.Model("arm")
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge"))
    rod, servo = model.add(fb.RigidLink("rod", length=1.0, mass=3.0)), model.add(fb.PDServo("servo", kp=5.0, kd=1.0))
    model.connect(ground.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(servo.flange_b, hinge.axis)
    assert roles(fb.assemble(model)) == {
        "servo.reference": ("reference", None),
        "servo.reference_rate": ("reference_rate", "servo.reference"),
    }


def test_the_acceleration_of_a_prescribed_coordinate_is_an_actuator():
    assert roles(arm(prescribed="hinge.angle"))["hinge.prescribed_acceleration"] == ("actuator", None)


def test_references_of_a_law_know_their_rates_and_disturbances_are_disturbances():
    dae = subudhi_morris()
    closed = control.close_loop(dae, control.PD(LOOPS, kp=5.0, kd=0.5), disturbances=True)
    assert roles(closed) == {
        REFERENCE: ("reference", None),
        RATE: ("reference_rate", REFERENCE),
        "reference.rotor2.angle": ("reference", None),
        "der(reference.rotor2.angle)": ("reference_rate", "reference.rotor2.angle"),
        "disturbance.motor1.torque": ("disturbance", None),
        "disturbance.motor2.torque": ("disturbance", None),
    }


def test_a_law_of_accelerations_has_a_chain_of_rates():
    law = control.ComputedTorque(kp=9.0, kd=6.0)
    closed = control.close_loop(arm(), law)
    place, speed = "reference.hinge.angle", "der(reference.hinge.angle)"
    assert roles(closed) == {
        place: ("reference", None),
        speed: ("reference_rate", place),
        "der(reference.hinge.angle,2)": ("reference_rate", speed),
    }


def test_laws_that_are_added_share_a_reference_and_its_rate():
    dae = subudhi_morris()
    stiff = control.PD({"rotor1.angle": "motor1.torque"}, kp=5.0)  # the reference alone
    both = control.close_loop(dae, control.Decoupling(("rotor1.angle", "rotor2.angle")) + stiff)
    assert roles(both)[REFERENCE] == ("reference", None)
    assert roles(both)["der(reference.rotor1.angle,2)"] == ("reference_rate", None)  # its rate is no input


def test_the_rate_of_a_reference_that_another_law_drives_is_a_rate_still():
    inner = control.close_loop(arm(), control.PD({"hinge.angle": "motor.torque"}, kp=5.0, kd=0.5))
    outer = control.close_loop(inner, control.PD({"rod.x": "reference.hinge.angle"}, kp=1.0))
    assert roles(outer)["der(reference.hinge.angle)"] == ("reference_rate", None)
    assert roles(outer)["reference.rod.x"] == ("reference", None)


@pytest.mark.parametrize(
    "same",
    [
        lambda dae: dae.with_outputs("rod.velocity_x"),
        lambda dae: pickle.loads(pickle.dumps(dae)),
        lambda dae: dae.compile(),
        lambda dae: fb.change_coordinates(dae, np.array([[2.0]]), names=["twice"]),
    ],
    ids=["with_outputs", "pickle", "compile", "change_coordinates"],
)
def test_roles_stay_with_the_inputs(same):
    dae = arm(Servo("servo"))
    assert roles(same(dae)) == roles(dae)


def test_roles_stay_in_sampled_loops():
    law = control.Sampled(control.PD({"hinge.angle": "motor.torque"}, kp=5.0, kd=0.5), 0.01)
    closed = control.close_loop(arm(Servo("servo")), law)
    assert roles(closed)["servo.push"] == ("reference_rate", "servo.speed")
    assert roles(closed)["der(reference.hinge.angle)"] == ("reference_rate", "reference.hinge.angle")


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        (Variable("gust", "N", role="noise"), "input 'gust' has the role 'noise'; must be one of 'actuator', 'disturb"),
        (Variable("gust", "N", derivative_of="wind"), "derivative_of='wind'; must be another input of the block"),
        (Variable("gust", "N", derivative_of="gust"), "derivative_of='gust'; must be another input of the block"),
    ],
)
def test_a_role_that_does_not_exist_is_refused(declared, words):
    with pytest.raises(ModelError, match=words):
        arm(Servo("servo", inputs_of_chain=(declared,)))
