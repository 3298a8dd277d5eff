"""Files that a mesh file names, materials, textures, buffers: read from beside it, and from nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

MOST_BYTES = 200_000_000  # of a mesh file, and of one that it names


@dataclass
class SideFiles:
    """A resolver of file names for trimesh: those in the folder of a mesh file, or below its parent folder.

    Attributes
    ----------
    file : Path
        The mesh file.
    refused : list of str
        Names that led to files elsewhere.
    """

    file: Path
    refused: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def get(self, name: str) -> bytes:
        """Return the content of a file; links count as what they lead to.

        Raises
        ------
        ValueError
            The file is elsewhere, or too large.
        FileNotFoundError
            There is none, as of a URL.
        """
        folder = self.file.resolve().parent
        named = (text.replace("\\", "/") for text in (name.strip(), unquote(name.strip())))
        place = next((path for text in named if (path := (folder / text).resolve()).is_file()), None)
        if place is None:
            raise FileNotFoundError(f"there is no file '{name}'")
        if not place.is_relative_to(_root(folder)):
            self.refused.append(name)
            raise ValueError(f"'{name}' is outside of {_root(folder)}")
        if place.stat().st_size > MOST_BYTES:
            raise ValueError(f"'{name}' has {place.stat().st_size / 1e6:.0f} MB, of at most {MOST_BYTES / 1e6:.0f}")
        return place.read_bytes()


def _root(folder: Path) -> Path:
    """Return the parent of a folder; the folder itself where the parent is the root, below which everything is."""
    return folder if folder.parent == folder.parent.parent else folder.parent
