"""Writing models: as plain data and to files; `model_file` describes the format and reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flexblocks.beam import VALUES, Discretization, Material, Section, TipBody
from flexblocks.blocks import ALL_BLOCKS
from flexblocks.bodies import BodyFile, FlexibleBody
from flexblocks.bodies.body_file import file_of
from flexblocks.errors import FileFormatError
from flexblocks.files import expanded, relative_to
from flexblocks.interfaces import Block, Composite
from flexblocks.modeling.arm_graph import ArmGraph
from flexblocks.modeling.dataclass_data import write_dataclass, write_plain
from flexblocks.modeling.schema_reference import schema_address
from flexblocks.modeling.yaml_json import write_document
from flexblocks.shapes import SHAPES, Shape

FORMAT = 1
# Bases of the types that a file may name, of the library and of a user: blocks, and values of their parameters.
BLOCK_BASES = (Block, Composite)
VALUE_BASES = (Discretization, Section, Material, TipBody, Shape, BodyFile)
# Of these, those that name files.
IN_FILES = (Shape, BodyFile)
LIBRARY: dict[str, type] = {kind.__name__: kind for kind in (*ALL_BLOCKS, *VALUES, *SHAPES, BodyFile)}


def save(model: ArmGraph, path: str | Path) -> None:
    """Write a model to a YAML (``.yaml``, ``.yml``) or JSON (``.json``) file.

    Raises
    ------
    FileFormatError
        The file cannot be written, or a block contains a value that cannot be serialised, such as a function.
    """
    write_document(path, to_data(model, f"{path}", expanded(path).parent), schema_address("model"))


def to_data(model: ArmGraph, place: str, folder: Path | None = None) -> dict[str, Any]:
    """Return a model as plain data, as a file holds it; `place` is its destination, for messages.

    Paths of files that the model names are written relative to `folder`; absolute without one.

    Raises
    ------
    FileFormatError
        A block contains a value that cannot be serialised.
    """
    data: dict[str, Any] = {"flexblocks": FORMAT, "name": model.name, "gravity": list(model.gravity)}
    data["blocks"] = {name: _written(block, f"{place}: blocks.{name}", folder) for name, block in model.blocks.items()}
    data["connections"] = [[str(port) for port in ports] for ports in model.connections]
    return data


def _written(value: Any, place: str, folder: Path | None) -> Any:
    """Return a parameter, a block or a value such as a discretisation as plain data."""

    def write(inner: Any, where: str) -> Any:
        return _written(inner, where, folder)

    if isinstance(value, FlexibleBody):
        value = file_of(value, place)
    if not isinstance(value, (*BLOCK_BASES, *VALUE_BASES)):
        return write_plain(value, place, write)
    kind = type(value)
    if LIBRARY.get(kind.__name__, kind) is not kind:
        raise FileFormatError(f"{place}: the library has another type '{kind.__name__}'; rename yours.")
    if isinstance(value, IN_FILES):
        value = value.with_files(lambda path: relative_to(path, folder))
    # A block's name is its key.
    return write_dataclass(value, place, write, omit=("name",) if isinstance(value, BLOCK_BASES) else ())
