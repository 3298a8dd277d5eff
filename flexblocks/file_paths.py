"""Paths of files: ``~`` for the home directory, and one refusal for files that are not there."""

from __future__ import annotations

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
