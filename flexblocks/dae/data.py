"""Variables of an arm's differential-algebraic equations, and the symbols that its functions take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import casadi as ca
import numpy as np

from flexblocks.dae.closed_start import ClosedStart
from flexblocks.dae.expressions import Expressions
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.interfaces.variables import Variables
from flexblocks.modeling.model import Model
from flexblocks.symbolic_pickle import HoldsSymbols


@dataclass(frozen=True, eq=False)
class DAEData(HoldsSymbols):
    """Fields of a `flexblocks.dae.dae.DAE`, its symbols, and its equations as expressions of them."""

    name: str
    x: Variables
    z: Variables
    u: Variables
    p: Variables
    y: Variables
    tree: Tree
    dynamics: Literal["recursive", "closed-form"] = "recursive"
    model: Model | None = None
    clocks: tuple[Clock, ...] = ()
    locked: Mapping[str, float] = field(default_factory=dict)
    closed_start: ClosedStart | None = None

    @property
    def prescribed(self) -> tuple[str, ...]:
        """Names of the coordinates whose motion is prescribed; see `flexblocks.assemble`."""
        return tuple(prescription.name for prescription in self.tree.prescribed)

    @property
    def q_names(self) -> tuple[str, ...]:
        """Names of the generalised coordinates: the first part of x."""
        return self.x.names[: self.tree.size]

    @property
    def q(self) -> ca.SX:
        """Symbols of the coordinates, SX (n, 1)."""
        return self.tree.split_state(self.x.symbol)[0]

    @property
    def v(self) -> ca.SX:
        """Symbols of the rates of the coordinates, SX (n, 1)."""
        return self.tree.split_state(self.x.symbol)[1]

    @property
    def w(self) -> ca.SX:
        """Symbols of the first-order states, SX (nw, 1)."""
        return self.tree.split_state(self.x.symbol)[2]

    @property
    def posture_symbols(self) -> tuple[ca.SX, ...]:
        """Arguments of functions of the posture: coordinates, parameters and, if there are any, dependent variables."""
        return (self.q, self.p.symbol, *([self.tree.dependent] if self.tree.dependent_names else []))

    def posture(self, x: np.ndarray, z: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the values of `posture_symbols` at states x (nx,), algebraic variables z (nz,) and parameters p (np,).

        Columns of several points, x (nx, k) and so on, give columns.
        """
        names = self.tree.dependent_names
        values = [x[self.x.index(name)] if name in self.x else z[self.z.index(name)] for name in names]
        return (x[: self.tree.size], p, *([np.stack(values)] if names else []))

    @cached_property
    def expressions(self) -> Expressions:
        """The equations as CasADi expressions, built on first use."""
        return Expressions(self.tree, self.dynamics, self.x.symbol, self.z.symbol, self.u.symbol, self.y.names)

    def of_same_mass(self, **fields: Any) -> Self:
        """Return this arm with other `fields`, none of which changes its mass matrix, as that is derived only once."""
        other = replace(self, **fields)
        known = vars(self.expressions)
        if "whole_mass" in known:
            vars(other.expressions)["whole_mass"] = known["whole_mass"]
        return other
