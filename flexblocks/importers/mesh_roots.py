"""Where the meshes of a robot's file may lie: in its folder, and in the packages that the user names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import unquote

from flexblocks.errors import FileFormatError
from flexblocks.files import expanded

Packages = str | Path | Iterable[str | Path] | Mapping[str, str | Path] | None


class MeshRoots:
    """The folders from which a robot's file may name others.

    Parameters
    ----------
    file : Path
        Of the robot; its folder is one of them, and so is a folder above it that has the name of a package, for that
        package.
    packages : dict, path or list of paths, optional
        Folders by the name of a package; or folders that are packages or hold them.
    """

    def __init__(self, file: Path, packages: Packages) -> None:
        self.folder = Path(os.path.abspath(file)).parent
        self.named: dict[str, Path] = {}
        self.given: list[Path] = []
        if isinstance(packages, Mapping):
            self.named = {str(name): _folder(path) for name, path in packages.items()}
        elif packages is not None:
            several = [packages] if isinstance(packages, (str, Path)) else packages
            self.given = [_folder(path) for path in several]

    @property
    def roots(self) -> list[Path]:
        """All folders."""
        return [self.folder, *self.named.values(), *self.given]

    def holds(self, path: Path) -> bool:
        """Whether a path lies inside one of the folders."""
        return any(_is_inside(path, root) for root in self.roots)

    def find(self, uri: str) -> tuple[Path | None, str]:
        """Return the file that a text names; or None, and why."""
        scheme, path = re.fullmatch(r"(?:([A-Za-z][A-Za-z0-9+.-]+):(?://)?)?(.*)", uri, re.DOTALL).groups()  # type: ignore[union-attr]
        if scheme in ("package", "model"):
            name, _, rest = unquote(path).partition("/")
            candidates = [(root, root / rest) for root in self._package(name)]
            if not candidates:
                return None, f"package '{name}' is not known; give its folder: packages={{'{name}': folder}}"
        elif scheme in (None, "file"):
            candidates = [(root, self.folder / (unquote(path) if scheme else path)) for root in self.roots]
        else:
            return None, f"{scheme}: is not followed"
        inside = [place for root, place in candidates if _is_inside(place, root)]
        if not inside:
            return None, "lies outside the folder of the file; name a folder that holds it in packages="
        found = next((place for place in inside if place.is_file()), None)
        return found, "" if found else "there is no such file"

    def _package(self, name: str) -> list[Path]:
        if name in self.named:
            return [self.named[name]]
        found = [root if root.name == name else root / name for root in self.given]
        above = [folder for folder in (self.folder, *self.folder.parents) if folder.name == name]
        return [folder for folder in (*found, *above) if folder.is_dir()]


def _folder(path: str | Path) -> Path:
    folder = Path(os.path.abspath(expanded(path)))
    if not folder.is_dir():
        raise FileFormatError(f"packages: {path}: there is no such folder.")
    return folder


def _is_inside(path: Path, root: Path) -> bool:
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
    except ValueError:  # a zero byte
        return False
