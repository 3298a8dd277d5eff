"""Paths of files: ``~`` for the home directory, and one refusal for files that are not there."""

from __future__ import annotations

import os
from pathlib import Path

from flexblocks.errors import FileFormatError


def expanded(path: str | Path) -> Path:
    """Return a path with the home directory in place of ``~`` or ``~user``.

    Raises
    ------
    FileFormatError
        Nobody knows that home directory.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise FileFormatError(f"{path}: {error}; write the path in full.") from None


def readable_file(path: str | Path) -> Path:
    """Return where a file to be read is.

    Parameters
    ----------
    path : str or Path
        ``~`` stands for the home directory.

    Raises
    ------
    FileFormatError
        There is no such file, it is a folder or a device, or it may not be read.
    """
    file = expanded(path)
    try:
        if file.is_file():
            file.open("rb").close()
            return file
        kind = "a folder" if file.is_dir() else "no regular file" if file.exists() else None
    except (OSError, ValueError) as error:
        # ValueError: a zero byte in the name.
        reason = getattr(error, "strerror", None) or str(error)
        raise FileFormatError(f"{path}: cannot be read: {reason}.") from None
    if kind is None:
        raise FileFormatError(f"{path}: there is no such file.")
    raise FileFormatError(f"{path}: is {kind}; must be a file.")


def relative_to(path: str, folder: Path | None) -> str:
    """Return a path as a file in `folder` names it: relative, with slashes; absolute without a folder.

    What is in somebody's home directory, or on another drive, stays as it is.
    """
    if path.startswith("~"):
        return path
    if folder is None:
        return os.path.abspath(path)
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive of Windows
        return os.path.abspath(path)


def seen_from(path: str, folder: Path | None) -> str:
    """Return where a path leads that a file in `folder` names; the inverse of `relative_to`."""
    return path if folder is None or path.startswith("~") else os.path.normpath(folder / path)
