"""Kinds of blocks: blocks that differ in their names alone have the same physics, and are evaluated once."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping
from typing import Any

import casadi as ca

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.evaluation.evaluate import block_terms
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.carried import Carried


class BlockKinds:
    """Dynamic terms of the blocks of one arm, evaluated once for all blocks of one kind.

    Blocks are of one kind if they are of the same class of this library, with the same parameters (numbers or symbols),
    outlets and locked coordinates, and with the same inertia outboard if their physics uses it. Blocks of other
    packages may use their names, and those with dependent variables have states of their own among their symbols: each
    of them is a kind by itself.

    Parameters
    ----------
    p : SX
        Symbolic parameters of the arm.
    """

    def __init__(self, p: ca.SX) -> None:
        self.p = p
        self._indifferent: dict[Hashable, BlockTerms] = {}
        self._by_load: dict[Hashable, BlockTerms] = {}

    def terms(
        self,
        block: Block,
        outlets: tuple[str, ...],
        mounted: bool,
        carried: Carried,
        locked: Mapping[str, float],
    ) -> BlockTerms:
        """Return the dynamic terms of a block; arguments as for `block_terms`."""
        kind = (_kind(block), outlets, mounted, tuple(sorted(locked.items())))
        loaded = (kind, carried.key)
        terms = self._indifferent.get(kind) or self._by_load.get(loaded)
        if terms is None:
            terms = block_terms(block, outlets, mounted, carried, self.p, locked)
            if len(terms.symbols.dependent):
                return terms
            if terms.local.asked:
                self._by_load[loaded] = terms
            else:
                self._indifferent[kind] = terms
        return terms


def _kind(block: Block) -> Hashable:
    """Return what two blocks have in common if they differ in their names alone."""
    if not _is_of_this_library(block):
        return id(block)
    return _value(block), None if block.nominal is block else _value(block.nominal)


def _value(value: Any) -> Hashable:
    """Return the value of a parameter as something that can be compared and hashed; by identity if need be."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return type(value), value
    if isinstance(value, tuple):
        return tuple(_value(each) for each in value)
    if isinstance(value, ca.SX):
        return value.shape, tuple((place, value.nz[i].element_hash()) for i, place in enumerate(_places(value)))
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and _is_of_this_library(value):
        names = (field.name for field in dataclasses.fields(value))
        return type(value), tuple(_value(getattr(value, name)) for name in names if not _is_name(value, name))
    return id(value)


def _places(value: ca.SX) -> list[tuple[int, int]]:
    return list(zip(*value.sparsity().get_triplet(), strict=True))


def _is_name(value: Any, field: str) -> bool:
    return field == "name" and isinstance(value, Block)


def _is_of_this_library(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "flexblocks"
