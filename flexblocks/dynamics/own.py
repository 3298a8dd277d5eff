"""The symbols of its own on which a block is evaluated."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.block import Block
from flexblocks.physics import Local


@dataclass(frozen=True, eq=False)
class OwnSymbols:
    """Symbols of one block: coordinates q and their rates s, states w, algebraic variables z, inputs u."""

    block: Block
    q: ca.SX
    s: ca.SX
    w: ca.SX
    z: ca.SX
    u: ca.SX

    def local(self, outlets: tuple[str, ...], carried: np.ndarray) -> Local:
        """Return what the block sees when frames are wanted at `outlets`."""
        block = self.block
        groups = (
            (block.coordinates(), self.q),
            (block.states(), self.w),
            (block.algebraics(), self.z),
            (block.inputs(), self.u),
        )
        symbols = {
            variable.name: symbol
            for variables, column in groups
            for variable, symbol in zip(variables, ca.vertsplit(column), strict=True)
        }
        return Local(symbols, self.q, self.s, outlets, carried)


def own_symbols(block: Block) -> OwnSymbols:
    """Return fresh symbols for a block."""
    size = len(block.coordinates())
    return OwnSymbols(
        block=block,
        q=ca.SX.sym("q", size),
        s=ca.SX.sym("s", size),
        w=ca.SX.sym("w", len(block.states())),
        z=ca.SX.sym("z", len(block.algebraics())),
        u=ca.SX.sym("u", len(block.inputs())),
    )
