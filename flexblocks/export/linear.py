"""Export and import of linear models."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from flexblocks.errors import FileFormatError, listing
from flexblocks.export.formats import FORMATS, READABLE
from flexblocks.export.record import from_record, to_record
from flexblocks.files import readable_file
from flexblocks.linear.linear_model import LinearModel


def save_linear(lin: LinearModel, path: str | Path) -> None:
    """Write a linear model to a file, with names, units, operating point and the matrices of each block.

    Parameters
    ----------
    lin : LinearModel
    path : str or Path
        ``.mat`` for MATLAB and Octave, ``.json``, ``.npz`` for NumPy; and, human-readable, ``.m``, a function file for
        MATLAB and Octave, and ``.py``, a module that needs only NumPy. All contain the same fields.

    Raises
    ------
    FileFormatError
        The suffix is none of these.
    ParameterError
        The stem of an ``.m`` file is not a valid MATLAB function name.

    Notes
    -----
    In MATLAB: ``s = load("arm.mat"); sys = dss(s.A, s.B, s.C, s.D, s.E, "StateName", s.StateName, "StateUnit",
    s.StateUnit, "InputName", s.InputName, "InputUnit", s.InputUnit, "OutputName", s.OutputName, "OutputUnit",
    s.OutputUnit)``; in Octave ``sys = dss(s.A, s.B, s.C, s.D, s.E, "stname", s.StateName, "inname", s.InputName,
    "outname", s.OutputName)``. The fields of a ``.json`` file are described by `linear_schema`.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise FileFormatError(f"save_linear: {path}: suffix '{path.suffix}'; must be one of {listing(FORMATS)}.")
    FORMATS[suffix].write(path, to_record(lin))


def saved_linear(path: str | Path) -> LinearModel:
    """Return the linear model in a file that `save_linear` wrote, ``.mat``, ``.json`` or ``.npz``.

    Raises
    ------
    FileFormatError
        The file is unreadable or is not a linear model.
    """
    path = Path(path)
    file, suffix = readable_file(path), path.suffix.lower()
    try:
        record = READABLE[suffix](file)
    except Exception as error:  # each library raises its own errors on a damaged file
        raise FileFormatError(f"{path}: not a readable {suffix} file ({error}).") from None
    return from_record(path, record)


def linear_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the ``.json`` files that `save_linear` writes."""
    return json.loads(files("flexblocks.export").joinpath("linear_model.schema.json").read_text(encoding="utf-8"))
