"""The blocks of the library, one a file: this is their register.

A new block is its file and its place here; `flexblocks` and model files have it from here.
"""

from flexblocks.blocks.accelerometer import Accelerometer
from flexblocks.blocks.compound_joints import Spherical, Universal
from flexblocks.blocks.fixed import Fixed, FixedTranslation
from flexblocks.blocks.fixed_transform import FixedTransform
from flexblocks.blocks.flexible_beam import FlexibleBeam
from flexblocks.blocks.flexible_joint import FlexibleJoint
from flexblocks.blocks.friction import Friction
from flexblocks.blocks.gear import Gear
from flexblocks.blocks.ground import Ground
from flexblocks.blocks.lumped_mass import LumpedMass
from flexblocks.blocks.payload import Payload
from flexblocks.blocks.pd_servo import PDServo
from flexblocks.blocks.prismatic import Prismatic
from flexblocks.blocks.revolute import Revolute
from flexblocks.blocks.rigid_body import RigidBody
from flexblocks.blocks.rigid_link import RigidLink
from flexblocks.blocks.rotor import Rotor
from flexblocks.blocks.sliding_beam import SlidingBeam
from flexblocks.blocks.source import ForceSource, TorqueSource
from flexblocks.blocks.torsional_spring import TorsionalSpring
from flexblocks.interfaces import Block, Composite

# What `flexblocks` offers of them. Written out, so that editors complete these names.
__all__ = [
    "Accelerometer",
    "Fixed",
    "FixedTransform",
    "FixedTranslation",
    "FlexibleBeam",
    "FlexibleJoint",
    "ForceSource",
    "Friction",
    "Gear",
    "Ground",
    "LumpedMass",
    "PDServo",
    "Payload",
    "Prismatic",
    "Revolute",
    "RigidBody",
    "RigidLink",
    "Rotor",
    "SlidingBeam",
    "Spherical",
    "TorqueSource",
    "TorsionalSpring",
    "Universal",
]

ALL_BLOCKS: tuple[type[Block] | type[Composite], ...] = tuple(globals()[name] for name in __all__)
