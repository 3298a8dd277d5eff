"""Reproducible zip archive of an FMU: the same bytes for the same content."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from flexblocks.files import atomic_file

DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that the zip format can represent


def write_archive(path: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the files, by path in the archive; the archive replaces an older one atomically."""
    with atomic_file(path) as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
