"""Codecs of the arrays of a Zarr group, looked at before any array is: some run code when a chunk is read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from flexblocks.studies.stores.store import StoreError

# Compressors and filters of Zarr's second format that only turn bytes into bytes, numbers or texts. Others may do
# harm: "pickle" runs what it reads, and a package that is installed may register any name.
COMPRESSORS = {"blosc", "bz2", "gzip", "lz4", "lzma", "zlib", "zstd"}
FILTERS = {"adler32", "crc32", "crc32c", "delta", "fixedscaleoffset", "shuffle", "vlen-utf8"}


def refuse_codecs(folder: Path) -> None:
    """Refuse a Zarr group in which an array names a codec that may run code.

    Parameters
    ----------
    folder : Path
        Of a group of format 2. Its arrays, and those of its consolidated metadata, are looked at.

    Raises
    ------
    StoreError
    """
    for name, described in _arrays(folder):
        if not isinstance(described, Mapping):
            raise StoreError(f"{folder}: the metadata of its array {name} cannot be read; the store is damaged.")
        for key, harmless in (("compressor", COMPRESSORS), ("filters", COMPRESSORS | FILTERS)):
            named = described.get(key) or []
            for codec in named if isinstance(named, list) else [named]:
                kind = codec.get("id") if isinstance(codec, Mapping) else codec
                if not isinstance(kind, str) or kind not in harmless:
                    raise StoreError(
                        f"{folder}: its array {name} names the codec {kind!r}, which may run code when it is read; "
                        f"must be one of {', '.join(sorted(harmless))}. No study of flexblocks has written it."
                    )


def _arrays(folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield name and metadata of the arrays in a folder, however deep, and of those that it says to have."""
    # Folders of arrays may be links, which the first does not follow.
    for path in {*folder.rglob(".zarray"), *folder.glob("*/.zarray")}:
        yield path.parent.relative_to(folder).as_posix(), _read(path)
    for path in folder.rglob(".zmetadata"):
        content = _read(path)
        entries = content.get("metadata") if isinstance(content, Mapping) else None
        for name, described in (entries if isinstance(entries, Mapping) else {}).items():
            if name.rpartition("/")[2] == ".zarray":
                yield name.rpartition("/")[0], described


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (OSError, RecursionError, ValueError):
        return None
