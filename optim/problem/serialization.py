"""Problems as plain data, as files hold them, and back.

    {type: RestToRest, start: {joint1.angle: 0}, goal: {joint1.angle: 1.5}, duration: free,
     objective: [{type: Time}, {type: Effort, weight: 0.001}], limits: {motor1.torque: 2}}

A mapping with a type is one of the library's parts of problems by the name of its class, with its arguments; those
left out have their defaults. An objective is a word, a part, or a list of parts that are added up, each with a weight.
A file can name nothing else, so reading one runs no foreign code.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, FlexblocksError, listing, nearest

from .objectives import checked_objective
from .objectives.objective import Objective, WeightedSum
from .signals.expression import Expression

RESULTS = {"Attempt", "Audit", "Conflict", "Plan", "Replay"}  # what planning gives and no problem holds


def parts() -> dict[str, type]:
    """Return the types that a problem is made of, by name: the dataclasses that `flexblocks.optim` offers."""
    from flexblocks import optim

    found = {name: getattr(optim, name) for name in optim.__all__ if name not in RESULTS}
    return {name: kind for name, kind in found.items() if isinstance(kind, type) and dataclasses.is_dataclass(kind)}


def to_data(value: Any, place: str) -> Any:
    """Return a problem or a part of one as plain data.

    Raises
    ------
    FileFormatError
        It holds what a file cannot say, such as a function; the message names the place.
    """
    if isinstance(value, WeightedSum):
        return [{"weight": weight, **to_data(term, place)} for weight, term in value.terms]
    if dataclasses.is_dataclass(value) and type(value).__name__ in parts():
        given = {field.name: getattr(value, field.name) for field in _arguments(type(value)) if _differs(field, value)}
        return {"type": type(value).__name__} | {name: to_data(one, f"{place}.{name}") for name, one in given.items()}
    if isinstance(value, Expression) and value.parsed:
        return value.text
    if isinstance(value, Mapping):
        return {str(name): to_data(one, f"{place}.{name}") for name, one in value.items()}
    if isinstance(value, (tuple, list, np.ndarray)):
        return [to_data(one, f"{place}[{i}]") for i, one in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise FileFormatError(
        f"{place} = {value!r}; cannot be written to a file, only numbers, words and lists of them can."
    )


def from_data(data: Any, place: str) -> Any:
    """Return what plain data describes: a problem, a part of one, or the data itself.

    Raises
    ------
    FileFormatError
        Something in it is unknown, missing or refused; the message names the place.
    """
    if isinstance(data, Mapping):
        return _made(data, place) if "type" in data else {n: from_data(v, f"{place}.{n}") for n, v in data.items()}
    if isinstance(data, list):
        if data and all(isinstance(one, Mapping) and "type" in one for one in data) and _are_objectives(data):
            return _sum(data, place)
        return tuple(from_data(one, f"{place}[{i}]") for i, one in enumerate(data))
    return data


def _made(data: Mapping[str, Any], place: str) -> Any:
    known, word = parts(), data["type"]
    if word not in known:
        raise FileFormatError(
            f"{place}: type = {word!r}; must be one of {listing(known, most=40)}.{nearest(str(word), known)}"
        )
    kind = known[word]
    fields = {field.name: field for field in _arguments(kind)}
    for name in data:
        if name != "type" and name not in fields:
            raise FileFormatError(f"{place}: unknown key '{name}' ({listing(fields)}).{nearest(str(name), fields)}")
    for name, field in fields.items():
        if name not in data and _default(field) is dataclasses.MISSING:
            raise FileFormatError(f"{place}: '{name}' is missing.")
    values = {name: from_data(value, f"{place}.{name}") for name, value in data.items() if name != "type"}
    try:
        return kind(**values)
    except FlexblocksError as error:
        raise FileFormatError(f"{place}: {error}") from error


def _are_objectives(data: list[Mapping[str, Any]]) -> bool:
    known = parts()
    return all(issubclass(known.get(one["type"], object), Objective) for one in data)


def _sum(data: list[Mapping[str, Any]], place: str) -> Objective:
    """Return the weighted sum of a list of objectives."""
    terms = []
    for i, one in enumerate(data):
        where = f"{place}[{i}]"
        term = _made({name: value for name, value in one.items() if name != "weight"}, where)
        try:
            terms.append(one.get("weight", 1.0) * checked_objective(term))
        except (FlexblocksError, TypeError) as error:
            raise FileFormatError(f"{where}: {error}") from error
    return sum(terms[1:], terms[0])


def _arguments(kind: Any) -> list[dataclasses.Field]:
    return [field for field in dataclasses.fields(kind) if field.init]


def _default(field: dataclasses.Field) -> Any:
    return field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default


def _differs(field: dataclasses.Field, owner: Any) -> bool:
    default = _default(field)
    return default is dataclasses.MISSING or getattr(owner, field.name) != default
