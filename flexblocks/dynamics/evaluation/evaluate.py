"""Evaluation of a block's physics."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from flexblocks.dynamics.evaluation.block_symbols import block_symbols
from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.evaluation.contract import check_contract
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.carried import Carried
from flexblocks.interfaces.frame import Frame
from flexblocks.interfaces.ports import Kind


def block_terms(
    block: Block,
    outlets: tuple[str, ...],
    mounted: bool,
    carried: Carried,
    p: ca.SX,
    locked: Mapping[str, float] | None = None,
    released: bool = False,
) -> BlockTerms:
    """Return the dynamic terms of a block.

    Parameters
    ----------
    block : Block
    outlets : tuple of str
        Outlets that carry another block or close a loop.
    mounted : bool
        Whether the block is in the tree of frames: its inlet is connected, or it is the ground.
    carried : Carried
        Inertia outboard of its outlets, see `Local`.
    p : SX
        Symbolic parameters of the arm; those of the block may be expressions of them.
    locked : dict, optional
        Values of the block's locked coordinates, by name.
    released : bool
        Whether held coordinates are free, for the forces that hold them; in the equations of motion they are zero.

    Raises
    ------
    ModelError
        The block's `physics` breaks the contract.
    """
    always = [spec.name for spec in block.ports if spec.kind is Kind.FRAME and spec.outlet]
    symbols, local = block_symbols(block, tuple(dict.fromkeys([*always, *outlets])), carried, locked or {}, released)
    V = ca.SX.sym("V", 6)
    inlet = Frame(ca.SX.sym("R", 3, 3), ca.SX.sym("r", 3), V[:3], V[3:], local.rate)
    physics = block.physics(inlet if mounted else None, local)
    terms = BlockTerms(symbols, inlet, local, physics, ca.vertcat(p, symbols.dependent.symbols))
    check_contract(terms)
    return terms


def evaluated_again(terms: BlockTerms) -> BlockTerms:
    """Return the terms of a block in the tree of frames on symbols of their own."""
    symbols, local = terms.symbols, terms.local
    locked = dict(zip((c.name for c in terms.coordinates), symbols.offsets.tolist(), strict=True))
    p = terms.p[: terms.p.numel() - symbols.dependent.symbols.numel()]
    return block_terms(terms.block, local.outlets, True, local.carried, p, locked)
