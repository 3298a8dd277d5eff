"""Model files: a model as YAML or JSON, and back.

    flexblocks: 1
    name: pendulum
    gravity: [0.0, -9.81, 0.0]
    blocks:
      ground: {type: Ground}
      joint: {type: Revolute}
      link: {type: FlexibleBeam, length: 0.5, ..., discretization: {type: AssumedModes, n: 2, tip: auto}}
    connections:
    - [ground.frame_b, joint.frame_a]
    - [joint.frame_b, link.frame_a]

Parameters have the names that the user gives them; those left out have their defaults. A type is the name of a class:
one of the library's, or one handed to `load`. A file can name nothing else, so reading one runs no foreign code.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import flexblocks
from flexblocks.beam.discretization import Discretization
from flexblocks.beam.properties.material import Material
from flexblocks.beam.properties.section import Section
from flexblocks.beam.properties.tip_body import TipBody
from flexblocks.errors import FileFormatError, FlexblocksError, listing, nearest
from flexblocks.interfaces.block import Block, Composite
from flexblocks.interfaces.parameters import argument_name
from flexblocks.modeling.model import Model
from flexblocks.modeling.yaml_json import read_document, write_document

FORMAT = 1
BLOCKS = (Block, Composite)
VALUES = (Discretization, TipBody, Section, Material)


def save(model: Model, path: str | Path) -> None:
    """Write `model` to a YAML (``.yaml``, ``.yml``) or JSON (``.json``) file.

    Raises
    ------
    FileFormatError
        The file cannot be written, or a block holds what a file cannot say, such as a function.
    """
    write_document(path, to_data(model, f"{path}"))


def to_data(model: Model, place: str) -> dict[str, Any]:
    """Return a model as plain data, as a file holds it; `place` is where it goes, for messages.

    Raises
    ------
    FileFormatError
        A block holds what a file cannot say.
    """
    data: dict[str, Any] = {"flexblocks": FORMAT, "name": model.name, "gravity": list(model.gravity)}
    data["blocks"] = {name: _written(f"{place}: blocks.{name}", block) for name, block in model.blocks.items()}
    data["connections"] = [[str(port) for port in ports] for ports in model.connections]
    return data


def load(path: str | Path, types: Iterable[type] = ()) -> Model:
    """Return the model that a file describes.

    Parameters
    ----------
    path : str or Path
        A ``.yaml``, ``.yml`` or ``.json`` file.
    types : iterable of type
        Blocks (and discretizations) of your own that the file names, beside those of the library.

    Raises
    ------
    FileFormatError
        The file cannot be read, or something in it is unknown, missing or out of range; the message names the place.
    """
    types = tuple(types)
    _types(types)  # refused before the file is read
    return from_data(read_document(path), f"{path}", types)


def from_data(data: Any, path: str, types: Iterable[type] = ()) -> Model:
    """Return the model that plain data describes; `path` is where it stands, for messages, the rest as in `load`."""
    known = _types(types)
    _check_keys(f"{path}", data, {"flexblocks", "name", "blocks"}, {"gravity", "connections"})
    if data["flexblocks"] != FORMAT or isinstance(data["flexblocks"], bool):
        raise FileFormatError(
            f"{path}: flexblocks = {data['flexblocks']!r}; this version reads format {FORMAT}. "
            "Save the model again with this version, or read it with the one that wrote it."
        )
    with _within(f"{path}"):
        model = Model(data["name"], **({"gravity": data["gravity"]} if "gravity" in data else {}))
    for name, entry in _kind(f"{path}: blocks", data["blocks"], Mapping, "a mapping from names to blocks").items():
        with _within(f"{path}: blocks.{name}"):
            model.add(_made(f"{path}: blocks.{name}", entry, known, BLOCKS, name=name))
    connections = _kind(f"{path}: connections", data.get("connections") or [], list, "a list of lists of ports")
    for i, ports in enumerate(connections):
        place = f"{path}: connections[{i}]"
        with _within(place):
            model.connect(*_kind(place, ports, list, "a list of ports, such as [ground.frame_b, joint1.frame_a]"))
    return model


def discretization_from_data(data: Any, place: str, types: Iterable[type] = ()) -> Discretization:
    """Return the discretization that plain data describes, as ``{type: AssumedModes, n: 2}``.

    Raises
    ------
    FileFormatError
        Something in it is unknown, missing or out of range; the message names the place.
    """
    return _made(place, data, _types(types), (Discretization,))


@contextmanager
def _within(place: str) -> Iterator[None]:
    """Say where in the file a refusal comes from."""
    try:
        yield
    except FileFormatError:
        raise
    except FlexblocksError as error:
        raise FileFormatError(f"{place}: {error}") from error


def _types(own: Iterable[type]) -> dict[str, type]:
    """Return the types a file may name: the public names of the package, and the user's."""
    known = {name: value for name, value in vars(flexblocks).items() if _is_type(value)}
    for value in own:
        if not _is_type(value):
            raise FileFormatError(f"load: types: {value!r}; must be a concrete Block, Composite or Discretization.")
        if known.setdefault(value.__name__, value) is not value:
            raise FileFormatError(f"load: types: there is another type '{value.__name__}' already; rename yours.")
    return known


def _is_type(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, (*BLOCKS, *VALUES)) and not inspect.isabstract(value)


def _written(place: str, value: Any) -> Any:
    """Return a parameter, a block or a discretization as plain data; parameters at their defaults are left out."""
    if isinstance(value, (*BLOCKS, *VALUES)):
        kind = type(value)
        if _types(()).get(kind.__name__, kind) is not kind:
            raise FileFormatError(f"{place}: there is another type '{kind.__name__}' in the library; rename yours.")
        given = {argument_name(field): getattr(value, field.name) for field in _fields(kind) if _differs(field, value)}
        return {"type": kind.__name__} | {name: _written(f"{place}.{name}", entry) for name, entry in given.items()}
    if isinstance(value, (tuple, list)):
        return [_written(place, entry) for entry in value]
    for plain in (bool, int, float, str):
        if isinstance(value, plain):
            return plain(value)
    if value is None:
        return None
    raise FileFormatError(
        f"{place} = {value!r}; cannot be written to a file, only numbers, words and lists of them can."
    )


def _differs(field: dataclasses.Field, owner: Any) -> bool:
    factory = field.default_factory
    default = factory() if factory is not dataclasses.MISSING else field.default
    return getattr(owner, field.name) != default


def _made(place: str, entry: Any, known: Mapping[str, type], wanted: tuple[type, ...], **given: Any) -> Any:
    """Return the block or value that a mapping with a `type` describes."""
    _kind(place, entry, Mapping, "a mapping with a type, such as {type: Ground}")
    names = [name for name, found in known.items() if issubclass(found, wanted)]
    word = entry.get("type")
    if word not in names:
        came = f"type = {word!r}" if "type" in entry else "has no type"
        hint = " Pass blocks of your own as load(path, types=(...))." if wanted is BLOCKS and word else ""
        raise FileFormatError(
            f"{place}: {came}; must be one of {listing(names, most=40)}.{nearest(str(word), names)}{hint}"
        )
    kind = known[word]
    fields = _fields(kind)
    required = {argument_name(field) for field in fields if _is_required(field)}
    _check_keys(place, entry, {"type"} | required, {argument_name(field) for field in fields} - required)
    values = {name: _read(f"{place}.{name}", value, known) for name, value in entry.items() if name != "type"}
    with _within(place):
        return kind(**given, **values)


def _read(place: str, value: Any, known: Mapping[str, type]) -> Any:
    if isinstance(value, Mapping):
        return _made(place, value, known, VALUES)
    return tuple(_read(place, entry, known) for entry in value) if isinstance(value, list) else value


def _fields(kind: type) -> list[dataclasses.Field]:
    """Return the parameters of a block or value; a block's name is its key."""
    named = issubclass(kind, BLOCKS)
    return [field for field in dataclasses.fields(kind) if field.init and not (named and field.name == "name")]


def _is_required(field: dataclasses.Field) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _kind(place: str, value: Any, kind: type, words: str) -> Any:
    if not isinstance(value, kind):
        raise FileFormatError(f"{place}: {value!r}; must be {words}.")
    return value


def _check_keys(place: str, entry: Any, required: set[str], optional: set[str]) -> None:
    known = sorted(required | optional)
    for name in _kind(place, entry, Mapping, f"a mapping with {listing(known)}"):
        if name not in known:
            raise FileFormatError(f"{place}: unknown key '{name}' ({listing(known)}).{nearest(str(name), known)}")
    for name in sorted(required):
        if name not in entry:
            raise FileFormatError(f"{place}: '{name}' is missing; needs {listing(sorted(required))}.")
