"""Symbols of one block, on which its physics is evaluated independently of the arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.dependent_variables import DependentVariables, dependent_variables
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.block_variables import Coordinate
from flexblocks.interfaces.carried import Carried
from flexblocks.interfaces.local import Local


@dataclass(frozen=True)
class WatchedLocal(Local):
    """A `Local` that records in `asked` whether `carried` was read; if not, the physics is the same under any load."""

    asked: set[str] = field(default_factory=set)

    def __getattribute__(self, name: str) -> Any:
        if name == "carried":
            object.__getattribute__(self, "asked").add(name)
        return object.__getattribute__(self, name)


@dataclass(frozen=True, eq=False)
class BlockSymbols:
    """Symbols of one block: coordinates q, rates s, first-order states w, algebraic variables z, inputs u.

    Attributes
    ----------
    block : Block
    coordinates : tuple of Coordinate
        The coordinates behind q, as the block declares them.
    q, s : SX (n, 1)
        A coordinate that is locked is its value in `offsets` plus q, which stays zero.
    w, z, u : SX (nw, 1), (nz, 1), (nu, 1)
        Entries of w and z that belong to dependent variables are unused.
    dependent : DependentVariables
        The states and algebraic variables that q determines.
    """

    block: Block
    coordinates: tuple[Coordinate, ...]
    q: ca.SX
    s: ca.SX
    w: ca.SX
    z: ca.SX
    u: ca.SX
    dependent: DependentVariables
    offsets: np.ndarray
    local: WatchedLocal

    @property
    def configuration(self) -> ca.SX:
        """The coordinates, then the dependent and the intermediate variables (n + k + m, 1)."""
        return self.local.configuration

    @property
    def configuration_rates(self) -> ca.SX:
        """The time derivatives of the configuration (n + k + m, 1)."""
        return self.local.configuration_rates

    def gradient(self, expression: ca.SX | float) -> ca.SX:
        """Return the total derivative (n, 1) in q of a scalar expression of the configuration."""
        scalar = ca.SX(expression)
        total = ca.gradient(scalar, self.q)
        if self.dependent.equations:
            total += self.dependent.slopes.T @ ca.gradient(scalar, self.dependent.symbols)
        if (inner := self.local.intermediates).columns:
            total += inner.slopes.T @ ca.gradient(scalar, inner.symbols)
        return ca.sparsify(total)


def block_symbols(
    block: Block, outlets: tuple[str, ...], carried: Carried, locked: Mapping[str, float], released: bool = False
) -> tuple[BlockSymbols, WatchedLocal]:
    """Return new symbols for a block, and the `Local` it is evaluated with when frames are needed at `outlets`.

    `locked` are the values of locked coordinates, by name. The block sees a held coordinate as a structural zero,
    unless it is `released`.
    """
    coordinates = tuple(block.coordinates())
    variables = {"w": block.states(), "z": block.algebraics(), "u": block.inputs()}
    groups = {letter: ca.SX.sym(letter, len(members)) for letter, members in variables.items()}
    q, s = ca.SX.sym("q", len(coordinates)), ca.SX.sym("s", len(coordinates))
    offsets = np.array([locked.get(c.name, 0.0) for c in coordinates])
    symbols = {}
    for c, symbol, offset in zip(coordinates, ca.vertsplit(q), offsets.tolist(), strict=True):
        symbols[c.name] = ca.SX(1, 1) if c.held and not released else symbol + offset if offset else symbol
    for letter, members in variables.items():
        symbols |= {v.name: symbol for v, symbol in zip(members, ca.vertsplit(groups[letter]), strict=True)}
    dependent, local = dependent_variables(block, WatchedLocal(symbols, q, s, outlets, carried))
    return BlockSymbols(block, coordinates, q, s, **groups, dependent=dependent, offsets=offsets, local=local), local
