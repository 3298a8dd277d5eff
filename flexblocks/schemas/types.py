"""JSON Schemas of the types that a file may name: blocks, discretisations, sections, problems and their parts."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import typing
from collections.abc import Collection, Mapping
from typing import Any

from flexblocks.beam import Section
from flexblocks.interfaces.parameters import argument_name
from flexblocks.schemas.values import Reference, Schema, annotation_schema, quantity_schema

# A parameter in a docstring of numpydoc: "length : float" or "x, y : float", and its indented lines.
PARAMETER = re.compile(r"^(\w+(?:, \w+)*) : .*$((?:\n(?: {4}.*|))*)", re.MULTILINE)


def union(kinds: Mapping[str, type], bases: type | tuple[type, ...]) -> Schema | None:
    """Return the schema of an object of any of the types below some bases; None if there are none.

    By its `type`, so that an editor reports what is wrong with that type, not that none of forty fits.
    """
    names = sorted(name for name, kind in kinds.items() if issubclass(kind, bases))
    if not names:
        return None
    branches = [
        {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": {"$ref": f"#/$defs/{name}"}}
        for name in names
    ]
    return {"type": "object", "required": ["type"], "properties": {"type": {"enum": names}}, "allOf": branches}


def type_schema(kind: Any, reference: Reference, omit: Collection[str] = ()) -> Schema:
    """Return the schema of a type: its arguments with units, ranges and defaults; those in `omit` are left out."""
    told = _told(kind)
    properties: dict[str, Schema] = {"type": {"const": kind.__name__}}
    required = ["type"]
    hints = _hints(kind)
    for field in dataclasses.fields(kind):
        if not field.init or field.name in omit:
            continue
        name = argument_name(field)
        schema = _field_schema(field, hints.get(field.name, Any), reference)
        properties[name] = schema | _described(field, told.get(name, ""))
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            required.append(name)
    first = (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")
    return {
        "description": _plain(first),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _field_schema(field: dataclasses.Field, hint: Any, reference: Reference) -> Schema:
    if "quantity" in field.metadata:
        return quantity_schema(field.metadata["quantity"], reference(Section) or {})
    if "choice" in field.metadata:
        return {"enum": list(field.metadata["choice"])}
    return annotation_schema(hint, reference)


def _described(field: dataclasses.Field, text: str) -> Schema:
    """Return what is reported of an argument under the pointer: its text, its unit and range, its default."""
    quantity = field.metadata.get("quantity")
    unit = f"[{quantity.unit}]" if quantity is not None and quantity.unit not in ("", "1") else ""
    unit = "" if unit in text else unit
    described = ". ".join(part.rstrip(".") for part in (text, unit) if part)
    default = field.default
    known = isinstance(default, (bool, int, float, str)) or (
        isinstance(default, tuple) and all(isinstance(one, (int, float)) for one in default)
    )
    said: Schema = {"description": described} if described else {}
    return said | ({"default": list(default) if isinstance(default, tuple) else default} if known else {})


def _told(kind: type) -> dict[str, str]:
    """Return what the docstring of a class and those of its bases say of each parameter."""
    told: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        for names, lines in PARAMETER.findall(inspect.cleandoc(base.__doc__ or "")):
            text = " ".join(lines.split())
            told |= {name: _plain(text) for name in names.split(", ") if text}
    return told


def _plain(text: str) -> str:
    return text.replace("`", "")


def _hints(kind: type) -> dict[str, Any]:
    """Return the annotations of a dataclass; those that cannot be evaluated, as of another module, are left out."""
    hints: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        space = vars(sys.modules[base.__module__])
        for name, hint in inspect.get_annotations(base).items():
            try:
                hints[name] = eval(hint, dict(space)) if isinstance(hint, str) else hint  # the class's own source
            except NameError:
                hints[name] = typing.Any
    return hints
