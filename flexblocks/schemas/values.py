"""JSON Schemas of parameter values: quantities with their range and shape, choices, and annotated arguments."""

from __future__ import annotations

import collections.abc
import math
import types
import typing
from collections.abc import Callable
from typing import Any

from flexblocks.beam.properties.distributed_parameter import DistributedQuantity
from flexblocks.blocks.bodies.rigid_inertia import Inertia
from flexblocks.blocks.joints.orientation import Orientation
from flexblocks.interfaces import ANY, NONZERO, NOT_NEGATIVE, POSITIVE, Quantity, Range
from flexblocks.modeling.degrees import PATTERN, is_angular
from flexblocks.shapes.mesh import Scale
from flexblocks.shapes.shape import HEX, Attitude, Color

Schema = dict[str, Any]
DEGREES: Schema = {"type": "string", "pattern": f"^{PATTERN}$"}
# Name of a base class or a type -> schema of what may stand for it.
Reference = Callable[[type], Schema | None]
PLAIN: dict[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    type(None): {"type": "null"},
}


def quantity_schema(quantity: Quantity, sections: Schema) -> Schema:
    """Return the schema of a physical quantity; `sections` is that of cross-sections, for those along a beam."""
    if isinstance(quantity, DistributedQuantity):
        options = _distributed(quantity, sections)
    elif isinstance(quantity, (Attitude, Orientation)):
        options = [array((3,), entry(quantity)), array((3, 3), number(ANY))]
    elif isinstance(quantity, Inertia):
        options = [number(quantity.range), array((3,), number(quantity.range)), array((3, 3), number(ANY))]
    elif isinstance(quantity, Scale):
        options = [number(quantity.range), array((3,), number(quantity.range))]
    elif isinstance(quantity, Color):
        share = {"type": "number", "minimum": 0, "maximum": 1}
        options = [
            {"type": "array", "items": share, "minItems": 3, "maxItems": 4},
            {"type": "string", "pattern": f"^{HEX.pattern}$"},
        ]
    else:
        options = [array(quantity.shape, entry(quantity))]
    return either([*options, *([{"type": "null"}] if quantity.optional else [])])


def entry(quantity: Quantity) -> Schema:
    """Return the schema of a number of a quantity; of angles it may be text, in degrees."""
    return either([number(quantity.range), *([DEGREES] if is_angular(quantity.unit) else [])])


def number(allowed: Range) -> Schema:
    """Return the schema of a number in a range."""
    if allowed is POSITIVE:
        return {"type": "number", "exclusiveMinimum": 0}
    if allowed is NONZERO:
        return {"type": "number", "not": {"const": 0}}
    bounds = {"minimum": allowed.low, "maximum": allowed.high}
    return {"type": "number"} | {name: bound for name, bound in bounds.items() if math.isfinite(bound)}


def array(shape: tuple[int, ...], item: Schema) -> Schema:
    """Return the schema of nested lists of a shape."""
    for size in reversed(shape):
        item = {"type": "array", "items": item, "minItems": size, "maxItems": size}
    return item


def either(options: list[Schema]) -> Schema:
    """Return the schema of one of several, each once; of plain types as a list of them."""
    once = [option for i, option in enumerate(options) if option not in options[:i]]
    if {} in once:
        return {}
    if all(option.keys() == {"type"} and isinstance(option["type"], str) for option in once) and len(once) > 1:
        return {"type": [option["type"] for option in once]}
    return once[0] if len(once) == 1 else {"anyOf": once}


def annotation_schema(hint: Any, reference: Reference) -> Schema:
    """Return the schema of an annotated argument; empty, anything, where its annotation says nothing."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin in (typing.Union, types.UnionType):
        # A function cannot be written in a file.
        written = [one for one in inside if typing.get_origin(one) is not collections.abc.Callable]
        return either([annotation_schema(one, reference) for one in written])
    if origin is collections.abc.Mapping:
        return {"type": "object", "additionalProperties": annotation_schema(inside[1], reference)}
    if origin is tuple and not (len(inside) == 2 and inside[1] is Ellipsis):
        items = [annotation_schema(one, reference) for one in inside]
        if all(item == items[0] for item in items):
            return array((len(items),), items[0])
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if origin in (tuple, collections.abc.Sequence):
        item = annotation_schema(inside[0], reference)
        return {"type": "array"} | ({"items": item} if item else {})
    return (reference(hint) if isinstance(hint, type) else None) or {}


def _distributed(quantity: DistributedQuantity, sections: Schema) -> list[Schema]:
    """Return what a parameter along a beam may be: a value, a table of (x, value), a word."""
    # At the tip a beam may end in a point; which row is the tip depends on the table.
    least = NOT_NEGATIVE if quantity.range is POSITIVE else quantity.range
    value, there = (number(quantity.range), number(least)) if quantity.unit else (sections, sections)
    row = {"type": "array", "prefixItems": [number(NOT_NEGATIVE), there], "minItems": 2, "maxItems": 2}
    table = {"type": "array", "items": row, "minItems": 2}
    tables = [] if quantity.uniform else [table]
    return [value, *tables, *([{"const": quantity.word}] if quantity.word else [])]
