"""The symbols of its own on which a block is evaluated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.interfaces.block import Block
from flexblocks.interfaces.physics import Follower, Local


@dataclass(frozen=True, eq=False)
class OwnSymbols:
    """Symbols of one block: coordinates q and their rates s, states w, algebraic variables z, inputs u.

    `followed` (k, 1) are those of the states and algebraic variables that follow from q, with symbols of their own:
    they stand in everything that depends on q. The entries of w and z in their places are not used.
    """

    block: Block
    q: ca.SX
    s: ca.SX
    w: ca.SX
    z: ca.SX
    u: ca.SX
    followed: ca.SX
    followers: tuple[Follower, ...]

    @property
    def residuals(self) -> ca.SX:
        """Residuals (k, 1) of the followed variables."""
        return ca.vertcat(*[follower.residual for follower in self.followers], ca.SX(0, 1))

    @cached_property
    def slopes(self) -> ca.SX:
        """Derivatives (k, n) of the followed variables with respect to q, by the implicit function theorem."""
        g = self.residuals
        return -_solved(ca.jacobian(g, self.followed), ca.jacobian(g, self.q))

    @cached_property
    def following(self) -> ca.SX:
        """Rates (k, 1) of the followed variables."""
        return ca.sparsify(self.slopes @ self.s)

    def gradient(self, expression: ca.SX | float) -> ca.SX:
        """Return the gradient (n, 1) of a scalar expression of q and what follows from q."""
        scalar = ca.SX(expression)
        found = ca.gradient(scalar, self.q)
        if self.followed.numel():
            found += self.slopes.T @ ca.gradient(scalar, self.followed)
        return ca.sparsify(found)


def _solved(matrix: ca.SX, right: ca.SX) -> ca.SX:
    """Return matrix^-1 right; each follower mostly has an equation of its own."""
    if not matrix.numel():
        return ca.SX(*right.shape)
    if matrix.sparsity().is_diag():
        return ca.sparsify(right / ca.repmat(ca.diag(matrix), 1, right.size2()))
    return ca.sparsify(ca.solve(matrix, right))


def own_symbols(block: Block, outlets: tuple[str, ...], carried: np.ndarray) -> tuple[OwnSymbols, Local]:
    """Return fresh symbols for a block, and what it sees when frames are wanted at `outlets`."""
    variables = {"w": block.states(), "z": block.algebraics(), "u": block.inputs()}
    groups = {letter: ca.SX.sym(letter, len(found)) for letter, found in variables.items()}
    q, s = ca.SX.sym("q", len(block.coordinates())), ca.SX.sym("s", len(block.coordinates()))
    symbols = {c.name: symbol for c, symbol in zip(block.coordinates(), ca.vertsplit(q), strict=True)}
    for letter, found in variables.items():
        symbols |= {v.name: symbol for v, symbol in zip(found, ca.vertsplit(groups[letter]), strict=True)}
    still = Local(symbols, q, s, outlets, carried)
    followers = block.followers(still)
    names = {follower.name: ca.SX.sym(follower.name) for follower in followers}
    followed = ca.vertcat(*names.values(), ca.SX(0, 1))
    if not followers:
        return OwnSymbols(block, q, s, **groups, followed=followed, followers=()), still
    # The same again with symbols that stay out of w and z.
    still = replace(still, symbols=symbols | names)
    own = OwnSymbols(block, q, s, **groups, followed=followed, followers=block.followers(still))
    return own, replace(still, followed=followed, following=own.following)
