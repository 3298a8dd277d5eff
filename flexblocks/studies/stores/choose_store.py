"""The store of what a user passes as `store`."""

from __future__ import annotations

from typing import Any

from flexblocks.errors import ParameterError
from flexblocks.files import expanded
from flexblocks.studies.stores.memory_store import MemoryStore
from flexblocks.studies.stores.store import Store
from flexblocks.studies.stores.zarr_store import ZarrStore


def store_of(store: Any) -> Store:
    """Return the store of what a user passes as `store`: a path that ends in .zarr or .nc, or None for memory.

    Raises
    ------
    ParameterError
        It is something else.
    """
    if store is None:
        return MemoryStore()
    path = expanded(store)
    if path.suffix.lower() == ".nc":
        return MemoryStore(path)
    if path.suffix.lower() == ".zarr":
        return ZarrStore(path)
    raise ParameterError(f"study: store = {str(store)!r}; must end in .zarr, or in .nc for a small study.")
