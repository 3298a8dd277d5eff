"""Flat record of a linear model: the fields that all its file formats share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from flexblocks.errors import FileFormatError
from flexblocks.linear.forms.linear_system import Basis
from flexblocks.linear.forms.second_order_form import SecondOrderForm
from flexblocks.linear.linear_model import LinearModel
from flexblocks.statics.operating_point import OperatingPoint

Record = Mapping[str, str | list[str] | np.ndarray]
FORMAT, VERSION = "flexblocks linear model", 1


def to_record(lin: LinearModel) -> Record:
    """Return the model as a flat record of strings, lists of strings and arrays, named as in MATLAB's ss."""
    point, structure = lin.operating_point, lin.structure
    n = len(structure.coordinates)
    return {
        "Format": FORMAT,
        "Version": np.array(VERSION),
        "Name": lin.name,
        **{matrix: getattr(lin, matrix) for matrix in "ABCDE"},
        "StateName": list(lin.states),
        "StateUnit": list(lin.state_units),
        "EquationName": list(lin.equations),
        "EquationUnit": list(lin.equation_units),
        "InputName": list(lin.inputs),
        "InputUnit": list(lin.input_units),
        "OutputName": list(lin.outputs),
        "OutputUnit": list(lin.output_units),
        "AlgebraicName": list(point.algebraics),
        "ParameterName": list(point.parameters),
        "OperatingStateName": list(point.states),
        "OperatingState": point.x,
        "OperatingAlgebraic": point.z,
        "OperatingInput": point.u,
        "OperatingParameter": point.p,
        "OperatingResidual": point.residual,
        "MultiplierName": list(point.multipliers),
        "OperatingMultiplier": point.forces,
        "BasisStateName": list(lin.basis.states) if lin.basis else [],
        "Basis": lin.basis.matrix if lin.basis else np.zeros((0, 0)),
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
    """Reader of a record; reports which field is missing or of the wrong size."""

    def __init__(self, path: Path, record: Record) -> None:
        self._path = path
        self._record = record

    def __getitem__(self, name: str) -> object:
        if name not in self._record:
            raise FileFormatError(f"{self._path}: holds no '{name}'; must be a file that save_linear wrote.")
        return self._record[name]

    def text(self, name: str) -> str:
        return str(self[name])

    def names(self, name: str) -> tuple[str, ...]:
        return tuple(str(entry) for entry in np.atleast_1d(np.asarray(self[name], dtype=object)))

    def array(self, name: str, *shape: int) -> np.ndarray:
        """Return an array of the shape that the names imply; files drop dimensions of empty and small arrays."""
        try:
            array = np.asarray(self[name], dtype=float)
        except (TypeError, ValueError):
            raise FileFormatError(f"{self._path}: '{name}' does not hold numbers.") from None
        if array.size != np.prod(shape, dtype=int):
            raise FileFormatError(
                f"{self._path}: '{name}' holds {array.size} numbers; must be {' x '.join(map(str, shape)) or 'one'}."
            )
        return array.reshape(shape)


def from_record(path: Path, record: Record) -> LinearModel:
    """Return the linear model of a record read from a file.

    Raises
    ------
    FileFormatError
        A field is missing, of the wrong size, or does not hold numbers.
    """
    read = _Reader(path, record)
    if read.text("Format") != FORMAT or read.array("Version") != VERSION:
        raise FileFormatError(
            f"{path}: format '{read.text('Format')}', version {read['Version']}; "
            f"this flexblocks reads '{FORMAT}', version {VERSION}."
        )
    states, inputs, outputs = (read.names(f"{kind}Name") for kind in ("State", "Input", "Output"))
    algebraics, parameters, coordinates = (
        read.names(f"{kind}Name") for kind in ("Algebraic", "Parameter", "Coordinate")
    )
    whole = read.names("OperatingStateName")
    nx, nu, ny, n = len(states), len(inputs), len(outputs), len(coordinates)
    whole_states, multipliers = read.names("BasisStateName"), read.names("MultiplierName")

    def by_block(kind: str) -> dict[str, np.ndarray]:
        blocks = read.names(f"{kind}BlockName")
        return dict(zip(blocks, read.array(f"{kind}BlockMatrix", len(blocks), n, n), strict=True))

    point = OperatingPoint(
        states=whole,
        algebraics=algebraics,
        inputs=inputs,
        parameters=parameters,
        x=read.array("OperatingState", len(whole)),
        z=read.array("OperatingAlgebraic", len(algebraics)),
        u=read.array("OperatingInput", nu),
        p=read.array("OperatingParameter", len(parameters)),
        residual=read.array("OperatingResidual", np.size(np.asarray(read["OperatingResidual"], dtype=object))),
        multipliers=multipliers,
        forces=read.array("OperatingMultiplier", len(multipliers)),
    )
    structure = SecondOrderForm(
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
        basis=Basis(whole_states, read.array("Basis", len(whole_states), nx)) if whole_states else None,
        equations=read.names("EquationName"),
        equation_units=read.names("EquationUnit"),
    )
