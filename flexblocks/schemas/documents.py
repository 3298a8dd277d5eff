"""JSON Schemas of documents: model files, and problem files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from flexblocks.beam import Discretization
from flexblocks.bodies import BodyFile, FlexibleBody
from flexblocks.interfaces import Block, Composite
from flexblocks.modeling.model_data import BLOCK_BASES, FORMAT, LIBRARY
from flexblocks.modeling.schema_reference import schema_address
from flexblocks.schemas.problem import problem_properties, problem_reference, problem_types
from flexblocks.schemas.types import type_schema, union
from flexblocks.schemas.values import ANY, Schema, array, number

DRAFT = "https://json-schema.org/draft/2020-12/schema"
# A port, as in ground.frame_b or boom1.station(4.0): names of a block and of a port of it.
PORT = r"^[A-Za-z_]\w*\.[A-Za-z_].*$"


def model_schema(types: Iterable[type] = ()) -> Schema:
    """Return the schema of model files; `types` are those of a user's own that the files name."""
    kinds = LIBRARY | {kind.__name__: kind for kind in types}
    blocks = union(kinds, BLOCK_BASES) or {}
    defined = {name: type_schema(kind, _reference(kinds), _name_of(kind)) for name, kind in kinds.items()}
    properties: Schema = {
        "$schema": {"type": "string"},
        "flexblocks": {"const": FORMAT, "description": "version of the file format"},
        "name": {"type": "string", "pattern": r"\S", "description": "name of the arm"},
        "gravity": array((3,), number(ANY)) | {"description": "acceleration of free fall in world axes [m/s2]"},
        "blocks": {
            "type": "object",
            "description": "the blocks by name",
            "propertyNames": {"pattern": r"^[A-Za-z_]\w*$"},
            "additionalProperties": {"$ref": "#/$defs/block"},
        },
        "connections": {
            "type": ["array", "null"],
            "description": "lists of the ports that are joined, as [ground.frame_b, joint1.frame_a]",
            "items": {"type": "array", "items": {"type": "string", "pattern": PORT}, "minItems": 2},
        },
    }
    required = ["flexblocks", "name", "blocks"]
    defined["block"] = blocks
    return _document("model", "flexblocks model", properties, required, defined)


def problem_schema(types: Iterable[type] = ()) -> Schema:
    """Return the schema of problem files of ``flexblocks plan``; `types` as of `model_schema`."""
    kinds = LIBRARY | {kind.__name__: kind for kind in types}
    finer = {name: kind for name, kind in kinds.items() if issubclass(kind, Discretization)}
    defined = {name: type_schema(kind, _reference(kinds)) for name, kind in (finer | _carried(kinds)).items()}
    defined |= {name: type_schema(kind, problem_reference) for name, kind in problem_types().items()}
    defined["discretization"] = union(kinds, Discretization) or {}
    properties, required = problem_properties(defined)
    return _document("problem", "flexblocks planning problem", properties, required, defined)


SCHEMAS: Mapping[str, Callable[[Iterable[type]], Schema]] = {"model": model_schema, "problem": problem_schema}


def document_schema(kind: str, types: Iterable[type] = ()) -> Schema:
    """Return the schema of files of a kind, ``"model"`` or ``"problem"``; `types` are those of a user's own."""
    return SCHEMAS[kind](tuple(types))


def text_of(schema: Schema) -> str:
    """Return a schema as the text of its file."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _document(kind: str, title: str, properties: Schema, required: list[str], defined: Schema) -> Schema:
    return {
        "$schema": DRAFT,
        "$id": schema_address(kind),
        "title": title,
        "description": "SI units and radians.",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
        "$defs": dict(sorted(defined.items())),
    }


def _reference(kinds: Mapping[str, type]) -> Callable[[type], Schema | None]:
    """Return what stands for a type in annotations: any of the types below it."""
    # A body is written as the file that it is in.
    return lambda base: union(kinds, BodyFile if base is FlexibleBody else base)


def _carried(kinds: Mapping[str, type]) -> dict[str, type]:
    """Return the values that discretisations contain."""
    return {name: kind for name, kind in kinds.items() if name == "TipBody"}


def _name_of(kind: type) -> tuple[str, ...]:
    """Return the argument that is the key in the file: the name of a block."""
    return ("name",) if issubclass(kind, (Block, Composite)) else ()
