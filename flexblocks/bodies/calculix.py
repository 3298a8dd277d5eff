"""Flexible bodies from CalculiX: matrices of ``*FREQUENCY, SOLVER=MATRIXSTORAGE`` and the mesh of the input file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.bodies.finite_elements import WHERE
from flexblocks.bodies.flexible_body import FlexibleBody
from flexblocks.bodies.from_matrices import body_of_matrices
from flexblocks.errors import FileFormatError, ParameterError, listing
from flexblocks.files import readable_file
from flexblocks.libraries import scipy

# Factors on lengths, masses and stiffnesses to m, kg and N/m.
UNITS = {"m-kg-s": (1.0, 1.0, 1.0), "mm-t-s": (1e-3, 1e3, 1e3), "mm-kg-ms": (1e-3, 1.0, 1e6)}
# Corners of the faces of solids, seen from outside counter-clockwise, by the start of the element's type.
TETRAHEDRON = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
BRICK = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
WEDGE = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
SOLIDS = {"C3D4": (4, TETRAHEDRON), "C3D10": (10, TETRAHEDRON), "C3D8": (8, BRICK), "C3D20": (20, BRICK)}
SOLIDS |= {"C3D6": (6, WEDGE), "C3D15": (15, WEDGE)}


@dataclass
class Deck:
    """What is read of an input file: places of nodes, sets of nodes, and solids with their faces."""

    nodes: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    sets: dict[str, list[int]] = field(default_factory=dict)
    faces: list[tuple[int, ...]] = field(default_factory=list)


def body_of_calculix(
    path: str | Path,
    interfaces: Mapping[str, Any],
    modes: int,
    points: Mapping[str, Any] | None,
    units: str,
    negligible: float,
) -> FlexibleBody:
    """Return the body; arguments as of `FlexibleBody.from_calculix`."""
    if units not in UNITS:
        raise ParameterError(f"{WHERE}: units = {units!r}; must be one of {listing(map(repr, UNITS))}.")
    length, mass, stiffness = UNITS[units]
    deck = read_deck(path)
    stem = Path(path).with_suffix("")
    freedoms = _freedoms(stem.with_suffix(".dof"))
    K = _triangle(stem.with_suffix(".sti"), len(freedoms)) * stiffness
    M = _triangle(stem.with_suffix(".mas"), len(freedoms)) * mass
    numbers = sorted({node for node, _ in freedoms})
    row = {freedom: i for i, freedom in enumerate(freedoms)}
    lacking = [f"{node}.{axis}" for node in numbers for axis in (1, 2, 3) if (node, axis) not in row]
    if lacking or len(row) != 3 * len(numbers):
        what = f"displacement {lacking[0]}" if lacking else "rotations"
        raise ParameterError(
            f"{WHERE}: {path}: its matrices have {'no ' if lacking else ''}{what}; leave *BOUNDARY, *MPC and *EQUATION "
            "out, and take solids: the body must be free, with three displacements a node."
        )
    order = [row[node, axis] for node in numbers for axis in (1, 2, 3)]
    place = {node: i for i, node in enumerate(numbers)}
    missing = [node for node in numbers if node not in deck.nodes]
    if missing:
        raise FileFormatError(f"{path}: node {missing[0]} of its matrices is not in it; pass the file they are of.")
    nodes = np.array([deck.nodes[node] for node in numbers]) * length
    ids = {name: np.array(_ids(path, name, given, deck, place)) for name, given in interfaces.items()}
    given = {name: np.asarray(point, float) for name, point in (points or {}).items()}
    M, K = (matrix.tocsr()[order][:, order] for matrix in (M, K))
    return body_of_matrices(M, K, nodes, ids, modes, given, _surface(deck, place), negligible)


def read_deck(path: str | Path) -> Deck:
    """Return nodes, sets of nodes and solids of an input file (``*NODE``, ``*NSET``, ``*ELEMENT``, ``*INCLUDE``).

    Raises
    ------
    FileFormatError
        The file cannot be read, or a line is no list of numbers.
    """
    deck = Deck()
    for keyword, options, line, rows in _sections(path):
        try:
            _read(deck, keyword, options, rows)
        except (ValueError, IndexError):
            raise FileFormatError(f"{path}: the {keyword} at line {line} has lines that are no numbers.") from None
    if not deck.nodes:
        raise FileFormatError(f"{path}: has no *NODE; must be an input file of CalculiX.")
    return deck


def _read(deck: Deck, keyword: str, options: dict[str, str], rows: list[list[str]]) -> None:
    if keyword == "*NODE":
        for number, *place in rows:
            values = [float(each) for each in place[:3]] + [0.0] * (3 - len(place[:3]))
            deck.nodes[int(number)] = (values[0], values[1], values[2])
        if "NSET" in options:
            deck.sets.setdefault(options["NSET"], []).extend(int(row[0]) for row in rows)
    elif keyword == "*NSET":
        members = deck.sets.setdefault(options.get("NSET", ""), [])
        for row in rows:
            if "GENERATE" in options:
                first, last, *step = (int(each) for each in row)
                members.extend(range(first, last + 1, *step))
            else:
                for each in row:
                    members.extend([int(each)] if each.lstrip("-").isdigit() else deck.sets.get(each.upper(), []))
    elif keyword == "*ELEMENT":
        kind = options.get("TYPE", "").rstrip("RIHT")
        if kind in SOLIDS:
            size, faces = SOLIDS[kind]
            numbers = [int(each) for row in rows for each in row]
            for start in range(0, len(numbers), size + 1):
                corners = numbers[start + 1 : start + 1 + size]
                deck.faces.extend(tuple(corners[i] for i in face) for face in faces)


def _sections(path: str | Path) -> Iterator[tuple[str, dict[str, str], int, list[list[str]]]]:
    """Yield the keyword, its options, its line and the rows below it, of a file and those that it includes."""
    text = readable_file(path).read_text(encoding="latin-1")
    keyword, options, begun, rows = "", {}, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("**"):
            continue
        if line.startswith("*"):
            yield keyword, options, begun, rows
            word, *given = (part.strip() for part in line.split(","))
            parts = [part.partition("=") for part in given]
            keyword, begun, rows = word.upper(), number, []
            options = {name.strip().upper(): value.strip().strip('"') for name, _, value in parts}
            if keyword == "*INCLUDE":
                yield from _sections(Path(path).parent / options.get("INPUT", ""))
            options = {name: value.upper() for name, value in options.items()}
        else:
            rows.append([part.strip() for part in line.split(",") if part.strip()])
    yield keyword, options, begun, rows


def _freedoms(path: Path) -> list[tuple[int, int]]:
    """Return node and direction of each row of the matrices: a line ``node.direction`` each."""
    found = []
    for number, line in enumerate(_matrix_file(path).read_text().split(), 1):
        node, _, axis = line.partition(".")
        if not (node.isdigit() and axis.isdigit()):
            raise FileFormatError(f"{path}: line {number}: {line!r}; must be node.direction, as 17.3.")
        found.append((int(node), int(axis)))
    return found


def _triangle(path: Path, size: int) -> Any:
    """Return the symmetric matrix of a file whose lines are row, column and value of one triangle."""
    try:
        entries = np.loadtxt(_matrix_file(path), ndmin=2)
        rows, columns = entries[:, 0].astype(int) - 1, entries[:, 1].astype(int) - 1
        half = scipy.sparse.coo_matrix((entries[:, 2], (rows, columns)), (size, size)).tocsr()
    except (ValueError, IndexError) as error:
        raise FileFormatError(f"{path}: is no matrix of {size} rows with lines row, column, value: {error}.") from None
    return half + half.T - scipy.sparse.diags(half.diagonal())


def _matrix_file(path: Path) -> Path:
    try:
        return readable_file(path)
    except FileFormatError as error:
        raise FileFormatError(
            f"{error} CalculiX writes it beside the input file in a step with *FREQUENCY, SOLVER=MATRIXSTORAGE."
        ) from None


def _ids(path: str | Path, name: str, given: Any, deck: Deck, place: dict[int, int]) -> list[int]:
    """Return the places among the matrices' nodes of a set, by its name or its numbers."""
    if isinstance(given, str):
        if given.upper() not in deck.sets:
            raise ParameterError(
                f"{WHERE}: interfaces: '{name}': {path} has no *NSET '{given}'; it has {listing(sorted(deck.sets))}."
            )
        members = deck.sets[given.upper()]
    else:
        members = [int(each) for each in np.asarray(given).ravel()]
    unknown = [each for each in members if each not in place]
    if unknown:
        raise ParameterError(f"{WHERE}: interfaces: '{name}': node {unknown[0]} is in no element of {path}.")
    return sorted({place[each] for each in members})


def _surface(deck: Deck, place: dict[int, int]) -> np.ndarray | None:
    """Return the triangles of the faces that belong to one element alone."""
    seen: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for face in deck.faces:
        seen.setdefault(tuple(sorted(face)), []).append(face)
    outer = [faces[0] for faces in seen.values() if len(faces) == 1]
    triangles = [(face[0], face[i], face[i + 1]) for face in outer for i in range(1, len(face) - 1)]
    return np.array([[place[node] for node in each] for each in triangles]) if triangles else None
