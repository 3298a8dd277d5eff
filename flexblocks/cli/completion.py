"""Shell completion of models: names of the catalogue, and model files."""

from __future__ import annotations

from pathlib import Path

SUFFIXES = (".yaml", ".yml", ".json")


def complete_model(incomplete: str) -> list[str]:
    """Return the models and the files and folders on the way to one that a word may be the beginning of."""
    from flexblocks import models  # needed in a shell's completion only

    names = [name.replace("_", "-") for name in models.__all__]
    head, slash, start = incomplete.rpartition("/")
    try:
        entries = sorted(Path(head + slash).expanduser().iterdir() if head or slash else Path.cwd().iterdir())
    except (OSError, RuntimeError):  # no such folder: nothing to offer
        entries = []
    files = [
        f"{head}{slash}{entry.name}{'/' if entry.is_dir() else ''}"
        for entry in entries
        if (entry.suffix in SUFFIXES or entry.is_dir()) and (start or not entry.name.startswith("."))
    ]
    return [word for word in (*names, *files) if word.startswith(incomplete)]
