"""Symbolic parameters: those of a model that stay symbols when it is assembled."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

import casadi as ca

from flexblocks.errors import NameUnknownError, listing, nearest
from flexblocks.interfaces import Block, Composite, Quantity
from flexblocks.interfaces.parameters import argument_name
from flexblocks.interfaces.variables import Variables, variables
from flexblocks.modeling.model import Model


def symbolic_parameters(model: Model, names: Iterable[str] | str) -> tuple[Variables, dict[str, dict[str, Any]]]:
    """Return the named parameters as variables, and their symbols by block and field.

    Raises
    ------
    NameUnknownError
        A name that is not a parameter, or not one that can be a symbol.
    """
    known = {
        f"{block}.{argument}": (block, field, quantity, value)
        for block, argument, field, quantity, value in _numbers(model)
    }
    if names == "all":
        composites = {name for name, block in model.blocks.items() if isinstance(block, Composite)}
        names = [name for name, (block, *_) in known.items() if block not in composites]
    wanted = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise NameUnknownError(
                f"assemble: symbolic = '{name}': not a number that can stay symbolic "
                f"({listing(known)}).{nearest(name, known)}"
            )
    quantities = [known[name][2] for name in wanted]
    p = variables(
        "parameter",
        [(name, quantity.unit, known[name][3]) for name, quantity in zip(wanted, quantities, strict=True)],
        ranges=[(quantity.range.low, quantity.range.high) for quantity in quantities],
    )
    values: dict[str, dict[str, Any]] = {}
    for name, symbol in zip(wanted, ca.vertsplit(p.symbol) if wanted else [], strict=True):
        block, field, _, _ = known[name]
        values.setdefault(block, {})[field] = symbol
    return p, values


def _numbers(model: Model) -> Iterator[tuple[str, str, str, Quantity, float]]:
    for block in model.blocks.values():
        yield from _numbers_of(block, block.name)


def _numbers_of(block: Block | Composite, path: str) -> Iterator[tuple[str, str, str, Quantity, float]]:
    """Yield (path, argument, field, quantity, value) of every number in a block and its parts."""
    for field in dataclasses.fields(block):
        quantity, value = field.metadata.get("quantity"), getattr(block, field.name)
        # A field with a quantity of its own kind (an inertia, a property along a beam) can stay symbolic as a number.
        if quantity and isinstance(value, float) and field.metadata.get("symbolic", True):
            yield path, argument_name(field), field.name, quantity, value
    if isinstance(block, Composite):
        for part in block.parts():
            yield from _numbers_of(part, f"{path}.{part.name}")
