"""What a block receives when it is evaluated: its symbols, the inertia outboard, what outputs may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca

from flexblocks.interfaces.carried import Carried
from flexblocks.interfaces.intermediates import Intermediates


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
    """What a block receives when it is evaluated: its symbols, by name, and the inertia outboard.

    ``local["angle"]`` is the symbol; ``local.rate(e)`` the time derivative of an expression of the coordinates.

    Attributes
    ----------
    symbols : dict of SX
        By name, the coordinates first.
    outlets : tuple of str
        The outlets for which a frame is needed.
    carried : Carried
        Inertia outboard of each outlet, rigid and in the zero configuration (that of the coordinates' reference
        values).
    dependent, dependent_rates : SX (k, 1)
        The block's dependent variables, which its coordinates determine, and their rates.
    efforts : dict of SX
        Symbols of the efforts used so far.
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
    carried: Carried = field(default_factory=Carried)
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
            Of this block's own choice; the same name gives the same symbols.
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
