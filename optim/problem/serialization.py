"""Serialisation of problems to plain data and back.

    {type: RestToRest, start: {joint1.angle: 0}, goal: {joint1.angle: 1.5}, duration: free,
     objective: [{type: Time}, {type: Effort, weight: 0.001}], limits: {motor1.torque: 2}}

A mapping with a type is an object of the library: the name of its class with its arguments, omitted ones at their
defaults. An objective is a name, an object, or a list of objects, each with a weight, that are summed. Files can refer
to nothing else, so reading one runs no foreign code.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from flexblocks.errors import FileFormatError, FlexblocksError
from flexblocks.modeling.dataclass_data import read_dataclass, write_dataclass, write_plain
from flexblocks.modeling.degrees import in_radians

from .objectives import checked_objective
from .objectives.objective import Objective, WeightedSum
from .problem_types import PROBLEM_TYPES
from .signals.expression import Expression

TYPES: dict[str, type] = {kind.__name__: kind for kind in PROBLEM_TYPES}


def to_data(value: Any, place: str) -> Any:
    """Return a problem or a part of one as plain data.

    Raises
    ------
    FileFormatError
        It contains a value that cannot be serialised, such as a function; the message names the place.
    """
    if isinstance(value, WeightedSum):
        return [{"weight": weight, **to_data(term, place)} for weight, term in value.terms]
    if dataclasses.is_dataclass(value) and type(value).__name__ in TYPES:
        return write_dataclass(value, place, to_data)
    if isinstance(value, Expression) and value.parsed:
        return value.text
    return write_plain(value, place, to_data)


def from_data(data: Any, place: str) -> Any:
    """Return what plain data describes: a problem, a part of one, or the data itself.

    Raises
    ------
    FileFormatError
        It contains something unknown, incomplete or invalid; the message names the place.
    """
    if isinstance(data, Mapping):
        if "type" in data:
            return read_dataclass(data, place, TYPES, from_data)
        return {name: from_data(value, f"{place}.{name}") for name, value in data.items()}
    if isinstance(data, list):
        if data and all(isinstance(one, Mapping) and "type" in one for one in data) and _are_objectives(data):
            return _sum(data, place)
        return tuple(from_data(one, f"{place}[{i}]") for i, one in enumerate(data))
    return in_radians(data, place, None)


def _are_objectives(data: list[Mapping[str, Any]]) -> bool:
    return all(issubclass(TYPES.get(str(one["type"]), object), Objective) for one in data)


def _sum(data: list[Mapping[str, Any]], place: str) -> Objective:
    """Return the weighted sum of a list of objectives."""
    terms = []
    for i, one in enumerate(data):
        where = f"{place}[{i}]"
        term = read_dataclass({name: value for name, value in one.items() if name != "weight"}, where, TYPES, from_data)
        try:
            terms.append(one.get("weight", 1.0) * checked_objective(term))
        except (FlexblocksError, TypeError) as error:
            raise FileFormatError(f"{where}: {error}") from None
    return sum(terms[1:], terms[0])
