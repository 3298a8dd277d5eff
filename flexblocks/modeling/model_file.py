"""Model files: a model as YAML or JSON.

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

Parameters are named as in Python; those left out have their defaults. A type is the name of a class: one of the
library's, or one passed to `flexblocks.load`. A file can name nothing else, so reading one runs no foreign code.
Angles are in radians, or text such as ``90deg``.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from flexblocks.beam import Discretization
from flexblocks.errors import FileFormatError
from flexblocks.files import expanded, seen_from
from flexblocks.modeling.dataclass_data import Refusals, check_keys, checked_kind, located, read_dataclass
from flexblocks.modeling.model import Model
from flexblocks.modeling.model_data import BLOCK_BASES, FORMAT, IN_FILES, LIBRARY, VALUE_BASES
from flexblocks.modeling.yaml_json import read_document


def load_model(path: str | Path, types: Iterable[type] = ()) -> Model:
    """Return the model that a file describes.

    Parameters
    ----------
    path : str or Path
        A ``.yaml``, ``.yml`` or ``.json`` file.
    types : iterable of type
        Blocks, discretisations and sections of your own that the file names, beside those of the library.

    Raises
    ------
    FileFormatError
        The file cannot be read, or something in it is unknown, missing or out of range; the message says where.
    """
    types = tuple(types)
    known_types(types)  # refused before the file is read
    return from_data(read_document(path), f"{path}", types, expanded(path).parent)


def from_data(data: Any, path: str, types: Iterable[type] = (), folder: Path | None = None) -> Model:
    """Return the model that plain data describes; `path` is its origin, for messages; else as `load_model`.

    Relative paths of files that it names are relative to `folder`.
    """
    known = known_types(types)
    check_keys(data, f"{path}", {"flexblocks", "name", "blocks"}, {"gravity", "connections"})
    if data["flexblocks"] != FORMAT or isinstance(data["flexblocks"], bool):
        raise FileFormatError(
            f"{path}: flexblocks = {data['flexblocks']!r}; this version reads format {FORMAT}. "
            "Save the model again with this version, or read it with the one that wrote it."
        )
    with located(f"{path}"):
        model = Model(data["name"], **({"gravity": data["gravity"]} if "gravity" in data else {}))
    blocks = checked_kind(data["blocks"], f"{path}: blocks", Mapping, "a mapping from names to blocks")
    refusals = Refusals()
    for name, entry in blocks.items():
        with refusals.collected(), located(f"{path}: blocks.{name}"):
            model.add(_read_block(entry, f"{path}: blocks.{name}", known, name, folder))
    connections = checked_kind(data.get("connections") or [], f"{path}: connections", list, "a list of lists of ports")
    refused = blocks.keys() - model.blocks.keys()  # of these nothing else is reported
    for i, ports in enumerate(connections):
        place = f"{path}: connections[{i}]"
        with refusals.collected(), located(place):
            words = "a list of ports, such as [ground.frame_b, joint1.frame_a]"
            checked_kind(ports, place, list, words)
            if not any(str(port).partition(".")[0] in refused for port in ports):
                model.connect(*ports)
    refusals.refuse()
    return model


def discretization_from_data(data: Any, place: str, types: Iterable[type] = ()) -> Discretization:
    """Return the discretisation that plain data describes, as ``{type: AssumedModes, n: 2}``.

    Raises
    ------
    FileFormatError
        Something in it is unknown, missing or out of range; the message says where.
    """
    known = known_types(types)
    kinds = _derived(known, (Discretization,))
    return read_dataclass(data, place, kinds, lambda value, where: _read_value(value, where, known))


def known_types(of_user: Iterable[type]) -> dict[str, type]:
    """Return the types a file may name, by name: those of the library's registers, and the user's.

    Raises
    ------
    FileFormatError
        One of the user's is no concrete block, composite, discretisation or section, or has the name of another.
    """
    known = dict(LIBRARY)
    for kind in of_user:
        if not isinstance(kind, type) or not issubclass(kind, (*BLOCK_BASES, *VALUE_BASES)) or inspect.isabstract(kind):
            raise FileFormatError(
                f"load: types: {kind!r}; must be a concrete Block, Composite, Discretization or Section."
            )
        if known.setdefault(kind.__name__, kind) is not kind:
            raise FileFormatError(f"load: types: there is another type '{kind.__name__}' already; rename yours.")
    return known


def _derived(known: Mapping[str, type], bases: tuple[type, ...]) -> dict[str, type]:
    return {name: kind for name, kind in known.items() if issubclass(kind, bases)}


def _read_block(data: Any, place: str, known: Mapping[str, type], name: str, folder: Path | None) -> Any:
    return read_dataclass(
        data,
        place,
        _derived(known, BLOCK_BASES),
        lambda value, where: _read_value(value, where, known, folder),
        preset={"name": name},
        hint=" Pass blocks of your own as load(path, types=(...)), on the command line by --import FILE.py.",
    )


def _read_value(value: Any, place: str, known: Mapping[str, type], folder: Path | None = None) -> Any:
    """Return a parameter: every mapping is a value with a type, every list a tuple."""

    def read(inner: Any, where: str) -> Any:
        return _read_value(inner, where, known, folder)

    if isinstance(value, Mapping):
        made = read_dataclass(value, place, _derived(known, VALUE_BASES), read)
        return made.with_files(lambda path: seen_from(path, folder)) if isinstance(made, IN_FILES) else made
    if isinstance(value, list):
        return tuple(read(entry, f"{place}[{i}]") for i, entry in enumerate(value))
    return value
