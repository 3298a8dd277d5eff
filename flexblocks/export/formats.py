"""File formats of linear models: MAT, JSON and NPZ; the text formats are in `text_formats`."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.export.record import Record
from flexblocks.export.text_formats import write_m, write_py
from flexblocks.files import atomic_file, write_text
from flexblocks.libraries import scipy

HEADER = 116  # bytes of text at the beginning of a MAT file, which its readers skip


@dataclass(frozen=True)
class Format:
    """A file format: writer and reader of records; the reader is None for source code, which other programs run."""

    write: Callable[[Path, Record], None]
    read: Callable[[Path], Record] | None = None


def _write_mat(path: Path, record: Record) -> None:
    # SciPy writes a column of objects as a cell array, and a scalar as a 1 x 1 matrix.
    fields = {
        name: np.array(value, dtype=object).reshape(-1, 1) if isinstance(value, list) else value
        for name, value in record.items()
    }
    memory = io.BytesIO()
    scipy.io.savemat(memory, fields, oned_as="column")
    content = memory.getvalue()[HEADER:]
    with atomic_file(path) as unfinished:
        unfinished.write_bytes(_header(content) + content)


def _read_mat(path: Path) -> Record:
    content = path.read_bytes()
    if content[:HEADER] != _header(content[HEADER:]):
        raise ValueError(
            "it is not as save_linear wrote it: damaged, or saved again by another program; in that case build the "
            "model from its matrices, or keep it as .json"
        )
    fields = scipy.io.loadmat(io.BytesIO(content), chars_as_strings=True)
    return {name: _from_mat(value) for name, value in fields.items() if not name.startswith("__")}


def _header(content: bytes) -> bytes:
    """Return the descriptive text of a MAT file with a checksum: SciPy's reader crashes Python on a damaged file."""
    text = f"MATLAB 5.0 MAT-file, flexblocks, sha256={hashlib.sha256(content).hexdigest()}"
    return text.encode("ascii").ljust(HEADER)


def _from_mat(value: np.ndarray) -> str | list[str] | np.ndarray:
    if value.dtype == object:
        return ["".join(cell.ravel()) for cell in value.ravel()]
    return "".join(value.ravel()) if value.dtype.kind == "U" else value


def _write_json(path: Path, record: Record) -> None:
    fields = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in record.items()}
    write_text(path, json.dumps(fields, indent=1, allow_nan=False) + "\n")


def _read_json(path: Path) -> Record:
    fields = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(fields, dict):
        raise ValueError(f"its top level is a {type(fields).__name__}, not an object")
    return fields


def _write_npz(path: Path, record: Record) -> None:
    # Strings as string arrays, never object arrays: those would be pickled.
    fields: dict[str, Any] = {
        name: value if isinstance(value, np.ndarray) else np.array(value, dtype=str) for name, value in record.items()
    }
    with atomic_file(path) as unfinished, unfinished.open("wb") as file:
        np.savez_compressed(file, **fields)


def _read_npz(path: Path) -> Record:
    with np.load(path, allow_pickle=False) as fields:
        return {name: value.tolist() if value.dtype.kind == "U" else value for name, value in fields.items()}


FORMATS = {
    ".mat": Format(_write_mat, _read_mat),
    ".json": Format(_write_json, _read_json),
    ".npz": Format(_write_npz, _read_npz),
    ".m": Format(write_m),
    ".py": Format(write_py),
}
READABLE = {suffix: form.read for suffix, form in FORMATS.items() if form.read is not None}
