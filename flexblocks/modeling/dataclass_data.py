"""Serialisation of dataclasses to plain data and back, shared by model files and problem files.

    {type: FlexibleBeam, length: 0.5, discretization: {type: AssumedModes, n: 2}}

A mapping with a `type` is a dataclass by the name of its class, with its arguments; those at their defaults are left
out. What else a document may contain is up to its module: each function takes a callable that writes or reads the
values inside.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from flexblocks.errors import FileFormatError, FlexblocksError, listing, meant, suggestion
from flexblocks.interfaces.parameters import argument_name
from flexblocks.modeling.degrees import in_radians

# (value, place) -> value; the place is its position in the document, for messages.
Conversion = Callable[[Any, str], Any]
# Types listed in a message: more than there are, so that none is left out.
MOST = 40


def write_dataclass(value: Any, place: str, write: Conversion, omit: Collection[str] = ()) -> dict[str, Any]:
    """Return a dataclass as a mapping with a type; arguments at their defaults, and those in `omit`, are left out."""
    fields = _arguments(type(value), omit)
    entries = {name: getattr(value, field.name) for name, field in fields.items() if _differs(field, value)}
    return {"type": type(value).__name__} | {name: write(entry, f"{place}.{name}") for name, entry in entries.items()}


def write_plain(value: Any, place: str, write: Conversion) -> Any:
    """Return a number, a string, a mapping or a sequence, of NumPy too, as plain data.

    Raises
    ------
    FileFormatError
        It is something else, such as a function.
    """
    if isinstance(value, Mapping):
        return {str(name): write(entry, f"{place}.{name}") for name, entry in value.items()}
    if isinstance(value, (tuple, list, np.ndarray)):
        return [write(entry, f"{place}[{i}]") for i, entry in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    for plain in (bool, int, float, str):
        if isinstance(value, plain):
            return plain(value)
    if value is None:
        return None
    raise FileFormatError(
        f"{place} = {value!r}; cannot be written to a file; must be a number, a string, or a list or mapping of these."
    )


def read_dataclass(
    data: Any,
    place: str,
    types: Mapping[str, type],
    read: Conversion,
    preset: Mapping[str, Any] | None = None,
    hint: str = "",
) -> Any:
    """Return the dataclass that a mapping with a type describes.

    Parameters
    ----------
    data : mapping
    place : str
        Its position in the document, for messages.
    types : dict of type
        The dataclasses that are allowed there, by name.
    read : callable
        Reads the values of its arguments.
    preset : dict, optional
        Arguments that are known already, and are not keys.
    hint : str
        Further advice about an unknown type.

    Raises
    ------
    FileFormatError
        An unknown type or key, a key that is missing, or values that the dataclass refuses.
    """
    preset = preset or {}
    checked_kind(data, place, Mapping, "a mapping with a type, such as {type: Ground}")
    word = data.get("type")
    if not isinstance(word, str) or word not in types:
        came = f"type = {word!r}" if "type" in data else "has no type"
        told = f"must be one of {listing(sorted(types), most=MOST)}.{hint if 'type' in data else ''}"
        raise FileFormatError(f"{place}: {came}{meant(word, types if 'type' in data else (), told)}")
    fields = _arguments(types[word], preset)
    required = {name for name, field in fields.items() if _default(field) is dataclasses.MISSING}
    refusals, values = Refusals(), dict(preset)
    with refusals.collected():
        check_keys(data, place, {"type"} | required, set(fields) - required)
    for name in [name for name in fields if name in data]:
        with refusals.collected():
            quantity = fields[name].metadata.get("quantity")
            value = in_radians(data[name], f"{place}.{name}", quantity.unit if quantity else None)
            values[name] = read(value, f"{place}.{name}")
    refusals.refuse()
    with located(place):
        return types[word](**values)


class Refusals:
    """Errors of a document, all reported at once."""

    def __init__(self) -> None:
        self._told: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._told)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep a refusal for later; what comes after it goes on."""
        try:
            yield
        except FileFormatError as error:
            self._told += str(error).split("\n")

    def refuse(self) -> None:
        """Raise what was collected, a line each.

        Raises
        ------
        FileFormatError
        """
        if self._told:
            raise FileFormatError("\n".join(self._told))


def check_keys(data: Any, place: str, required: set[str], optional: set[str]) -> None:
    """Refuse what is not a mapping, has unknown keys, or lacks required ones."""
    known = sorted(required | optional)
    content = [name for name in known if not name.startswith("$")]  # a schema's address is for editors
    keys = checked_kind(data, place, Mapping, f"a mapping with {listing(content)}")
    told = [
        f"{place}: unknown key '{name}'{suggestion(name, known, listed=content)}" for name in keys if name not in known
    ]
    told += [
        f"{place}: '{name}' is missing; needs {listing(sorted(required))}."
        for name in sorted(required)
        if name not in keys
    ]
    if told:
        raise FileFormatError("\n".join(told))


def checked_kind(value: Any, place: str, kind: type, words: str) -> Any:
    """Return a value if it is of this kind; else refuse it, saying in `words` what it must be."""
    if not isinstance(value, kind):
        raise FileFormatError(f"{place}: {value!r}; must be {words}.")
    return value


@contextmanager
def located(place: str) -> Iterator[None]:
    """Prefix a refusal with its position in the document, once."""
    try:
        yield
    except FileFormatError:
        raise
    except FlexblocksError as error:
        raise FileFormatError("\n".join(f"{place}: {line}" for line in str(error).split("\n"))) from None


def _arguments(kind: Any, omit: Collection[str]) -> dict[str, dataclasses.Field]:
    """Return the fields that a user sets, by their argument names."""
    return {argument_name(f): f for f in dataclasses.fields(kind) if f.init and f.name not in omit}


def _default(field: dataclasses.Field) -> Any:
    return field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default


def _differs(field: dataclasses.Field, owner: Any) -> bool:
    default = _default(field)
    return default is dataclasses.MISSING or getattr(owner, field.name) != default
