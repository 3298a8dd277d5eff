"""Atomic writing: a file comes to its place whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from flexblocks.errors import FileFormatError


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Give the name of an unfinished file beside `path`, and move it there once it is complete.

    Whatever happens before (a full disk, an error, Ctrl-C, the end of the process), a file that was at `path` stays as
    it was, and no reader ever sees half of the new one. The unfinished file has the suffix of `path`, a name nobody
    can foresee, and is made so that no link is followed; a link at `path` itself is followed to the file behind it.

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
        # RuntimeError: netCDF4's for a full disk, and pathlib's for a home directory that cannot be told.
        reason = getattr(error, "strerror", None) or str(error)
        raise FileFormatError(
            f"{path}: cannot be written: {reason.rstrip('.')}. What was there before is unchanged; write to a folder "
            "that exists, may be written to and has room."
        ) from error
    finally:
        if unfinished is not None:
            with suppress(OSError):
                unfinished.unlink()


def write_text(path: str | Path, text: str) -> None:
    """Write a text in UTF-8, whole or not at all; line ends stay as they are.

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
            complete.enter_context(atomic_file(path)).write_bytes(text.encode("utf-8"))


def _flush(path: Path) -> None:
    """Bring the content to the disk before the name points to it: after a power cut it would be empty otherwise."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
