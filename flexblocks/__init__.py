"""flexblocks: flexible robot arms from blocks."""

from flexblocks.assemble import assemble
from flexblocks.beam.discretization import AssumedModes, Rigid
from flexblocks.beam.tip_body import TipBody
from flexblocks.block import Block, Composite
from flexblocks.blocks.fixed import Fixed, FixedTranslation
from flexblocks.blocks.flexible_beam import FlexibleBeam
from flexblocks.blocks.flexible_joint import FlexibleJoint
from flexblocks.blocks.gear import Gear
from flexblocks.blocks.ground import Ground
from flexblocks.blocks.lumped_mass import LumpedMass
from flexblocks.blocks.payload import Payload
from flexblocks.blocks.prismatic import Prismatic
from flexblocks.blocks.revolute import Revolute
from flexblocks.blocks.rigid_link import RigidLink
from flexblocks.blocks.rotor import Rotor
from flexblocks.blocks.source import ForceSource, TorqueSource
from flexblocks.blocks.torsional_spring import TorsionalSpring
from flexblocks.dae import DAE
from flexblocks.model import Model
