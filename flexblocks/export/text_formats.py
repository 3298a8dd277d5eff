"""Text formats of linear models: a MATLAB function file and a Python module."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from flexblocks.errors import ParameterError
from flexblocks.export.comment_text import comment_text
from flexblocks.export.record import Record
from flexblocks.files import write_text

INDENT = "    "
WIDTH = 110


def write_m(path: Path, record: Record) -> None:
    """Write a function file for MATLAB and Octave that returns a struct.

    Raises
    ------
    ParameterError
        The file stem is not a valid MATLAB function name.
    """
    if not re.fullmatch(r"[A-Za-z]\w*", path.stem, re.ASCII):
        raise ParameterError(
            f"save_linear: {path}: MATLAB calls a function by the name of its file; '{path.stem}' must start with a "
            "letter and continue with letters, digits and underscores."
        )
    lines = [
        f"function s = {path.stem}()",
        f"% {path.stem.upper()}  E dx/dt = A x + B u, y = C x + D u: {comment_text(record['Name'])}, by flexblocks.",
        "%",
        f"%   s = {path.stem}();",
        '%   sys = dss(s.A, s.B, s.C, s.D, s.E, "StateName", s.StateName, "InputName", s.InputName, ...',
        '%             "OutputName", s.OutputName);',
        "%   x and u are deviations from s.OperatingState and s.OperatingInput.",
    ]
    lines += [f"s.{name} = {_matlab(value)};" for name, value in record.items()]
    write_text(path, "\n".join([*lines, "end"]) + "\n")


def write_py(path: Path, record: Record) -> None:
    """Write a Python module that needs only NumPy."""
    lines = [
        f'"""E dx/dt = A x + B u, y = C x + D u: {comment_text(record["Name"])}, by flexblocks.',
        "",
        "x and u are deviations from OperatingState and OperatingInput.",
        '"""',
        "",
        "import numpy as np",
        "",
    ]
    lines += [f"{name} = {_python(value)}" for name, value in record.items()]
    write_text(path, "\n".join(lines) + "\n")


def _matlab(value: str | list[str] | np.ndarray) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return _joined("{", "; ", list(map(_quoted, value)), "}", " ...") if value else "cell(0, 1)"
    array = np.asarray(value, dtype=float)
    if array.ndim == 0:
        return repr(float(array))
    if not array.size:
        return f"zeros({', '.join(map(str, array.shape if array.ndim > 1 else (array.size, 1)))})"
    if array.ndim > 2:  # column-major, as MATLAB counts entries
        return f"reshape({_matlab(array.ravel(order='F'))}, [{' '.join(map(str, array.shape))}])"
    rows = [" ".join(map(repr, row)) for row in np.atleast_2d(array if array.ndim == 2 else array[:, None]).tolist()]
    return _joined("[", "; ", rows, "]", " ...")


def _quoted(text: str) -> str:
    """Return a string as a MATLAB char array; by character codes if it is not printable."""
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return f"char([{' '.join(str(ord(letter)) for letter in text)}])"


def _python(value: str | list[str] | np.ndarray) -> str:
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, list):
        return _joined("[", ", ", [repr(entry) for entry in value], "]", "")
    array = np.asarray(value, dtype=float)
    if not array.size:
        return f"np.zeros({array.shape})"
    if array.ndim < 2:
        return f"np.array({array.tolist()})"
    shape = f".reshape({', '.join(map(str, array.shape))})" if array.ndim > 2 else ""
    rows = [str(row) for row in array.reshape(-1, array.shape[-1]).tolist()]
    return _joined("np.array([", ", ", rows, f"]){shape}", "")


def _joined(start: str, between: str, parts: list[str], end: str, mark: str) -> str:
    """Join parts on one line, or one per line if that is too long."""
    whole = start + between.join(parts) + end
    if len(whole) <= WIDTH:
        return whole
    return start + mark + "\n" + "".join(f"{INDENT}{part}{between.rstrip()}{mark}\n" for part in parts) + end
