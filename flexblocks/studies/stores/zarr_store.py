"""Store in a Zarr group, which any xarray opens, also while it is written.

A chunk holds the results of up to a thousand cases, about a megabyte. Chunks are replaced whole; the state of the cases
is written after their values. So what the state calls done is there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.libraries import optional, xr
from flexblocks.studies.block import DTYPES, EMPTY, Block
from flexblocks.studies.cases import Cases
from flexblocks.studies.identity import Identity
from flexblocks.studies.outcome import Form, Variable, refuse_name
from flexblocks.studies.stores.store import CASES, IDENTITY, SECONDS, STATE, Store, StoreError, check, texts
from flexblocks.studies.stores.zarr_codecs import refuse_codecs

CHUNK = 2**20  # bytes: large enough for a disk, small enough for memory
MOST = 1000  # cases of a chunk
TEXTS = ("error", "warning")
BOOKS = (*TEXTS, "seconds")
FORM = "flexblocks_form"


class ZarrStore(Store):
    """Results in a Zarr group."""

    def __init__(self, path: Path) -> None:
        self.path = self._folder = path
        self._zarr = optional("zarr", f"The store {path.name}")

    def open(self, cases: Cases, identity: Identity) -> tuple[np.ndarray, Form | None]:
        self._count = len(cases)
        self._is_new = _is_empty(self._folder)
        if self._is_new:
            form = None
            self._create(cases, identity)
        elif (self._folder / ".zgroup").exists():
            refuse_codecs(self._folder)
            self._open_group()
            check(self._folder, self._group.attrs.get(IDENTITY), identity)
            for cut_off in self._folder.rglob("*.partial"):  # a chunk on which a driver was killed
                cut_off.unlink()
            form = self._read_form()
            self._consolidate()  # a driver may have been killed before
        else:
            raise StoreError(f"{self._folder}: is no store of a study; give a path that does not exist yet.")
        self.block_size = self._group["seconds"].chunks[0] if form is None else self._size_of(form)
        return self._group["state"][:].astype(np.uint8), form

    def define(self, form: Form) -> None:
        self.block_size = self._size_of(form)
        for variable in form.variables:
            self._array(
                variable.name, (self._count, *variable.shape), (self.block_size, *variable.shape), variable.kind,
                (CASES, *variable.dims), dict(variable.attributes),
            )  # fmt: skip
        for name, (dims, values, attributes) in form.coordinates.items():
            values = np.asarray(values)
            array = self._array(name, values.shape, values.shape, _kind(values), dims, dict(attributes))
            array[...] = values.astype(DTYPES[_kind(values)])
        self._group.attrs.update({key: plain(value) for key, value in form.attributes.items()})
        # A result takes the place of what varies under its name, and is no coordinate then.
        results = {variable.name for variable in form.variables}
        names = [name for name in self._group.attrs["coordinates"].split(" ") if name not in results]
        self._group.attrs["coordinates"] = " ".join(names)
        # Last: where it is, all arrays are.
        self._group.attrs[FORM] = {
            "variables": [variable.name for variable in form.variables],
            "coordinates": list(form.coordinates),
            "attributes": list(form.attributes),
        }
        self._consolidate()

    def read(self, start: int) -> Block:
        block = Block(start, min(start + self.block_size, self._count))
        if self._is_new:
            return block  # a block is written again only until it is complete, by who has it in memory
        there = slice(block.start, block.stop)
        block.state = self._group["state"][there].astype(np.uint8)
        for name in BOOKS:
            getattr(block, name)[:] = self._group[name][there]
        block.told = {name for name in TEXTS if any(getattr(block, name))}
        for name in self._group.attrs.get(FORM, {}).get("variables", ()):
            block.values[name] = self._group[name][there]
        return block

    def write(self, block: Block) -> None:
        there = slice(block.start, block.stop)
        for name, values in block.values.items():
            self._group[name][there] = values
        self._group["seconds"][there] = block.seconds
        for name in TEXTS:
            values = getattr(block, name)
            if any(values):
                block.told.add(name)
            if name in block.told:
                self._group[name][there] = values
        self._group["state"][there] = block.state

    def dataset(self) -> xr.Dataset:
        # Without Dask's chunks, values are read when they are used.
        dataset = xr.open_zarr(str(self._folder), chunks=None, consolidated=True, decode_times=False, zarr_format=2)
        dataset.attrs = {name: value for name, value in dataset.attrs.items() if name not in (IDENTITY, FORM)}
        return dataset

    def _open_group(self) -> None:
        self._group = self._zarr.open_group(str(self._folder), mode="r+", zarr_format=2, use_consolidated=False)

    def _consolidate(self) -> None:
        """Write what xarray looks at to know the arrays."""
        self._zarr.consolidate_metadata(self._group.store, zarr_format=2)

    def _create(self, cases: Cases, identity: Identity) -> None:
        """Create the store beside its place, and move it there when it is whole: a part of one never is."""
        folder = self._folder.resolve()
        unfinished = folder.with_name(f"{folder.name}.new")
        shutil.rmtree(unfinished, ignore_errors=True)  # on which a driver was killed; others are locked out
        unfinished.mkdir(parents=True)
        self._group = self._zarr.open_group(str(unfinished), mode="w", zarr_format=2)
        self._write_arrays(cases, identity)
        self._consolidate()
        if folder.exists():
            shutil.rmtree(folder)  # empty
        unfinished.rename(folder)
        self._open_group()

    def _write_arrays(self, cases: Cases, identity: Identity) -> None:
        n = len(cases)
        chunk = min(n, MOST)
        for name, values in texts(cases).items():
            array = self._array(name, (n,), (min(n, 100 * MOST),), _kind(values), (CASES,), {})
            array[...] = values.astype(DTYPES[_kind(values)])
        self._array("error", (n,), (chunk,), str, (CASES,), {})
        self._array("warning", (n,), (chunk,), str, (CASES,), {})
        self._array("seconds", (n,), (chunk,), float, (CASES,), SECONDS)
        state = self._group.create_array("state", shape=(n,), chunks=(min(n, 100 * MOST),), dtype="u1", fill_value=None)
        state.attrs.update({"_ARRAY_DIMENSIONS": [CASES], **STATE})
        self._group.attrs.update({key: plain(value) for key, value in cases.attributes.items()})
        self._group.attrs["coordinates"] = " ".join(["state", *cases.names])
        self._group.attrs[IDENTITY] = json.dumps(identity)

    def _array(
        self,
        name: str,
        shape: tuple[int, ...],
        chunks: tuple[int, ...],
        kind: type,
        dims: tuple[str, ...],
        attributes: Mapping[str, Any],
    ) -> Any:
        array = self._group.create_array(
            name,
            shape=shape,
            chunks=tuple(max(size, 1) for size in chunks),
            dtype=str if kind is str else DTYPES[kind],
            fill_value=None if kind is str else EMPTY[kind],  # xarray makes nan of a fill value
            overwrite=True,
        )
        array.attrs.update({"_ARRAY_DIMENSIONS": list(dims), **{key: plain(one) for key, one in attributes.items()}})
        return array

    def _size_of(self, form: Form) -> int:
        """Return the number of cases of a block: a divisor of `MOST`, so that no block has part of a chunk."""
        largest = max((8 * int(np.prod(variable.shape, initial=1)) for variable in form.variables), default=8)
        wanted = max(1, CHUNK // max(largest, 1))
        divisors = [size for size in range(1, MOST + 1) if MOST % size == 0 and size <= wanted]
        return min(divisors[-1], self._count)

    def _read_form(self) -> Form | None:
        kept = self._group.attrs.get(FORM)
        if kept is None:
            return None
        for name in (*kept["variables"], *kept["coordinates"]):
            refuse_name(name)
        variables = []
        for name in kept["variables"]:
            array = self._group[name]
            dims, attributes = _described(array)
            kind = {"f": float, "c": complex}.get(getattr(array.dtype, "kind", "T"), str)
            variables.append(Variable(name, dims[1:], array.shape[1:], kind, attributes))
        coordinates = {}
        for name in kept["coordinates"]:
            dims, attributes = _described(self._group[name])
            coordinates[name] = (dims, self._group[name][...], attributes)
        return Form(tuple(variables), coordinates, {key: self._group.attrs[key] for key in kept["attributes"]})


def _is_empty(folder: Path) -> bool:
    """Whether there is no folder, or nothing in it but that it is a group."""
    if not folder.exists():
        return True
    names = {entry.name for entry in folder.iterdir()}
    return names <= {".zgroup", ".zattrs"} and (
        ".zattrs" not in names or not json.loads((folder / ".zattrs").read_text())
    )


def _described(array: Any) -> tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]:
    attributes = dict(array.attrs)
    return tuple(attributes.pop("_ARRAY_DIMENSIONS")), tuple(attributes.items())


def _kind(values: np.ndarray) -> type:
    return {"f": float, "i": float, "u": float, "b": float, "c": complex}.get(values.dtype.kind, str)


def plain(value: Any) -> Any:
    """Return an attribute as JSON has it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
