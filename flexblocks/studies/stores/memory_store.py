"""Store in memory, with a netCDF file for a small study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.libraries import xr
from flexblocks.netcdf_file import FORMAT, read_netcdf, write_netcdf
from flexblocks.studies.block import Block, empty
from flexblocks.studies.cases import Cases
from flexblocks.studies.identity import Identity
from flexblocks.studies.outcome import Form, Variable
from flexblocks.studies.stores.store import CASES, IDENTITY, SECONDS, STATE, Store, StoreError, check, texts


class MemoryStore(Store):
    """Results in memory; with a path, in a netCDF file that is written anew, whole, from time to time."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path

    def open(self, cases: Cases, identity: Identity) -> tuple[np.ndarray, Form | None]:
        self._cases, self._identity, self._form = cases, identity, None
        self.block_size = len(cases)
        self._block = Block(0, len(cases))
        if self.path is not None and self.path.exists():
            self._load(read_netcdf(self.path))
        return self._block.state.copy(), self._form

    def define(self, form: Form) -> None:
        complex_ones = [variable.name for variable in form.variables if variable.kind is complex]
        if complex_ones and self.path is not None:
            raise StoreError(
                f"{self.path}: '{complex_ones[0]}' is complex, which netCDF files do not hold; use a store that ends "
                "in .zarr."
            )
        self._form = form
        for variable in form.variables:
            self._block.values.setdefault(variable.name, empty(variable, self.block_size))

    def read(self, start: int) -> Block:
        return self._block

    def write(self, block: Block) -> None:
        if self.path is not None:
            dataset = self.dataset().assign_attrs({IDENTITY: json.dumps(self._identity)})
            write_netcdf(self.path, dataset, "study")

    def dataset(self) -> xr.Dataset:
        form, block = self._form or Form(()), self._block
        variables: dict[str, Any] = {
            variable.name: ((CASES, *variable.dims), block.values[variable.name], dict(variable.attributes))
            for variable in form.variables
        }
        variables |= {
            "error": (CASES, block.error),
            "warning": (CASES, block.warning),
            "seconds": (CASES, block.seconds, SECONDS),
        }
        coordinates: dict[str, Any] = {
            name: (dims, values, dict(attrs)) for name, (dims, values, attrs) in form.coordinates.items()
        }
        coordinates |= {name: (CASES, values) for name, values in texts(self._cases).items() if name not in variables}
        coordinates["state"] = (CASES, block.state, STATE)
        return xr.Dataset(variables, coordinates, dict(form.attributes) | dict(self._cases.attributes))

    def _load(self, dataset: xr.Dataset) -> None:
        check(self.path, dataset.attrs.get(IDENTITY), self._identity)
        kinds = {"f": float, "U": str, "O": str}
        known = ("error", "warning", "seconds")
        variables = []
        for name, data in dataset.data_vars.items():
            if name not in known:
                kind = kinds[data.dtype.kind]
                dims = tuple(map(str, data.dims[1:]))
                variables.append(Variable(str(name), dims, data.shape[1:], kind, tuple(data.attrs.items())))
                self._block.values[str(name)] = data.values.astype(object if kind is str else float)
        coordinates = {
            str(name): (tuple(map(str, data.dims)), data.values, tuple(data.attrs.items()))
            for name, data in dataset.coords.items()
            if CASES not in data.dims
        }
        attributes = {name: value for name, value in dataset.attrs.items() if name not in (FORMAT, IDENTITY)}
        if variables:
            self._form = Form(tuple(variables), coordinates, attributes)
        self._block.state = dataset["state"].values.astype(np.uint8)
        for name in known:
            kept = getattr(self._block, name)
            kept[:] = dataset[name].values
