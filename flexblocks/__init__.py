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
from flexblocks.equilibrium import equilibrium
from flexblocks.files import load
from flexblocks.linear_model import LinearModel
from flexblocks.linearize import linearize
from flexblocks.model import Model
from flexblocks.operating_point import OperatingPoint
from flexblocks.simulation import (
    PiecewisePolynomial,
    Signal,
    SimulationError,
    Trajectory,
    bang_bang,
    piecewise_constant,
    piecewise_linear,
    simulate,
)

__all__ = [
    "DAE",
    "AssumedModes",
    "Block",
    "Composite",
    "Fixed",
    "FixedTranslation",
    "FlexibleBeam",
    "FlexibleJoint",
    "ForceSource",
    "Gear",
    "Ground",
    "LinearModel",
    "LumpedMass",
    "Model",
    "OperatingPoint",
    "Payload",
    "PiecewisePolynomial",
    "Prismatic",
    "Revolute",
    "Rigid",
    "RigidLink",
    "Rotor",
    "Signal",
    "SimulationError",
    "TipBody",
    "TorqueSource",
    "TorsionalSpring",
    "Trajectory",
    "assemble",
    "bang_bang",
    "equilibrium",
    "linearize",
    "load",
    "piecewise_constant",
    "piecewise_linear",
    "simulate",
]
