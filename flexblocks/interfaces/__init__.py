"""The interface of a block: all that the author of one imports, and nothing else.

    from flexblocks.interfaces import Block, Coordinate, Local, Output, Physics, flange, parameter

Read `block` (the contract: parameters, ports, variables, physics), then `local` (what a block receives) and `physics`
(what it returns), `frame` (poses and twists), `ports` and `parameters`; for forces between frames `force_element` and
`attached_frame`. `variables` are the named groups of variables of a whole
arm, which no block sees. docs/blocks.md has the signatures, and says what a block may not use. Nothing here imports
anything but `flexblocks.errors`.
"""

from flexblocks.interfaces.attached_frame import AttachedFrame
from flexblocks.interfaces.block import Block, Composite, PortUnknownError
from flexblocks.interfaces.block_variables import (
    GUEST,
    JOINT,
    ROLES,
    ROTOR,
    Coordinate,
    DependentVariable,
    Role,
    Variable,
)
from flexblocks.interfaces.carried import Carried
from flexblocks.interfaces.chart import Chart
from flexblocks.interfaces.force_element import ForceElement
from flexblocks.interfaces.frame import Frame, Vector, column, rotation, skew
from flexblocks.interfaces.local import Local, Totals
from flexblocks.interfaces.parameters import (
    ANY,
    FRACTION,
    NONZERO,
    NOT_NEGATIVE,
    POSITIVE,
    Quantity,
    Range,
    checked_fields,
    choice,
    parameter,
    unit_vector,
)
from flexblocks.interfaces.physics import InertialBody, Load, Output, Physics
from flexblocks.interfaces.ports import Kind, Port, PortSpec, attachment, flange, inlet, outlet
from flexblocks.interfaces.rounding import FrictionRounding, PlayRounding
from flexblocks.interfaces.small_deflections import SmallDeflections, Tension, Twist
from flexblocks.interfaces.state_range import StateRange

__all__ = [
    "ANY",
    "FRACTION",
    "GUEST",
    "JOINT",
    "NONZERO",
    "NOT_NEGATIVE",
    "POSITIVE",
    "ROLES",
    "ROTOR",
    "AttachedFrame",
    "Block",
    "Carried",
    "Chart",
    "Composite",
    "Coordinate",
    "DependentVariable",
    "ForceElement",
    "Frame",
    "FrictionRounding",
    "InertialBody",
    "Kind",
    "Load",
    "Local",
    "Output",
    "Physics",
    "PlayRounding",
    "Port",
    "PortSpec",
    "PortUnknownError",
    "Quantity",
    "Range",
    "Role",
    "SmallDeflections",
    "StateRange",
    "Tension",
    "Totals",
    "Twist",
    "Variable",
    "Vector",
    "attachment",
    "checked_fields",
    "choice",
    "column",
    "flange",
    "inlet",
    "outlet",
    "parameter",
    "rotation",
    "skew",
    "unit_vector",
]
