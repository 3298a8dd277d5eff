"""Cache of compiled libraries, keyed by their source and checked before loading.

A library runs inside the process that loads it. A truncated file would crash Python, and a file that somebody else put
there would run as the user: so the name of each file ends in the checksum of its content, and a folder that others may
write to is refused.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from flexblocks.errors import FlexblocksError

LOG = logging.getLogger("flexblocks.compiler")

UNFINISHED = "building-"
# Compiling the largest arms tried takes minutes; older unfinished builds are those of killed processes.
LEFT_BEHIND = 24 * 3600.0  # s
DIGITS = 32  # of a checksum in a name: 128 bits


class CacheError(FlexblocksError):
    """The cache of compiled libraries cannot be used."""


def cache_directory() -> Path:
    """Return the folder of compiled libraries: FLEXBLOCKS_CACHE, or the user's cache directory."""
    chosen = os.environ.get("FLEXBLOCKS_CACHE")
    try:
        return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("flexblocks", appauthor=False)
    except RuntimeError as error:
        raise CacheError(f"compile: FLEXBLOCKS_CACHE = {chosen!r}: {error} Write the path in full.") from None


def cached(key: str, suffix: str, build: Callable[[Path], None]) -> Path:
    """Return the library for `key`, from the cache or built now.

    Parameters
    ----------
    key : str
        All that determines the content of the library.
    suffix : str
        Suffix of its file.
    build : callable
        Builds the library at the path it is called with, in an empty scratch folder.

    Raises
    ------
    CacheError
        The folder is not writable, or is writable by others.
    """
    folder, name = cache_directory(), checksum(key.encode())
    for _ in range(2):  # a second time if another process removed the file in between
        # A sound library in the cache ...
        if folder.is_dir():
            _refuse_others(folder)
        for path in sorted(folder.glob(f"{name}-*{suffix}")):
            if _is_sound(path):
                return path
            LOG.warning("%s is damaged; rebuilding it", path)
            _remove(path)
        # ... or a new one, built in a scratch folder and moved to its place in one step.
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _refuse_others(folder)
            _sweep(folder)
            with _workshop(folder) as inside:
                made = inside / f"library{suffix}"
                build(made)
                content = made.read_bytes()
                with made.open("rb+") as file:
                    os.fsync(file.fileno())
                os.chmod(made, 0o700)  # whatever the user's mask lets others do
                path = folder / f"{name}-{checksum(content)}{suffix}"
                os.replace(made, path)
        except OSError as error:
            raise CacheError(
                f"compile: {folder} cannot be written ({error}); set FLEXBLOCKS_CACHE to a writable directory."
            ) from error
        if _is_sound(path):
            return path
    raise CacheError(
        f"compile: files written to {folder} vanish or change at once; set FLEXBLOCKS_CACHE to another directory."
    )


def checksum(content: bytes) -> str:
    """Return the first 128 bits of the SHA-256 of `content`, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def _is_sound(path: Path) -> bool:
    """Return whether a library is a file that others cannot change, whose content has the checksum in its name."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or _is_open_to_others(status):
            return False  # it could be exchanged between this look and its loading
        return path.stem.rpartition("-")[2] == checksum(path.read_bytes())
    except OSError:
        return False


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _is_open_to_others(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to another user, or is writable by its group or by everybody."""
    if not hasattr(os, "getuid"):  # Windows: the user's own profile, guarded by its access list
        return False
    return status.st_uid not in (os.getuid(), 0) or bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _refuse_others(folder: Path) -> None:
    """Refuse a folder in which another user could put a library.

    Raises
    ------
    CacheError
        It belongs to another user, or is writable by its group or by everybody.
    """
    status = folder.stat()
    if _is_open_to_others(status):
        mode = stat.S_IMODE(status.st_mode)
        raise CacheError(
            f"compile: others may write to {folder} (owner {status.st_uid}, mode {mode:o}), and libraries loaded from "
            f"there run as you; remove that permission (chmod go-w '{folder}'), or set FLEXBLOCKS_CACHE to a directory "
            "of your own."
        )


@contextmanager
def _workshop(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=folder, prefix=UNFINISHED) as inside:
        yield Path(inside)


def _sweep(folder: Path) -> None:
    """Remove unfinished builds of killed processes."""
    for path in folder.glob(f"{UNFINISHED}*"):
        try:
            if time.time() - path.stat().st_mtime > LEFT_BEHIND:
                shutil.rmtree(path, ignore_errors=True)
        except FileNotFoundError:  # another process was faster
            continue
