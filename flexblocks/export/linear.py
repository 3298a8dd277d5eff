"""Linear models to files and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexblocks.errors import FileFormatError, listing
from flexblocks.export.formats import FORMATS, Record
from flexblocks.linear_model import LinearModel
from flexblocks.operating_point import OperatingPoint
from flexblocks.structure import Structure

FORMAT, VERSION = "flexblocks linear model", 1


def save_linear(lin: LinearModel, path: str | Path) -> None:
    """Write a linear model to a file, with names, units, operating point and the matrices of each block.

    Parameters
    ----------
    lin : LinearModel
    path : str or Path
        ``.mat`` for MATLAB and Octave, ``.json``, or ``.npz`` for NumPy; all three hold the same fields.

    Raises
    ------
    FileFormatError
        Another suffix.

    Notes
    -----
    In MATLAB: ``s = load("arm.mat"); sys = dss(s.A, s.B, s.C, s.D, s.E, "StateName", s.StateName, "StateUnit",
    s.StateUnit, "InputName", s.InputName, "InputUnit", s.InputUnit, "OutputName", s.OutputName, "OutputUnit",
    s.OutputUnit)``.
    """
    path = Path(path)
    FORMATS[_suffix("save_linear", path)].write(path, _record(lin))


def load_linear(path: str | Path) -> LinearModel:
    """Read a linear model that `save_linear` wrote.

    Raises
    ------
    FileFormatError
        Another suffix, a file that cannot be read, or one that holds something else.
    """
    path = Path(path)
    suffix = _suffix("load_linear", path)
    try:
        record = FORMATS[suffix].read(path)
    except FileNotFoundError:
        raise FileFormatError(f"load_linear: {path}: there is no such file.") from None
    except Exception as error:  # each library raises its own errors on a damaged file
        raise FileFormatError(f"load_linear: {path}: not a readable {suffix} file ({error}).") from error
    return _linear_model(path, record)


def _suffix(where: str, path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise FileFormatError(f"{where}: {path}: suffix '{path.suffix}'; must be one of {listing(FORMATS)}.")
    return suffix


def _record(lin: LinearModel) -> Record:
    """Return the model as a flat record of texts, lists of texts and arrays, under the names MATLAB's ss uses."""
    point, structure = lin.operating_point, lin.structure
    n = len(structure.coordinates)
    return {
        "Format": FORMAT,
        "Version": np.array(VERSION),
        "Name": lin.name,
        **{matrix: getattr(lin, matrix) for matrix in "ABCDE"},
        "StateName": list(lin.states),
        "StateUnit": list(lin.state_units),
        "InputName": list(lin.inputs),
        "InputUnit": list(lin.input_units),
        "OutputName": list(lin.outputs),
        "OutputUnit": list(lin.output_units),
        "AlgebraicName": list(point.algebraics),
        "ParameterName": list(point.parameters),
        "OperatingState": point.x,
        "OperatingAlgebraic": point.z,
        "OperatingInput": point.u,
        "OperatingParameter": point.p,
        "OperatingResidual": point.residual,
        "CoordinateName": list(structure.coordinates),
        "Mass": structure.mass,
        "Damping": structure.damping,
        "Stiffness": structure.stiffness,
        "KineticBlockName": list(structure.kinetic),
        "KineticBlockMatrix": np.array(list(structure.kinetic.values())).reshape(-1, n, n),
        "StoredBlockName": list(structure.stored),
        "StoredBlockMatrix": np.array(list(structure.stored.values())).reshape(-1, n, n),
    }


class _Reader:
    """Takes fields out of a record and says which one is missing or of the wrong size."""

    def __init__(self, path: Path, record: Record) -> None:
        self._path = path
        self._record = record

    def __getitem__(self, name: str) -> object:
        if name not in self._record:
            raise FileFormatError(
                f"load_linear: {self._path}: holds no '{name}'; must be a file that save_linear wrote."
            )
        return self._record[name]

    def text(self, name: str) -> str:
        return str(self[name])

    def names(self, name: str) -> tuple[str, ...]:
        return tuple(str(entry) for entry in np.atleast_1d(np.asarray(self[name], dtype=object)))

    def array(self, name: str, *shape: int) -> np.ndarray:
        """Return an array; files drop dimensions of empty and of small ones, so that the names say what it must be."""
        try:
            array = np.asarray(self[name], dtype=float)
        except (TypeError, ValueError):
            raise FileFormatError(f"load_linear: {self._path}: '{name}' does not hold numbers.") from None
        if array.size != np.prod(shape, dtype=int):
            raise FileFormatError(
                f"load_linear: {self._path}: '{name}' holds {array.size} numbers; "
                f"must be {' x '.join(map(str, shape)) or 'one'}."
            )
        return array.reshape(shape)


def _linear_model(path: Path, record: Record) -> LinearModel:
    read = _Reader(path, record)
    if read.text("Format") != FORMAT or read.array("Version") != VERSION:
        raise FileFormatError(
            f"load_linear: {path}: format '{read.text('Format')}', version {read['Version']}; "
            f"this flexblocks reads '{FORMAT}', version {VERSION}."
        )
    states, inputs, outputs = (read.names(f"{kind}Name") for kind in ("State", "Input", "Output"))
    algebraics, parameters, coordinates = (
        read.names(f"{kind}Name") for kind in ("Algebraic", "Parameter", "Coordinate")
    )
    nx, nu, ny, n = len(states), len(inputs), len(outputs), len(coordinates)

    def by_block(kind: str) -> dict[str, np.ndarray]:
        blocks = read.names(f"{kind}BlockName")
        return dict(zip(blocks, read.array(f"{kind}BlockMatrix", len(blocks), n, n), strict=True))

    point = OperatingPoint(
        states=states,
        algebraics=algebraics,
        inputs=inputs,
        parameters=parameters,
        x=read.array("OperatingState", nx),
        z=read.array("OperatingAlgebraic", len(algebraics)),
        u=read.array("OperatingInput", nu),
        p=read.array("OperatingParameter", len(parameters)),
        residual=read.array("OperatingResidual", nx - n + len(algebraics)),
    )
    structure = Structure(
        coordinates=coordinates,
        mass=read.array("Mass", n, n),
        damping=read.array("Damping", n, n),
        stiffness=read.array("Stiffness", n, n),
        kinetic=by_block("Kinetic"),
        stored=by_block("Stored"),
    )
    return LinearModel(
        name=read.text("Name"),
        A=read.array("A", nx, nx),
        B=read.array("B", nx, nu),
        C=read.array("C", ny, nx),
        D=read.array("D", ny, nu),
        E=read.array("E", nx, nx),
        states=states,
        inputs=inputs,
        outputs=outputs,
        state_units=read.names("StateUnit"),
        input_units=read.names("InputUnit"),
        output_units=read.names("OutputUnit"),
        operating_point=point,
        structure=structure,
    )
