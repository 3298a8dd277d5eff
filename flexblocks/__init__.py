"""flexblocks: flexible robot arms from blocks."""

from flexblocks.assemble import assemble
from flexblocks.beam.assumed_modes import AssumedModes
from flexblocks.beam.discretization import Rigid
from flexblocks.beam.finite_elements import FiniteElements
from flexblocks.beam.properties.material import Material
from flexblocks.beam.properties.section import ISection, Rectangle, Tube
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.beam.rigid_segments import RigidSegments
from flexblocks.blocks.accelerometer import Accelerometer
from flexblocks.blocks.compound_joints import Spherical, Universal
from flexblocks.blocks.denavit_hartenberg import DHRow, denavit_hartenberg
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
from flexblocks.compare import Comparison, compare
from flexblocks.dae.change_coordinates import change_coordinates
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError, FlexblocksWarning
from flexblocks.interfaces.block import Block, Composite
from flexblocks.linear.grid import LinearGrid, linear_grid
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.linearize import linearize
from flexblocks.linear.reduce import reduce
from flexblocks.modeling.model import Model
from flexblocks.modeling.model_file import load
from flexblocks.modeling.rediscretize import rediscretize
from flexblocks.simulation import (
    PiecewisePolynomial,
    Signal,
    SimulationError,
    Trajectory,
    bang_bang,
    piecewise_constant,
    piecewise_linear,
    simulate,
    simulate_batch,
)
from flexblocks.statics.equilibrium import equilibrium
from flexblocks.statics.operating_point import OperatingPoint

__all__ = [
    "DAE",
    "Accelerometer",
    "AssumedModes",
    "Block",
    "Comparison",
    "Composite",
    "DHRow",
    "FiniteElements",
    "Fixed",
    "FixedTransform",
    "FixedTranslation",
    "FlexblocksError",
    "FlexblocksWarning",
    "FlexibleBeam",
    "FlexibleJoint",
    "ForceSource",
    "Friction",
    "Gear",
    "Ground",
    "ISection",
    "LinearGrid",
    "LinearModel",
    "LumpedMass",
    "Material",
    "Model",
    "OperatingPoint",
    "PDServo",
    "Payload",
    "PiecewisePolynomial",
    "Prismatic",
    "Rectangle",
    "Revolute",
    "Rigid",
    "RigidBody",
    "RigidLink",
    "RigidSegments",
    "Rotor",
    "Signal",
    "SimulationError",
    "SlidingBeam",
    "Spherical",
    "TipBody",
    "TorqueSource",
    "TorsionalSpring",
    "Trajectory",
    "Tube",
    "Universal",
    "assemble",
    "bang_bang",
    "change_coordinates",
    "compare",
    "denavit_hartenberg",
    "equilibrium",
    "linear_grid",
    "linearize",
    "load",
    "piecewise_constant",
    "piecewise_linear",
    "rediscretize",
    "reduce",
    "simulate",
    "simulate_batch",
]
