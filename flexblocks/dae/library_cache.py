"""Cache of compiled libraries: found again by what they were made from, checked before they are loaded.

A library runs inside the process that loads it. So a file that is cut short would kill Python, and one that somebody
else put there would run as the user: the name of each file ends in the checksum of its content, and a folder into which
others may write is refused.
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
# Compiling the largest arms tried takes minutes; what is older was left behind by a process that was killed.
LEFT_BEHIND = 24 * 3600.0  # s
DIGITS = 32  # of a checksum in a name: 128 bits


class CacheError(FlexblocksError):
    """The cache of compiled libraries cannot be used."""


def cache_directory() -> Path:
    """Return where compiled libraries are kept: FLEXBLOCKS_CACHE, or the user's cache directory."""
    chosen = os.environ.get("FLEXBLOCKS_CACHE")
    return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("flexblocks", appauthor=False)


def cached(key: str, suffix: str, build: Callable[[Path], None]) -> Path:
    """Return the library made from `key`, out of the cache or built now.

    Parameters
    ----------
    key : str
        Everything that determines the library.
    suffix : str
        Of its file.
    build : callable
        Makes the library at a path whose folder is empty and its own.

    Raises
    ------
    CacheError
        The folder cannot be written, or others may write there.
    """
    folder, name = cache_directory(), checksum(key.encode())
    for _ in range(2):  # once more where another process cleared away what was found
        if folder.is_dir():
            _refuse_others(folder)
        for path in sorted(folder.glob(f"{name}-*{suffix}")):
            if _is_sound(path):
                return path
            LOG.warning("%s is damaged; it is built anew", path)
            path.unlink(missing_ok=True)
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
                path = folder / f"{name}-{checksum(content)}{suffix}"
                os.replace(made, path)
        except OSError as error:
            raise CacheError(
                f"compile: {folder} cannot be written ({error}); set FLEXBLOCKS_CACHE to a directory that can."
            ) from error
        if _is_sound(path):
            return path
    raise CacheError(
        f"compile: what is written to {folder} does not stay there; set FLEXBLOCKS_CACHE to another place."
    )


def checksum(content: bytes) -> str:
    """Return the first 128 bits of the SHA-256 of some bytes, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def _is_sound(path: Path) -> bool:
    """Whether a library is what it was when it was made."""
    try:
        return path.stem.rpartition("-")[2] == checksum(path.read_bytes())
    except OSError:
        return False


def _refuse_others(folder: Path) -> None:
    """Refuse a folder in which somebody else could put a library.

    Raises
    ------
    CacheError
        It is somebody else's, or its group or everybody may write there.
    """
    if not hasattr(os, "getuid"):  # Windows: the user's own profile, guarded by its access list
        return
    status = folder.stat()
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid not in (os.getuid(), 0) or mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise CacheError(
            f"compile: others may write to {folder} (owner {status.st_uid}, mode {mode:o}), and what is loaded from "
            f"there runs as you; take that right away (chmod go-w '{folder}'), or set FLEXBLOCKS_CACHE to a directory "
            "of your own."
        )


@contextmanager
def _workshop(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=folder, prefix=UNFINISHED) as inside:
        yield Path(inside)


def _sweep(folder: Path) -> None:
    """Clear away what processes that were killed left unfinished."""
    for path in folder.glob(f"{UNFINISHED}*"):
        try:
            if time.time() - path.stat().st_mtime > LEFT_BEHIND:
                shutil.rmtree(path, ignore_errors=True)
        except FileNotFoundError:  # another process was faster
            continue
