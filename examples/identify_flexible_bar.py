"""A motor that turns a flexible bar, from measured data: `python examples/identify_flexible_bar.py`.

The data and their license are in data/README.md. The motor's torque is not measured: it is in units of a newton metre
for a volt, and so are inertias and stiffness. One joint with a spring stands for the bar, so that the fit says what
this model does not explain.
"""

from pathlib import Path

import numpy as np

import flexblocks as fb

DATA = Path(__file__).parent / "data"
MOTOR, BAR = np.deg2rad(34.18080668), np.deg2rad(-3.30696317)  # radians for a volt of potentiometer and strain gauge
SOUGHT = (
    "rotor.inertia", "friction.viscous", "friction.coulomb", "spring.stiffness", "spring.damping", "payload.inertia",
)  # fmt: skip
UNKNOWNS = (*SOUGHT, "offset(motor.torque)", "start(der(rotor.angle))", "start(der(joint.angle))")


def flexible_bar() -> fb.DAE:
    """Return a motor with friction, and the bar as an inertia behind a spring."""
    model = fb.Model("flexible bar", gravity=(0.0, 0.0, 0.0))
    ground, motor = model.add(fb.Ground("ground")), model.add(fb.TorqueSource("motor"))
    rotor = model.add(fb.Rotor("rotor", inertia=0.02))
    friction = model.add(fb.Friction("friction", viscous=0.35, coulomb=0.05, velocity=0.05))
    spring = model.add(fb.TorsionalSpring("spring", stiffness=20.0, damping=0.05))
    joint = model.add(fb.Revolute("joint"))
    payload = model.add(fb.Payload("payload", mass=1.0, inertia=0.02))
    model.connect(motor.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, spring.flange_a, friction.flange_b)
    model.connect(spring.flange_b, joint.axis)
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, payload.frame_a)
    return fb.assemble(model, symbolic=SOUGHT)


def measured(name: str) -> fb.Record:
    """Return a record by the model's names: the motor's angle, and that of the bar's tip."""
    columns = {"motor": "potentiometer [V]", "bar": "strain gauge [V]"}
    raw = fb.Record.from_csv(DATA / f"flexible_bar_{name}.csv", u={"volts": "motor [V]"}, y=columns)
    motor = MOTOR * raw["motor"]
    tip = motor + BAR * raw["bar"]
    start = {"rotor.angle": motor[0], "joint.angle": tip[0]}
    return fb.Record(
        raw.t, {"motor.torque": raw["volts"]}, {"rotor.angle": motor, "joint.angle": tip}, start, name=name
    )


def main() -> None:
    fit = fb.identify(flexible_bar(), measured("prbs"), UNKNOWNS)
    print(fit)
    print(fit.validate(measured("square")))


if __name__ == "__main__":
    main()
