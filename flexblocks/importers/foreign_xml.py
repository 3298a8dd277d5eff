"""XML of unknown origin: no document types and entities, limited in size and depth."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from flexblocks.errors import FileFormatError
from flexblocks.files import readable_file

LARGEST = 64 * 2**20  # bytes; the longest of known robots have two millions
DEEPEST = 200  # elements within elements


def read_xml(path: str | Path) -> ET.Element:
    """Return the root element of a file.

    Raises
    ------
    FileFormatError
        There is no such file, it is too large, no XML, or declares a document type or entities.
    """
    file = readable_file(path)
    size = file.stat().st_size
    if size > LARGEST:
        raise FileFormatError(f"{path}: {size} bytes; must be at most {LARGEST}.")
    builder, depth = ET.TreeBuilder(), 0

    def begun(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise FileFormatError(f"{path}: elements lie more than {DEEPEST} deep; must be fewer.")
        builder.start(name, attributes)

    def ended(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def refused(*_: Any) -> None:
        raise FileFormatError(
            f"{path}: declares a document type, which may hold entities; must be plain XML. Delete <!DOCTYPE ...>."
        )

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = begun, ended
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refused
    try:
        parser.Parse(file.read_bytes(), True)
    except (expat.ExpatError, ValueError, LookupError) as error:  # LookupError: an unknown encoding
        raise FileFormatError(f"{path}: no XML: {error}.") from None
    return builder.close()


def number(where: str, element: ET.Element | None, attribute: str, default: float | None = None) -> float:
    """Return an attribute as a number; without `default` it must be there.

    Raises
    ------
    FileFormatError
        It is missing, or no finite number.
    """
    return float(numbers(where, element, attribute, None if default is None else (default,), 1)[0])


def numbers(
    where: str, element: ET.Element | None, attribute: str, default: tuple[float, ...] | None, count: int = 3
) -> np.ndarray:
    """Return an attribute as an array of numbers; without `default` it must be there.

    Raises
    ------
    FileFormatError
        It is missing, or no such number of finite numbers.
    """
    text = None if element is None else element.get(attribute)
    if text is None and default is not None:
        return np.array(default, dtype=float)
    expected = "a number" if count == 1 else f"{count} numbers"
    try:
        values = np.array((text or "").split(), dtype=float)
    except ValueError:
        values = np.empty(0)
    if values.shape != (count,) or not np.isfinite(values).all():
        came = "is missing" if text is None else f"= '{text[:80]}'"
        raise FileFormatError(f"{where}: {attribute} {came}; must be {expected}.")
    return values
