"""A payload on a hinge, for tests of several phases, scenarios and designs."""

import numpy as np

import flexblocks as fb
from flexblocks import optim

CHEAP = optim.Effort(rate_weight=0.0)
ARM, TIP_INERTIA = 0.5, 0.05  # m, kg m2: the inertia about the hinge is TIP_INERTIA + m ARM^2
LIGHT, HEAVY = {"payload.mass": 0.2}, {"payload.mass": 1.4}
ANGLE, MOTOR = "joint1.angle", "joint1.rotor.angle"
REACH = optim.Phase("reach", {"joint1.angle": 1.0}, 1.0)
BACK = optim.Phase("back", {"joint1.angle": 0.0}, 1.0)


def inertia(p):
    return TIP_INERTIA + p["payload.mass"] * ARM**2


def add_load(model, joint, mass, inertia):
    """Put a payload at the end of a link without mass."""
    link = model.add(fb.RigidLink("link", length=ARM, mass=0.0, inertia=0.0))
    load = model.add(fb.Payload("payload", mass=mass, inertia=inertia))
    model.connect(joint.frame_b, link.frame_a)
    model.connect(link.frame_b, load.frame_a)


def hinge(gravity=0.0, spring=None, servo=False, symbolic=("payload.mass",)):
    """A payload on a driven hinge, on request on a spring to the ground, or under a servo."""
    model = fb.Model("hinge", gravity=(0.0, -gravity, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint1"))
    add_load(model, joint, mass=1.0, inertia=TIP_INERTIA)
    model.connect(ground.frame_b, joint.frame_a)
    if servo:
        model.connect(model.add(fb.PDServo("servo", kp=20.0, kd=1.5)).flange_b, joint.axis)
    else:
        model.connect(model.add(fb.TorqueSource("motor1")).flange_b, joint.axis)
    if spring is not None:
        model.add(fb.TorsionalSpring("spring1", stiffness=spring))
        wall = model.add(fb.Fixed("wall"))
        model.connect(wall.flange_b, "spring1.flange_a")
        model.connect("spring1.flange_b", joint.axis)
    return fb.assemble(model, symbolic=symbolic)


def at(angle):
    return {"joint1.angle": angle}


def phased(*phases, **more):
    return optim.Problem(at(0.0), phases, **more)


def standing(symbolic):
    """A load on a flexible joint that the weight twists."""
    model = fb.Model("standing", gravity=(0.0, -9.81, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.FlexibleJoint("joint1", inertia=0.02, stiffness=80.0))
    add_load(model, joint, mass=0.6, inertia=0.01)
    model.connect(ground.frame_b, joint.frame_a)
    return fb.assemble(model, symbolic=symbolic)


def twisted_by(mass, angle, stiffness):
    """Return how far the motor is ahead of the load at rest."""
    return mass * 9.81 * ARM * np.cos(angle) / stiffness
