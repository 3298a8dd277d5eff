"""Text of SID files, standard input data of flexible bodies (O. Wallrapp, Mech. Struct. & Mach. 22, 1994)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexblocks.errors import FileFormatError
from flexblocks.files import readable_file

# Structures of matrices: all zero, diagonal, symmetric, full, unit.
ZERO, DIAGONAL, SYMMETRIC, FULL, UNIT = 0, 1, 2, 3, 4
OF_NODES = ("origin", "phi", "psi", "AP", "sigma")
OF_BODY = ("mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De")
ENTRY = re.compile(r"(m[01n])\s*\(([\d\s,]+)\)\s*=\s*(\S+)")
SIZE = re.compile(r"(order|nrow|ncol|nq|nqn|structure)\s*=\s*(\d+)")


@dataclass
class Taylor:
    """A matrix as a series in the amplitudes: M0 + sum M1_k q_k.

    Attributes
    ----------
    zeroth : ndarray (rows, columns)
    first : ndarray (rows, n, columns) or None
    """

    zeroth: np.ndarray
    first: np.ndarray | None = None


@dataclass
class SidNode:
    """A node: its number and matrices."""

    number: str
    series: dict[str, Taylor] = field(default_factory=dict)


@dataclass
class Sid:
    """Content of a SID file."""

    mass: float
    modes: list[str]
    nodes: list[SidNode]
    series: dict[str, Taylor]


def read_sid(path: str | Path) -> Sid:
    """Return what a SID file says.

    Raises
    ------
    FileFormatError
        It cannot be read, or is no such file.
    """
    lines = readable_file(path).read_text(encoding="latin-1").splitlines()
    content, where, open_series = Sid(0.0, [], [], {}), {}, None
    where = content.series
    sizes: dict[str, int] = {}
    entries: list[tuple[str, tuple[int, ...], float]] = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        try:
            if match := ENTRY.match(text):
                indices = tuple(int(each) - 1 for each in match[2].split(","))
                entries.append((match[1], indices, _number(match[3])))
            elif match := SIZE.match(text):
                sizes[match[1]] = int(match[2])
            elif text.startswith("mass"):
                content.mass = _number(text.partition("=")[2].strip())
            elif text.startswith("ielastq"):
                content.modes.append(text.partition("=")[2].strip())
            elif text.startswith("new node"):
                content.nodes.append(SidNode(text.partition("=")[2].strip()))
                where = content.nodes[-1].series
            elif text == "end node":
                where = content.series
            elif text.startswith("end") and open_series is not None:
                where[open_series] = _series(sizes, entries)
                open_series = None
            elif text and text.split()[0] in (*OF_NODES, *OF_BODY) and "=" not in text:
                open_series, sizes, entries = text.split()[0], {}, []
        except (ValueError, IndexError, KeyError):
            raise FileFormatError(f"{path}: line {number}: {text!r}; is no line of a SID file.") from None
    if not content.modes or not content.mass or "Ke" not in content.series:
        raise FileFormatError(f"{path}: has no modes, mass or Ke; must be a SID file of a flexible body.")
    return content


def _series(sizes: dict[str, int], entries: list[tuple[str, tuple[int, ...], float]]) -> Taylor:
    rows, columns, n = sizes["nrow"], sizes["ncol"], sizes.get("nq", 0)
    zeroth = np.eye(rows, columns) if sizes.get("structure") == UNIT else np.zeros((rows, columns))
    first = np.zeros((rows, n, columns)) if sizes.get("order", 0) > 0 else None
    for kind, indices, value in entries:
        if kind == "m0":
            zeroth[indices] = value
        elif kind == "m1" and first is not None:
            first[indices] = value
    if sizes.get("structure") == SYMMETRIC:
        zeroth = _whole(zeroth)
        if first is not None:
            first = np.stack([_whole(first[:, k]) for k in range(n)], axis=1)
    return Taylor(zeroth, first)


def _whole(half: np.ndarray) -> np.ndarray:
    """Return a symmetric matrix of which one triangle, or all, is known."""
    other = np.where(half == 0, half.T, half)
    return (other + other.T) / 2


def _number(text: str) -> float:
    return float(text.replace("D", "E").replace("d", "e"))


def sid_text(content: Sid) -> str:
    """Return the text of a SID file."""
    n = len(content.modes)
    lines = ["part", "new modal", "  refmod", f"    mass        = {content.mass:.17E}", f"    nelastq     = {n}"]
    lines += [f"    ielastq ({k:4d}) = {name}" for k, name in enumerate(content.modes, 1)]
    lines += ["  end refmod", "  frame"]
    for node in content.nodes:
        lines += [f"    new node = {node.number}", "      rframe = body ref"]
        for name, series in node.series.items():
            lines += _lines(name, series, n, "      ")
        lines += ["    end node"]
    lines += ["  end frame"]
    for name, series in content.series.items():
        lines += _lines(name, series, n, "  ")
    return "\n".join([*lines, "end modal", "end part", ""])


def _lines(name: str, series: Taylor, n: int, space: str) -> list[str]:
    rows, columns = series.zeroth.shape
    structure = FULL if series.zeroth.any() or series.first is not None else ZERO
    sizes = {"order": int(series.first is not None), "nrow": rows, "ncol": columns, "nq": n, "nqn": 0}
    lines = [f"{space}{name}"]
    lines += [f"{space}  {word:<9} = {value}" for word, value in (*sizes.items(), ("structure", structure))]
    for i, j in np.argwhere(series.zeroth):
        lines.append(f"{space}  m0({i + 1:4d},{j + 1:4d}) = {series.zeroth[i, j]:.17E}")
    if series.first is not None:
        for i, k, j in np.argwhere(series.first):
            lines.append(f"{space}  m1({i + 1:4d},{k + 1:4d},{j + 1:4d}) = {series.first[i, k, j]:.17E}")
    return [*lines, f"{space}end {name}"]
