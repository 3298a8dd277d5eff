"""A lumped arm in MuJoCo, with contacts, limits and other unused features switched off."""

from __future__ import annotations

import mujoco

from benchmarks.lumped_arm import LumpedArm

# MuJoCo refuses bodies without mass; so light a rotor changes nothing that is seen in double precision.
NO_MASS = 1e-14


def mujoco_model(arm: LumpedArm, step: float, integrator: str = "RK4") -> mujoco.MjModel:
    """Return the arm with a fixed step [s]; controls are the torques on rotors, or on joints without drives.

    Coordinates are the hinges of the segments, then the rotors.
    """
    bodies = closing = tendons = rotors = motors = ""
    for i, segment in enumerate(arm.segments):
        bodies += f"""
          <body pos="{segment.inboard_length!r} 0 0">
            <joint name="hinge{i}" axis="0 0 1" stiffness="{segment.stiffness!r}"/>
            {_inertial(segment.center, segment.mass, segment.inertia)}"""
        closing += "</body>"
    for k, i in enumerate(arm.joints):
        driven = f"hinge{i}"
        if arm.drive is not None:
            driven = f"rotor{k}"
            # A rotor on the ground with armature only: its spin counts relative to its mount.
            rotors += f"""
              <body><joint name="{driven}" axis="0 0 1" armature="{arm.drive.rotor_inertia!r}"/>
                {_inertial(0.0, NO_MASS, NO_MASS)}</body>"""
            tendons += f"""
              <fixed stiffness="{arm.drive.stiffness!r}" springlength="0">
                <joint joint="{driven}" coef="1"/><joint joint="hinge{i}" coef="-1"/></fixed>"""
        motors += f'<motor joint="{driven}"/>'
    return mujoco.MjModel.from_xml_string(f"""
      <mujoco>
        <compiler angle="radian" boundmass="0" boundinertia="0" balanceinertia="false" inertiafromgeom="false"/>
        <option timestep="{step!r}" integrator="{integrator}" gravity="0 {-arm.gravity!r} 0">
          <flag contact="disable" constraint="disable" warmstart="disable"/>
        </option>
        <worldbody>{bodies}{closing}{rotors}</worldbody>
        <tendon>{tendons}</tendon>
        <actuator>{motors}</actuator>
      </mujoco>""")


def _inertial(center: float, mass: float, inertia: float) -> str:
    diagonal = " ".join([repr(inertia)] * 3)
    return f'<inertial pos="{center!r} 0 0" mass="{mass!r}" diaginertia="{diagonal}"/>'
