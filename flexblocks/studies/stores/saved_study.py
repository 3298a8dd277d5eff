"""The results of a study in its store, for who wants no more than to look at them."""

from __future__ import annotations

import json
from pathlib import Path

from flexblocks.files import expanded
from flexblocks.libraries import xr
from flexblocks.netcdf_file import FORMAT
from flexblocks.studies.stores.store import IDENTITY, StoreError
from flexblocks.studies.stores.zarr_codecs import refuse_codecs
from flexblocks.studies.stores.zarr_store import ZarrStore


def saved_study(dataset: xr.Dataset) -> xr.Dataset:
    """Return the results in what a ``.nc`` file of a study holds."""
    results = dataset.copy(deep=False)
    results.attrs = {name: value for name, value in dataset.attrs.items() if name not in (FORMAT, IDENTITY)}
    return results


def open_zarr_store(path: str | Path) -> xr.Dataset:
    """Return the results in a ``.zarr`` store; values are read when they are used.

    Raises
    ------
    StoreError
        It is not there, is no store of a study, or names codecs that may run code.
    """
    folder = expanded(path)
    try:
        attributes = json.loads((folder / ".zattrs").read_text(encoding="utf-8"))
        is_study = IDENTITY in attributes
    except (OSError, ValueError, TypeError):
        is_study = False
    if not is_study:
        raise StoreError(f"{path}: {'is no store of a study' if folder.exists() else 'there is no such store'}.")
    refuse_codecs(folder)
    return ZarrStore(folder).dataset()
