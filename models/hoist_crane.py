"""A luffing-jib crane: slewing and luffing jib, hoist rope and swinging load."""

from __future__ import annotations

import math
from collections.abc import Sequence

import flexblocks as fb
from flexblocks.interfaces.ports import Port

JIB_LENGTH = 30.0  # [m]
APEX = (-4.0, 0.0, 9.0)  # sheaves of the luffing rope on the A-frame, from the foot of the jib [m]
WINCH = (-3.0, 0.0, 1.0)  # of the hoist rope [m]
FALLS = 4  # of the luffing rope between A-frame and jib head
SLACK = 5e-4  # strain over which a rope gets taut: its strands close up first
STEEL_ROPE = 1.0e11  # modulus of elasticity of a six-strand rope, with its lay [Pa]


def hoist_crane(
    load: float = 3000.0,
    jib_angle: float = 0.5,
    hanging: float = 12.0,
    discretization: fb.Discretization | None = None,
    rope_damping_time: float = 2e-3,
    slewing_torque: float = 150.0,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
) -> fb.Model:
    """Return a crane that slews, luffs and hoists a load on a rope, 30 m of jib on a tower.

    Parameters
    ----------
    load : float
        Mass on the hook, with the hook block [kg].
    jib_angle : float
        Of the jib above the horizontal, at the start [rad].
    hanging : float
        Distance of the load below the jib head at the start [m].
    discretization : Discretization, optional
        Of the jib; by default one assumed mode up and down, and one sideways.
    rope_damping_time : float
        Kelvin-Voigt damping of both ropes [s].
    slewing_torque : float
        Largest torque of the slewing motor, on the motor's side [N m].
    gravity : (3,)
        In world axes [m/s2].

    Returns
    -------
    Model
        Inputs ``slewing_motor.torque`` [N m], ``luffing_rope.speed`` and ``hoist_rope.speed`` [m/s], positive pays
        out. Coordinates ``slewing.angle``, ``luffing.angle`` (0 is level), ``load_x.displacement`` ... of the load in
        the world, and the bending of the jib. The foot of the jib is the origin.
    """
    model = fb.Model("luffing-jib crane", gravity=gravity)
    ground = model.add(fb.Ground("ground"))
    slewing = _slewing_drive(model, slewing_torque)
    model.connect(ground.frame_b, slewing.frame_a)
    apex = model.add(fb.FixedTransform("apex", APEX))
    winch = model.add(fb.FixedTransform("winch", WINCH))
    platform = model.add(
        fb.Payload("platform", 12e3, ((4e4, 0, 0), (0, 1.2e5, 0), (0, 0, 1.3e5)), center=(-3.0, 0.0, 1.0))
    )
    # Positive angles raise the jib.
    luffing = model.add(fb.Revolute("luffing", axis=(0.0, -1.0, 0.0), damping=2e4, start=jib_angle))
    model.connect(slewing.frame_b, apex.frame_a, winch.frame_a, platform.frame_a, luffing.frame_a)
    jib = model.add(
        fb.FlexibleBeam(
            "jib",
            length=JIB_LENGTH,
            linear_density=90.0,
            flexural_rigidity=3.0e8,
            flexural_rigidity_z=4.5e8,
            bending="yz",
            discretization=fb.AssumedModes(1, tip="auto") if discretization is None else discretization,
        )
    )
    head = model.add(fb.LumpedMass("head", 400.0))
    model.connect(luffing.frame_b, jib.frame_a)
    model.connect(jib.frame_b, head.frame_a)
    place = _hung_load(model, load, (JIB_LENGTH * math.cos(jib_angle), 0.0, JIB_LENGTH * math.sin(jib_angle) - hanging))
    # The luffing rope runs to and fro between the A-frame and the jib head.
    pendant = math.dist((JIB_LENGTH * math.cos(jib_angle), 0.0, JIB_LENGTH * math.sin(jib_angle)), APEX)
    luffing_rope = fb.Cable(
        "luffing_rope", FALLS * pendant, STEEL_ROPE * 2.0e-4, FALLS - 1, rope_damping_time, SLACK, winch=True, limit=1.5
    )
    model.add(luffing_rope)
    sheaves = (apex.frame_b, jib.frame_b)
    for number, spec in enumerate(("frame_a", *(f"frame_{i}" for i in range(1, FALLS)), "frame_b")):
        model.connect(sheaves[number % 2], luffing_rope.port(spec))
    hoist_length = math.dist((JIB_LENGTH * math.cos(jib_angle), 0.0, JIB_LENGTH * math.sin(jib_angle)), WINCH) + hanging
    hoist_rope = fb.Cable(
        "hoist_rope", hoist_length, STEEL_ROPE * 2.5e-4, 1, rope_damping_time, SLACK, winch=True, limit=1.0
    )
    model.add(hoist_rope)
    model.connect(winch.frame_b, hoist_rope.frame_a)
    model.connect(jib.frame_b, hoist_rope.port("frame_1"))
    model.connect(place, hoist_rope.frame_b)
    return model


def _slewing_drive(model: fb.Model, torque: float) -> fb.Revolute:
    """Add the slewing ring with its motor; the gear turns 500 times a turn of the crane."""
    slewing = model.add(fb.Revolute("slewing", axis=(0.0, 0.0, 1.0), damping=5e4))
    motor = model.add(fb.TorqueSource("slewing_motor", limit=torque))
    gear = model.add(fb.Gear("slewing_gear", ratio=500.0))
    rotor = model.add(fb.Rotor("slewing_rotor", inertia=1.0, gear_ratio=500.0))
    model.connect(motor.flange_b, gear.flange_a)
    model.connect(gear.flange_b, rotor.flange_a)
    model.connect(rotor.flange_b, slewing.axis)
    return slewing


def _hung_load(model: fb.Model, mass: float, start: tuple[float, float, float]) -> Port:
    """Add the load, which the rope alone holds; return the place where it does."""
    place = model["ground"].port("frame_b")
    for name, value, axis in zip("xyz", start, ((1, 0, 0), (0, 1, 0), (0, 0, 1)), strict=True):
        slide = model.add(fb.Prismatic(f"load_{name}", axis=axis, start=value))
        model.connect(place, slide.frame_a)
        place = slide.frame_b
    hook = model.add(fb.Payload("load", mass))
    model.connect(place, hook.frame_a)
    return place
