"""A space arm on a floating base: six elastic joints, two flexible booms, a heavy payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import flexblocks as fb
from flexblocks.errors import ParameterError, suggestion
from flexblocks.interfaces.ports import Port

ROTOR_INERTIA = 6e-4  # of a motor with what turns with it [kg m2]


@dataclass(frozen=True)
class JointData:
    """A geared joint: axis, turns of the motor per turn of the joint, stiffness of the gearbox, torque limit."""

    axis: tuple[float, float, float]
    ratio: float
    stiffness: float  # [N m/rad]
    torque: float  # on the motor's side [N m]


YAW, PITCH, ROLL = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
JOINTS = {
    "shoulder_yaw": JointData(YAW, 1842.0, 1.3e6, 0.8),
    "shoulder_pitch": JointData(PITCH, 1842.0, 1.3e6, 0.8),
    "elbow_pitch": JointData(PITCH, 1260.0, 0.9e6, 0.8),
    "wrist_pitch": JointData(PITCH, 738.0, 0.25e6, 0.5),
    "wrist_yaw": JointData(YAW, 738.0, 0.25e6, 0.5),
    "wrist_roll": JointData(ROLL, 738.0, 0.25e6, 0.5),
}
# Stowed, the arm lies stretched along x, in line: there a momentum of the payload about that line is out of reach.
START = {"shoulder_yaw": 0.3, "shoulder_pitch": -0.5, "elbow_pitch": 0.9, "wrist_pitch": -0.3, "wrist_yaw": 0.2}


def space_arm(
    payload: float = 2000.0,
    base_mass: float = 20000.0,
    start: Mapping[str, float] | None = None,
    booms: fb.Discretization | None = None,
    elastic_joints: bool = True,
    damping: float = 2e3,
) -> fb.Model:
    """Return an arm of the size of the Shuttle's on a spacecraft that floats freely, without gravity.

    Parameters
    ----------
    payload : float
        Mass of the payload, whose centre is 2 m beyond the grapple [kg].
    base_mass : float
        Mass of the spacecraft [kg]; its radii of gyration stay.
    start : dict of float, optional
        Start values of joints by name [rad]; those not named start as in ``START``.
    booms : Discretization, optional
        Of both booms; by default one assumed mode each way.
    elastic_joints : bool
        Whether gearboxes are elastic; else motors turn the joints rigidly.
    damping : float
        Of each elastic gearbox [N m s/rad].

    Returns
    -------
    Model
        The base is ``base`` (`FreeMotion`), the joints are ``shoulder_yaw``, ``shoulder_pitch``, ``elbow_pitch``,
        ``wrist_pitch``, ``wrist_yaw``, ``wrist_roll``, the inputs ``shoulder_yaw_motor.torque`` ... on the motors'
        side. ``total`` is a sensor of momenta.

    Raises
    ------
    ParameterError
        A joint in `start` that there is not.
    """
    unknown = [name for name in start or {} if name not in JOINTS]
    if unknown:
        raise ParameterError(f"space_arm: start has no joint '{unknown[0]}'{suggestion(unknown[0], JOINTS)}")
    angles = dict.fromkeys(JOINTS, 0.0) | START | dict(start or {})
    booms = fb.AssumedModes(1, tip="auto") if booms is None else booms
    model = fb.Model("space arm", gravity=(0.0, 0.0, 0.0))
    model.add(fb.TotalMomentum("total"))
    ground, base = model.add(fb.Ground("ground")), model.add(fb.FreeMotion("base"))
    model.connect(ground.frame_b, base.frame_a)
    gyration = (3.0, 4.5, 4.0)  # [m2], squares of the radii
    place = _body(
        model, "craft", base_mass, [base_mass * square for square in gyration], (2.0, 0.0, 1.0), base.frame_b, False
    )

    def joint(name: str, place: Port) -> Port:
        return _joint(model, name, place, angles[name], elastic_joints, damping)

    def boom(name: str, length: float, place: Port) -> Port:
        beam = fb.FlexibleBeam(
            name,
            length,
            linear_density=20.0,
            flexural_rigidity=3.0e6,
            torsional_rigidity=1.5e6,
            polar_inertia=0.6,
            bending="yz",
            torsion=True,
            discretization=booms,
        )
        model.connect(place, model.add(beam).frame_a)
        return beam.frame_b

    place = joint("shoulder_yaw", place)
    place = _body(model, "shoulder", 50.0, (2.0, 2.0, 2.0), (0.0, 0.0, 0.3), place)
    place = boom("upper_boom", 6.4, joint("shoulder_pitch", place))
    place = _body(model, "elbow", 30.0, (1.0, 1.0, 1.0), (0.2, 0.0, 0.0), place)
    place = boom("lower_boom", 7.0, joint("elbow_pitch", place))
    place = _body(model, "wrist1", 20.0, (0.5, 0.5, 0.5), (0.5, 0.0, 0.0), joint("wrist_pitch", place))
    place = _body(model, "wrist2", 20.0, (0.5, 0.5, 0.5), (0.5, 0.0, 0.0), joint("wrist_yaw", place))
    place = _body(model, "effector", 40.0, (1.0, 2.0, 2.0), (0.6, 0.0, 0.0), joint("wrist_roll", place))
    carried = fb.Payload(
        "payload", payload, _diagonal([1.5 * payload, 1.8 * payload, 1.35 * payload]), center=(2.0, 0.0, 0.0)
    )
    model.connect(place, model.add(carried).frame_a)
    return model


def _diagonal(values) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(value if i == j else 0.0 for j in range(3)) for i, value in enumerate(values))


def _body(model: fb.Model, name: str, mass: float, inertia, reach, place: Port, centerd: bool = True) -> Port:
    """Add a rigid body, its centre halfway to its outlet or at its inlet; return the outlet."""
    center = tuple(value / 2 for value in reach) if centerd else (0.0, 0.0, 0.0)
    body = model.add(fb.RigidBody(name, mass, _diagonal(inertia), center=center, reach=reach))
    model.connect(place, body.frame_a)
    return body.frame_b


def _joint(model: fb.Model, name: str, place: Port, angle: float, elastic: bool, damping: float) -> Port:
    """Add a joint with motor, gear and gearbox; the rotor spins with the body that carries it."""
    data = JOINTS[name]
    hinge = model.add(fb.Revolute(name, axis=data.axis, start=angle))
    motor = model.add(fb.TorqueSource(f"{name}_motor", limit=data.torque))
    gear = model.add(fb.Gear(f"{name}_gear", ratio=data.ratio))
    rotor = fb.Rotor(f"{name}_rotor", inertia=ROTOR_INERTIA, gear_ratio=data.ratio, axis=data.axis, start=angle)
    model.add(rotor)
    model.connect(place, hinge.frame_a, rotor.frame_a)
    model.connect(motor.flange_b, gear.flange_a)
    model.connect(gear.flange_b, rotor.flange_a)
    if elastic:
        spring = model.add(fb.TorsionalSpring(f"{name}_gearbox", stiffness=data.stiffness, damping=damping))
        model.connect(rotor.flange_b, spring.flange_a)
        model.connect(spring.flange_b, hinge.axis)
    else:
        model.connect(rotor.flange_b, hinge.axis)
    return hinge.frame_b
