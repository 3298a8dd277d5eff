"""Variables of one block: coordinates, inputs, states, algebraic variables, and those that coordinates determine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np

# What an input is for. An actuator is moved by the controller of the arm; a disturbance is zero unless it is given; a
# reference is the set point of a controller inside, and a reference rate its derivative, or that of another rate.
Role = Literal["actuator", "disturbance", "reference", "reference_rate"]
# Those between which the user of a block chooses, where the block has a parameter for it.
ROLES = ("actuator", "disturbance")

# Which block names a coordinate that several share: a joint before a rotor; the others never do.
JOINT, ROTOR, GUEST = 2, 1, 0


@dataclass(frozen=True)
class Coordinate:
    """A generalised coordinate of one block.

    `rank` says who gives the coordinate its name where rigidly joined flanges share one: JOINT before ROTOR.
    A GUEST (the end of a spring, the shaft of a source) moves no mass and only shares the coordinate of another block.
    `reference` is its value in the configuration in which outboard inertia is gathered (see `Local.carried`); beyond
    `low` and `high` the block's physics have no meaning.
    A coordinate that is `held` stays zero and is not one of the arm's; an internal force holds it (`Local.effort`).
    """

    name: str
    unit: str
    start: float = 0.0
    rank: int = JOINT
    reference: float = 0.0
    low: float = -np.inf
    high: float = np.inf
    held: bool = False


@dataclass(frozen=True)
class Variable:
    """An input, a first-order state or an algebraic variable of one block.

    A state that is at rest at any value, such as bent bristles, says between which, `low` and `high`: an equilibrium
    keeps its start value where something else holds the arm, and no more than this where nothing does. One that is
    `positive`, such as a length, has no meaning at 0 and below: a run stops there, and plans keep it above. A state of
    a force element may start at an output of it that poses alone determine: `starts_at` names it. If it `follows` such
    an output, rest in other postures than the start is sought from where it keeps its ratio to that: a rope that is
    taut at the start is neither slack there nor stretched by metres.

    An input has a `role`: ``"actuator"``, which equilibria, laws and plans use; ``"disturbance"``, which is zero unless
    it is given; ``"reference"`` or ``"reference_rate"`` of a controller inside the block. An input that is the time
    derivative of another one says of which, `derivative_of`, by its name in the block; that may be a rate itself.
    """

    name: str
    unit: str
    start: float = 0.0
    limit: float | None = None
    low: float = -np.inf
    high: float = np.inf
    positive: bool = False
    starts_at: str | None = None
    follows: str | None = None
    role: Role = "actuator"
    derivative_of: str | None = None


@dataclass(frozen=True)
class DependentVariable:
    """A variable of one block that its coordinates determine: 0 = residual.

    Attributes
    ----------
    name : str
        One of the block's states, whose rate follows then, or one of its algebraic variables.
    residual : SX
        A function of the block's coordinates and dependent variables, zero at the value sought.
    start : float
        The solution at the coordinates' reference values.
    """

    name: str
    residual: ca.SX
    start: float
