"""A rigid arm of seven joints with direct drives, as the MJCF file that MuJoCo and flexblocks both read."""

from __future__ import annotations

import tempfile
from pathlib import Path

import flexblocks as fb

JOINTS = 7
AXES = ("0 0 1", "0 1 0") * 4
LENGTHS = (0.3, 0.25, 0.25, 0.25, 0.2, 0.15, 0.1)  # [m]
MASSES = (4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 0.8)  # [kg]
TORQUES = tuple(f"joint{i}.motor.torque" for i in range(1, JOINTS + 1))
ANGLES = tuple(f"joint{i}.angle" for i in range(1, JOINTS + 1))


def mjcf(step: float = 1e-3, integrator: str = "RK4", damping: float = 0.5, armature: float = 0.05) -> str:
    """Return the file, with a fixed step [s], damping of the joints [N m s/rad] and inertia of the rotors [kg m2]."""
    bodies, at = "", 0.0
    for i, (axis, length, mass) in enumerate(zip(AXES, LENGTHS, MASSES, strict=False), start=1):
        across, along = mass * length**2 / 12 + 1e-3, 1e-3 * mass
        bodies += f"""
          <body name="link{i}" pos="0 0 {at!r}">
            <joint name="joint{i}" axis="{axis}" damping="{damping!r}" armature="{armature!r}"/>
            <inertial pos="0 0.01 {length / 2!r}" mass="{mass!r}" diaginertia="{across!r} {across!r} {along!r}"/>"""
        at = length
    motors = "".join(f'<motor name="motor{i}" joint="joint{i}"/>' for i in range(1, JOINTS + 1))
    return f"""
      <mujoco>
        <compiler angle="radian" inertiafromgeom="false"/>
        <option timestep="{step!r}" integrator="{integrator}" gravity="0 0 -9.81">
          <flag contact="disable" constraint="disable" warmstart="disable"/>
        </option>
        <worldbody>{bodies}{"</body>" * JOINTS}</worldbody>
        <actuator>{motors}</actuator>
      </mujoco>"""


def seven_joint_arm(damping: float = 0.5) -> fb.DAE:
    """Return the arm, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seven_joints.xml"
        path.write_text(mjcf(damping=damping), encoding="utf-8")
        return fb.assemble(fb.from_mjcf(path).model).compile(strict=True)
