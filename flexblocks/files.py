"""Files: paths with ``~``, one refusal for files that are not there, and atomic writing.

Written atomically, new content appears complete or not at all.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from flexblocks.errors import FileFormatError


def expanded(path: str | Path) -> Path:
    """Return a path with the home directory in place of ``~`` or ``~user``.

    Raises
    ------
    FileFormatError
        There is no such home directory.
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


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary file beside `path`, which replaces `path` once it is complete.

    If writing is cut short (full disk, exception, Ctrl-C, killed process), an existing file at `path` is unchanged, and
    no reader ever sees a partial file. The temporary file has the suffix of `path` and an unpredictable name, and is
    created without following links; a link at `path` itself is resolved to the file it points to.

    Parameters
    ----------
    path : str or Path
        ``~`` stands for the home directory.

    Yields
    ------
    Path
        Where to write.

    Raises
    ------
    FileFormatError
        The file cannot be written; the message says why.
    """
    path = Path(path)
    _refuse_impossible_name(path)
    unfinished: Path | None = None
    try:
        target = path.expanduser().resolve()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem[:100]}-", suffix=target.suffix)
        os.close(handle)
        unfinished = Path(name)
        yield unfinished
        _flush(unfinished)
        os.chmod(unfinished, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(unfinished, target)
        unfinished = None
    except (OSError, RuntimeError) as error:
        # RuntimeError: raised by netCDF4 on a full disk, and by pathlib if the home directory cannot be determined.
        reason = getattr(error, "strerror", None) or str(error)
        raise FileFormatError(
            f"{path}: cannot be written: {reason.rstrip('.')}. Any existing file is unchanged; choose a folder that "
            "exists, is writable and has free space."
        ) from error
    finally:
        if unfinished is not None:
            with suppress(OSError):
                unfinished.unlink()


def _refuse_impossible_name(path: Path) -> None:
    """Refuse a name that no file can have: with a zero byte, or half a character."""
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise FileFormatError(f"{str(path)!r}: cannot be written: no file can have that name; choose another.")


def write_text(path: str | Path, text: str) -> None:
    """Write text as UTF-8 atomically, without translating line endings.

    Raises
    ------
    FileFormatError
        See `atomic_file`.
    """
    write_texts({Path(path): text})


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write texts that belong together, by path: all are complete before the first comes to its place.

    Raises
    ------
    FileFormatError
        See `atomic_file`.
    """
    with ExitStack() as complete:
        for path, text in texts.items():
            try:
                content = text.encode("utf-8")
            except UnicodeEncodeError as error:
                raise FileFormatError(
                    f"{path}: cannot be written: {text[error.start]!r} is half a character (a surrogate); remove it "
                    "from the name it is in."
                ) from None
            complete.enter_context(atomic_file(path)).write_bytes(content)


def _flush(path: Path) -> None:
    """Flush the content to disk before the rename: after a power cut the file would be empty otherwise."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
