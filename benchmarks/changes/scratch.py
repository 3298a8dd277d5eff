"""Scratch copies of the sources, in which changes are made and checked."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.changes.change import Change, Edit

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("flexblocks", "models", "optim")
TIME_LIMIT = 120.0  # [s] of one check; the slowest takes a tenth of it on a quiet machine

# Runs before every check: what is checked must be the copy, not an installation.
PREAMBLE = """\
import pathlib
import flexblocks
from flexblocks import models, optim
for package in (flexblocks, models, optim):
    assert pathlib.Path(package.__file__).is_relative_to({folder!r}), package.__file__
"""


class ChangeFailed(Exception):
    """A change that can no longer be made as it is written down, or that does not work; the message says why."""


def check(change: Change) -> None:
    """Make a change in a scratch copy of the sources and run its check there.

    Raises
    ------
    ChangeFailed
        A new file is there already, an anchor is not there exactly once, or the check fails.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        sources, elsewhere = folder / "sources", folder / "elsewhere"
        elsewhere.mkdir()
        _copy_sources(sources)
        _make(change, sources)
        _run(change, sources, elsewhere)


def _copy_sources(sources: Path) -> None:
    """Copy the packages, laid out as when installed; with new files that are not yet in git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *SOURCES]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for path in filter(None, listed.split("\0")):
        if (ROOT / path).is_file():  # one that was deleted and not yet committed is still listed
            copy = sources / _installed(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((ROOT / path).read_bytes())


def _installed(path: str) -> str:
    """Return where a source file is when installed: models and optim lie inside flexblocks."""
    return path if path.startswith("flexblocks/") else f"flexblocks/{path}"


def _make(change: Change, sources: Path) -> None:
    for path, text in change.files.items():
        new = sources / _installed(path)
        if new.exists():
            raise ChangeFailed(f"{change.name}: {path}: is there already; must be a new file.")
        new.write_text(text, encoding="utf-8")
    for edit in change.edits:
        _apply(change, edit, sources / _installed(edit.path))


def _apply(change: Change, edit: Edit, file: Path) -> None:
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    if (count := text.count(edit.anchor)) != 1:
        raise ChangeFailed(
            f"{change.name}: {edit.path}: the anchor stands there {count} times, must be once; give the change one "
            f"that does:\n{edit.anchor}"
        )
    file.write_text(text.replace(edit.anchor, edit.text), encoding="utf-8")


def _run(change: Change, sources: Path, elsewhere: Path) -> None:
    """Run the check from another folder, with the changed sources first on the path."""
    program = elsewhere / "check.py"
    program.write_text(PREAMBLE.format(folder=str(sources)) + change.check, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(sources), "MPLBACKEND": "agg"}
    try:
        run = subprocess.run(
            [sys.executable, "-P", str(program)],
            cwd=elsewhere,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME_LIMIT,
        )
    except subprocess.TimeoutExpired as error:
        raise ChangeFailed(f"{change.name}: its check takes more than {TIME_LIMIT:g} s.\n{error.output}") from error
    if run.returncode:
        raise ChangeFailed(f"{change.name}: its check fails.\n{run.stdout}")
