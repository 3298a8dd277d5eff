"""The physics of a block: its variables, what it is told when it is evaluated, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.interfaces.frame import Frame
from flexblocks.interfaces.intermediates import Intermediates

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
    """An input, a first-order state or an algebraic variable of one block."""

    name: str
    unit: str
    start: float = 0.0
    limit: float | None = None


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


NOTHING = np.zeros((6, 6))


@dataclass(frozen=True)
class Totals:
    """Symbols of the mass and momenta of the whole arm, in world axes, for outputs alone.

    Attributes
    ----------
    stacked : SX (10, 1)
        Mass, centre of mass, momentum and angular momentum.
    """

    stacked: ca.SX = field(default_factory=lambda: ca.SX.sym("totals", 10))

    @property
    def mass(self) -> ca.SX:
        """Mass of all bodies [kg]."""
        return self.stacked[0]

    @property
    def center(self) -> ca.SX:
        """Their centre of mass, SX (3, 1) [m]."""
        return self.stacked[1:4]

    @property
    def momentum(self) -> ca.SX:
        """Linear momentum, SX (3, 1) [kg m/s]."""
        return self.stacked[4:7]

    @property
    def angular_momentum(self) -> ca.SX:
        """Angular momentum about the centre of mass, SX (3, 1) [kg m2/s]."""
        return self.stacked[7:]


@dataclass(frozen=True)
class Local:
    """What a block is told when it is evaluated: its symbols, by name, and the inertia outboard.

    ``local["angle"]`` is the symbol; ``local.rate(e)`` the time derivative of an expression of the coordinates.

    Attributes
    ----------
    symbols : dict of SX
        By name, the coordinates first.
    outlets : tuple of str
        The outlets for which a frame is asked.
    carried : ndarray (6, 6)
        Inertia, in twist order (omega, v) at ``frame_b``, of all that is outboard of it, rigid and in the zero
        configuration (that of the coordinates' reference values).
    dependent, dependent_rates : SX (k, 1)
        The block's dependent variables, which its coordinates determine, and their rates.
    efforts : dict of SX
        Symbols of the efforts asked for so far.
    acceleration, gravity : SX (3, 1)
        Acceleration of the inlet's origin relative to the world, and acceleration of free fall, both in the inlet's
        axes [m/s2]. For outputs alone: they follow from what all blocks return.
    totals : Totals
        Mass and momenta of the whole arm, for outputs alone.
    intermediates : Intermediates
        Functions of the configuration behind symbols, see `intermediate`.
    """

    symbols: Mapping[str, ca.SX]
    coordinates: ca.SX
    rates: ca.SX
    outlets: tuple[str, ...] = ()
    carried: np.ndarray = field(default_factory=NOTHING.copy)
    acceleration: ca.SX = field(default_factory=lambda: ca.SX.sym("acceleration", 3))
    gravity: ca.SX = field(default_factory=lambda: ca.SX.sym("gravity", 3))
    totals: Totals = field(default_factory=Totals)
    dependent: ca.SX = field(default_factory=lambda: ca.SX(0, 1))
    dependent_rates: ca.SX = field(default_factory=lambda: ca.SX(0, 1))
    efforts: dict[str, ca.SX] = field(default_factory=dict)
    intermediates: Intermediates = field(default_factory=Intermediates)

    def effort(self, name: str) -> ca.SX:
        """Return the effort that holds the held coordinate of this name, for outputs alone [N m or N]."""
        return self.efforts.setdefault(name, ca.SX.sym(name))

    def __getitem__(self, name: str) -> ca.SX:
        return self.symbols[name]

    @property
    def configuration(self) -> ca.SX:
        """The coordinates, the dependent and the intermediate variables (n + k + m, 1)."""
        inner = self.intermediates
        return ca.vertcat(self._motion[0], inner.symbols) if inner.columns else self._motion[0]

    @property
    def configuration_rates(self) -> ca.SX:
        """The time derivatives of the configuration (n + k + m, 1)."""
        inner = self.intermediates
        return ca.vertcat(self._motion[1], inner.slopes @ self.rates) if inner.columns else self._motion[1]

    @cached_property
    def _motion(self) -> tuple[ca.SX, ca.SX]:
        """Coordinates and dependent variables, and the rates of both."""
        return ca.vertcat(self.coordinates, self.dependent), ca.vertcat(self.rates, self.dependent_rates)

    def rate(self, expression: ca.SX) -> ca.SX:
        return ca.sparsify(ca.jtimes(expression, self.configuration, self.configuration_rates))

    def slopes(self, expression: ca.SX) -> ca.SX:
        """Return the total derivatives (k, n) in the coordinates of an expression (k, 1) of them."""
        return ca.sparsify(ca.jacobian(self.rate(expression), self.rates))

    def slope(self, expression: ca.SX, coordinate: str) -> ca.SX:
        """Return the total derivative (k, 1) of an expression (k, 1) in the coordinate of this name."""
        return self.slopes(expression)[:, list(self.symbols).index(coordinate)]

    def intermediate(self, name: str, value: ca.SX, order: int = 0) -> ca.SX:
        """Return symbols in place of a long expression of the configuration, which is differentiated once then.

        Parameters
        ----------
        name : str
            Of this block's own choice; asked for again, it gives the same symbols.
        value : SX
        order : int
            How many of its derivatives become symbols, too.
        """
        value = ca.sparsify(value)
        if name not in self.intermediates.columns:
            entries = ca.reshape(value.nz[:], value.nnz(), 1)  # no nonzeros are a row otherwise, not a column
            slopes = self.slopes(entries)
            if order:
                slopes = self.intermediate(f"{name}'", slopes, order - 1)
            self.intermediates.add(name, entries, slopes)
        return ca.SX(value.sparsity(), self.intermediates.columns[name])


@dataclass(frozen=True)
class Load:
    """A load: an effort (torque, force) that does work on a displacement (angle, distance)."""

    effort: ca.SX
    displacement: ca.SX


@dataclass(frozen=True)
class Output:
    """An output: a scalar to observe, with its unit."""

    value: ca.SX
    unit: str


@dataclass(frozen=True)
class InertialBody:
    """Inertia and velocity forces of a deforming body.

    Attributes
    ----------
    frame : Frame
        That moves with it.
    inertia : SX (6 + n, 6 + n)
        In the order (twist of the frame, rates of all n coordinates of the block); a function of the coordinates.
    bias : SX (6 + n, 1)
        Forces of inertia, in this order and in the axes of the frame, that are left when neither the frame nor the
        coordinates accelerate; a function of coordinates, rates and the angular velocity of the frame.
    """

    frame: Frame
    inertia: ca.SX
    bias: ca.SX


@dataclass(frozen=True)
class Physics:
    """The physics of a block in terms of its inlet frame and its variables: energies, loads, equations, outputs.

    Attributes
    ----------
    outlets : dict of Frame
        The frame of each outlet; those named in `Local.outlets` must be there.
    kinetic : SX
        Kinetic energy [J], a quadratic form in the inlet twist and the block's rates. Weight follows from it:
        gravity is an acceleration of the ground.
    potential : SX
        Stored energy [J], a function of the block's coordinates.
    dissipation : SX
        Rayleigh's function [W]: its gradient in the rates is the damping force.
    loads : tuple of Load
        Efforts with the displacements they work on.
    derivatives : dict of SX
        Time derivative of each first-order state, but for those that follow from the coordinates.
    residuals : tuple of SX
        As many as there are algebraic variables that do not follow from the coordinates; each is zero.
    outputs : dict of Output
        Scalars to observe, by name.
    power : SX
        Power [W] of external forces on the block: linear in the inlet twist and the rates.
    bodies : tuple of InertialBody
        The bodies that have the kinetic energy, where the block knows their inertia and velocity forces in a form that
        takes fewer operations than the derivatives of the energy; nothing else changes.
    """

    outlets: Mapping[str, Frame] = field(default_factory=dict)
    kinetic: ca.SX | float = 0.0
    potential: ca.SX | float = 0.0
    dissipation: ca.SX | float = 0.0
    loads: tuple[Load, ...] = ()
    derivatives: Mapping[str, ca.SX] = field(default_factory=dict)
    residuals: tuple[ca.SX, ...] = ()
    outputs: Mapping[str, Output] = field(default_factory=dict)
    power: ca.SX | float = 0.0
    bodies: tuple[InertialBody, ...] = ()
