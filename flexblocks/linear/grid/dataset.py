"""Conversion of the linear models of a grid to an xarray Dataset, and of one of its points to a linear model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.libraries import xr
from flexblocks.linear.forms.second_order_form import SecondOrderForm
from flexblocks.linear.grid.axes import Axis
from flexblocks.linear.grid.mode_tracking import Tracks
from flexblocks.linear.linear_model import LinearModel
from flexblocks.linear.modes import Modes
from flexblocks.statics.operating_point import OperatingPoint

MATRICES = {
    "E": ("equation", "state"),
    "A": ("equation", "state"),
    "B": ("equation", "input"),
    "C": ("output", "state"),
    "D": ("output", "input"),
}
# Groups of an operating point: field of the values, field of the names, and dimension in the dataset.
GROUPS = (
    ("x", "states", "operating_state"),
    ("z", "algebraics", "operating_algebraic"),
    ("u", "inputs", "input"),
    ("p", "parameters", "parameter"),
    ("forces", "multipliers", "multiplier"),
)


def to_dataset(axes: tuple[Axis, ...], models: np.ndarray, modes: np.ndarray, tracks: Tracks) -> xr.Dataset:
    """Return the Dataset of linear models in descriptor form (...) with their modes (...) and tracks."""
    first: LinearModel = models.flat[0]
    grid = [axis.name for axis in axes]
    kinetic, stored = list(first.structure.kinetic), list(first.structure.stored)

    def over(value: Callable[[LinearModel], Any]) -> np.ndarray:
        stacked = np.array([value(lin) for lin in models.flat], dtype=float)
        return stacked.reshape(*models.shape, *stacked.shape[1:])

    variables: dict[str, Any] = {
        letter: ([*grid, *dims], over(lambda lin, letter=letter: getattr(lin, letter)))
        for letter, dims in MATRICES.items()
    }
    for values, _, dim in GROUPS:
        variables[f"operating_{values}"] = (
            [*grid, dim], over(lambda lin, values=values: getattr(lin.operating_point, values))
        )  # fmt: skip
    n = len(first.structure.coordinates)
    for kind in ("kinetic", "stored"):
        matrices = over(lambda lin, kind=kind: np.array(list(getattr(lin.structure, kind).values())).reshape(-1, n, n))
        variables[kind] = ([*grid, f"{kind}_block", "coordinate", "by_coordinate"], matrices)
    variables |= _modes(grid, modes, tracks)
    coordinates = {
        **{axis.name: (axis.name, axis.values, {"units": axis.unit, "affine": int(axis.affine)}) for axis in axes},
        "state": list(first.states),
        "state_unit": ("state", list(first.state_units)),
        "equation": list(first.equations),
        "equation_unit": ("equation", list(first.equation_units)),
        "input": list(first.inputs),
        "input_unit": ("input", list(first.input_units)),
        "output": list(first.outputs),
        "output_unit": ("output", list(first.output_units)),
        **{dim: list(getattr(first.operating_point, names)) for _, names, dim in GROUPS if dim != "input"},
        "coordinate": list(first.structure.coordinates),
        "kinetic_block": kinetic,
        "stored_block": stored,
        "mode": np.arange(1, tracks.number.shape[-1] + 1),
    }
    return xr.Dataset(variables, {name: _texts(value) for name, value in coordinates.items()}, {"name": first.name})


def model_at(point: xr.Dataset, dae: DAE | None = None) -> LinearModel:
    """Return the linear model, in descriptor form, of a Dataset without the dimensions of the grid, with its arm."""
    names = {dim: tuple(str(name) for name in point[dim].values) for dim in point.dims if dim in point.coords}
    units = {
        dim: tuple(str(unit) for unit in point[f"{dim}_unit"].values)
        for dim in ("state", "equation", "input", "output")
    }
    held: dict[str, Any] = {held: names[dim] for _, held, dim in GROUPS}
    held |= {group: point[f"operating_{group}"].values for group, _, _ in GROUPS}
    operating = OperatingPoint(**held, residual=np.zeros(0), dae=dae)
    matrices: dict[str, Any] = {letter: point[letter].values for letter in MATRICES}
    by_block = (dict(zip(names[f"{kind}_block"], point[kind].values, strict=True)) for kind in ("kinetic", "stored"))
    blank = np.zeros((len(names["coordinate"]),) * 2)
    return LinearModel(
        name=str(point.attrs["name"]),
        **matrices,
        states=names["state"],
        inputs=names["input"],
        outputs=names["output"],
        state_units=units["state"],
        input_units=units["input"],
        output_units=units["output"],
        operating_point=operating,
        structure=SecondOrderForm(names["coordinate"], blank, blank, blank, *by_block),
        equations=names["equation"],
        equation_units=units["equation"],
    )


def _modes(grid: list[str], modes: np.ndarray, tracks: Tracks) -> dict[str, Any]:
    """Return the variables of the tracked modes, nan where a track has no mode."""
    blocks = sorted({name for of_point in modes.flat for mode in of_point for name in mode.participation})

    def over(value: Callable[[Modes, int], Any], *shape: int) -> np.ndarray:
        filled = np.full((*tracks.number.shape, *shape), np.nan)
        for place in np.argwhere(tracks.number >= 0):
            place = tuple(place)
            filled[place] = value(modes[place[:-1]], int(tracks.number[place]))  # pyright: ignore[reportArgumentType]
        return filled

    dims = [*grid, "mode"]
    return {
        "eigenvalue_real": (dims, over(lambda m, i: m[i].eigenvalue.real), {"units": "1/s"}),
        "eigenvalue_imag": (dims, over(lambda m, i: m[i].eigenvalue.imag), {"units": "rad/s"}),
        "frequency": (dims, over(lambda m, i: m[i].frequency), {"units": "rad/s"}),
        "damping_ratio": (dims, over(lambda m, i: m[i].damping_ratio), {"units": "1"}),
        "mac": (dims, tracks.mac, {"units": "1", "long_name": "modal assurance criterion to the neighbours before"}),
        "participation": (
            [*dims, "block"],
            over(lambda m, i: [m[i].participation.get(name, 0.0) for name in blocks], len(blocks)),
            {"units": "1"},
        ),
    } | {"block": ("block", np.array(blocks, dtype=str))}


def _texts(value: Any) -> Any:
    """Return lists of names as arrays of strings, also empty ones."""
    if isinstance(value, list):
        return np.array(value, dtype=str) if value else np.zeros(0, dtype="<U1")
    if isinstance(value, tuple) and isinstance(value[1], list):
        return (value[0], _texts(value[1]), *value[2:])
    return value
