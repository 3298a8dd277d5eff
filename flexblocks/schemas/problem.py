"""JSON Schema of planning problems: what `flexblocks plan` reads."""

from __future__ import annotations

from typing import Any

from flexblocks.optim.collocation.transcription_options import TranscriptionOptions
from flexblocks.optim.problem.objectives.objective import Objective
from flexblocks.optim.problem.path_constraints.path_constraint import PathConstraint
from flexblocks.optim.problem.serialization import TYPES
from flexblocks.schemas.types import type_schema, union
from flexblocks.schemas.values import DEGREES, Schema, either

WORDS = {"type": "string"}
NUMBER = {"type": "number"}
NUMBERS = {"type": ["object", "null"], "additionalProperties": NUMBER}
# A number, or an angle in degrees.
VALUE = either([NUMBER, DEGREES])
LIMIT = either([VALUE, {"type": "array", "items": either([VALUE, {"type": "null"}]), "minItems": 2, "maxItems": 2}])
# A number [s], the range in which it is free, or free.
DURATION = either([NUMBER, {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}, {"const": "free"}])
PHASES = ("Problem", "RestToRest")


def problem_types() -> dict[str, type]:
    """Return the types that a problem file may name."""
    return dict(TYPES)


def problem_reference(base: type) -> Schema | None:
    """Return what stands for a type in annotations of problems."""
    return union(TYPES, base)


def problem_properties(defined: dict[str, Schema]) -> tuple[dict[str, Schema], list[str]]:
    """Return the keys of a problem file, and those that are required; completes what is `defined`."""
    _complete(defined)
    options = type_schema(TranscriptionOptions, problem_reference)
    options["properties"].pop("type")
    finer: Schema = {
        "if": {"required": ["type"]},
        "then": {"$ref": "#/$defs/discretization"},
        "else": {"type": "object", "additionalProperties": {"$ref": "#/$defs/discretization"}},
    }
    asked = {"finer": finer, "refine": {"type": "boolean"}}
    audit: Schema = {"type": "object", "properties": asked, "additionalProperties": False}
    outputs = {"plan": r"\.(nc|csv)$", "picture": r"\.(png|pdf|svg)$"}
    properties: dict[str, Schema] = {
        "$schema": WORDS,
        "model": WORDS | {"description": "a model file beside this one, or a name from `flexblocks models`"},
        "settings": {"type": ["object", "null"], "description": "arguments of a catalogue model"},
        "parameters": NUMBERS | {"description": "values of parameters other than the model's"},
        "locked": NUMBERS
        | {"additionalProperties": VALUE}
        | {"description": "coordinates that are held at numbers, by name"},
        "prescribed": {
            "type": ["string", "array", "null"],
            "items": WORDS,
            "description": "coordinates whose accelerations are inputs, besides those of known motion",
        },
        # Without a type it is from rest to rest.
        "problem": {"if": {"required": ["type"]}, "then": union(TYPES, _kinds(PHASES)), "else": _untyped(defined)},
        "transcription": options | {"type": ["object", "null"], "required": []},
        "refine": {
            "type": ["boolean", "number"],
            "description": "refine the mesh; or the greatest miss allowed [m]",
        },
        "guess": {
            "type": ["string", "null"],
            "pattern": r"\.(nc|csv)$",
            "description": "a plan or motion beside this file, from which the solver starts",
        },
        "time_limit": {
            "type": ["number", "null"],
            "exclusiveMinimum": 0,
            "description": "seconds of wall time after which planning ends",
        },
        "outputs": {
            "type": ["string", "array", "null"],
            "items": WORDS,
            "description": "further outputs, the motion of frames",
        },
        "audit": either([{"type": ["boolean", "null"]}, audit]),
        "output": {
            "type": ["object", "null"],
            "properties": {key: {"type": ["string", "null"], "pattern": pattern} for key, pattern in outputs.items()},
            "additionalProperties": False,
        },
    }
    return properties, ["model", "problem"]


def _complete(defined: dict[str, Schema]) -> None:
    """State what the annotations of problems leave open: objectives, paths, durations, limits, poses."""
    # A number by the name of a coordinate or its rate, a pose or a course by that of a frame.
    pose = union(TYPES, _kinds(("Pose", "Course"))) or {}
    values: Schema = {
        "type": "object",
        "additionalProperties": {"if": {"type": "object"}, "then": pose, "else": VALUE},
    }
    terms, constraints = union(TYPES, Objective) or {}, union(TYPES, PathConstraint) or {}
    stated: dict[str, Schema] = {
        "objective": either([{"enum": ["effort", "time", "vibration"]}, terms, {"type": "array", "items": terms}]),
        "path": either([constraints, {"type": "array", "items": constraints}]),
        "limits": {"type": "object", "additionalProperties": LIMIT},
        "duration": either([DURATION, {"type": "null"}]),
        "start": values,
        "goal": either([values, {"type": "null"}]),
        "passing": either([values, {"type": "null"}]),
        "prescribed": {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
    }
    for name, of_type in defined.items():
        if name in (*PHASES, "Phase"):
            known = of_type["properties"]
            known |= {key: known[key] | schema for key, schema in stated.items() if key in known}
        elif name in TYPES and issubclass(TYPES[name], Objective):
            of_type["properties"].setdefault("weight", NUMBER)  # of a term in a sum


def _untyped(defined: dict[str, Schema]) -> Schema:
    """Return the schema of a problem from rest to rest whose type is left out."""
    full = defined["RestToRest"]
    properties: dict[str, Any] = {name: part for name, part in full["properties"].items() if name != "type"}
    return full | {"properties": properties, "required": [name for name in full["required"] if name != "type"]}


def _kinds(names: tuple[str, ...]) -> tuple[type, ...]:
    return tuple(TYPES[name] for name in names)
