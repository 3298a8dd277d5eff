"""The blocks of the library, one to a file: this is their register.

A new block is a file and an entry here; `flexblocks` and model files take it from here.
"""

from flexblocks.blocks.bodies.accelerometer import Accelerometer
from flexblocks.blocks.bodies.flexible_beam import FlexibleBeam
from flexblocks.blocks.bodies.force_sensor import ForceSensor
from flexblocks.blocks.bodies.ground import Ground
from flexblocks.blocks.bodies.lumped_mass import LumpedMass
from flexblocks.blocks.bodies.payload import Payload
from flexblocks.blocks.bodies.reduced_body import ReducedBody
from flexblocks.blocks.bodies.rigid_body import RigidBody
from flexblocks.blocks.bodies.rigid_link import RigidLink
from flexblocks.blocks.bodies.sliding_beam import SlidingBeam
from flexblocks.blocks.bodies.total_momentum import TotalMomentum
from flexblocks.blocks.bodies.track import Track
from flexblocks.blocks.drives.backlash import Backlash
from flexblocks.blocks.drives.dc_motor import DCMotor
from flexblocks.blocks.drives.driven_joints import DrivenPrismatic, DrivenRevolute
from flexblocks.blocks.drives.end_stops import EndStops
from flexblocks.blocks.drives.fixed import Fixed, FixedTranslation
from flexblocks.blocks.drives.flexible_joint import FlexibleJoint
from flexblocks.blocks.drives.friction import Friction
from flexblocks.blocks.drives.gear import Gear
from flexblocks.blocks.drives.lugre_friction import LuGreFriction
from flexblocks.blocks.drives.pd_servo import PDServo
from flexblocks.blocks.drives.rack import Rack
from flexblocks.blocks.drives.rotor import Rotor
from flexblocks.blocks.drives.source import ForceSource, TorqueSource
from flexblocks.blocks.drives.torsional_spring import TorsionalSpring
from flexblocks.blocks.drives.translational_gear import TranslationalGear
from flexblocks.blocks.drives.translational_spring import TranslationalSpring
from flexblocks.blocks.forces.cable import Cable
from flexblocks.blocks.forces.contact import Contact
from flexblocks.blocks.forces.hydraulic_cylinder import HydraulicCylinder
from flexblocks.blocks.forces.line_force import LineForce
from flexblocks.blocks.forces.pulley_rope import PulleyRope
from flexblocks.blocks.forces.spring_damper import SpringDamper
from flexblocks.blocks.forces.world_force import WorldForce, WorldTorque
from flexblocks.blocks.joints.compound_joints import Gimbal, Universal
from flexblocks.blocks.joints.fixed_transform import FixedTransform
from flexblocks.blocks.joints.free_motion import FreeMotion
from flexblocks.blocks.joints.prismatic import Prismatic
from flexblocks.blocks.joints.revolute import Revolute
from flexblocks.blocks.joints.spherical import Spherical
from flexblocks.interfaces import Block, Composite

# What `flexblocks` offers of them. Written out, so that editors complete these names.
__all__ = [
    "Accelerometer",
    "Backlash",
    "Cable",
    "Contact",
    "DCMotor",
    "DrivenPrismatic",
    "DrivenRevolute",
    "EndStops",
    "Fixed",
    "FixedTransform",
    "FixedTranslation",
    "FlexibleBeam",
    "FlexibleJoint",
    "ForceSensor",
    "ForceSource",
    "FreeMotion",
    "Friction",
    "Gear",
    "Gimbal",
    "Ground",
    "HydraulicCylinder",
    "LineForce",
    "LuGreFriction",
    "LumpedMass",
    "PDServo",
    "Payload",
    "Prismatic",
    "PulleyRope",
    "Rack",
    "ReducedBody",
    "Revolute",
    "RigidBody",
    "RigidLink",
    "Rotor",
    "SlidingBeam",
    "Spherical",
    "SpringDamper",
    "TorqueSource",
    "TorsionalSpring",
    "TotalMomentum",
    "Track",
    "TranslationalGear",
    "TranslationalSpring",
    "Universal",
    "WorldForce",
    "WorldTorque",
]

ALL_BLOCKS: tuple[type[Block] | type[Composite], ...] = tuple(globals()[name] for name in __all__)
