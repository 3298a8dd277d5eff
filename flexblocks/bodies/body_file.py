"""Files of flexible bodies, and how a model file names them: by path and digest."""

from __future__ import annotations

import dataclasses
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexblocks.bodies.flexible_body import FlexibleBody, QuadraticModes, StressPlaces, Surface, arrays
from flexblocks.errors import FileFormatError, FlexblocksError, ParameterError
from flexblocks.files import atomic_file, readable_file

FORMAT = 1
PARTS: dict[str, Any] = {"surface": Surface, "quadratic": QuadraticModes, "stresses": StressPlaces}


@dataclass(frozen=True)
class BodyFile:
    """A flexible body in a file, as model files name it.

    Parameters
    ----------
    path : str or Path
        A ``.npz`` file of `FlexibleBody.save`. In a model file a relative path is relative to that file.
    digest : str
        Of the body, `FlexibleBody.digest`, without which any is taken.

    Raises
    ------
    ParameterError
        No path.
    """

    path: str
    digest: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.path, (str, os.PathLike)) or not os.fspath(self.path):
            raise ParameterError(f"BodyFile: path = {self.path!r}; must be the path of a file, such as 'link.npz'.")
        object.__setattr__(self, "path", str(os.fspath(self.path)))
        if not isinstance(self.digest, str):
            raise ParameterError(f"BodyFile: digest = {self.digest!r}; must be a text, as FlexibleBody.digest.")

    def with_files(self, move: Callable[[str], str]) -> BodyFile:
        """Return it with another path, as by a model file in another folder."""
        return dataclasses.replace(self, path=move(self.path))

    def load(self) -> FlexibleBody:
        """Return the body.

        Raises
        ------
        FileFormatError
            The file cannot be read, or holds another body than that of the digest.
        """
        body = load_body(self.path)
        if self.digest and body.digest != self.digest:
            raise FileFormatError(
                f"{self.path}: holds the body {body.digest}, and the model was made with {self.digest}; restore that "
                "file, or leave the digest out of the model to take this one."
            )
        return body


def file_of(body: FlexibleBody, place: str) -> BodyFile:
    """Return how a file names a body.

    Raises
    ------
    FileFormatError
        It has not been saved.
    """
    path = vars(body).get("_path")
    if path is None:
        raise FileFormatError(f"{place}: the body is in no file yet; save it before the model: body.save('link.npz').")
    return BodyFile(path, body.digest)


def save_body(body: FlexibleBody, path: str | Path) -> None:
    """Write a body; see `FlexibleBody.save`."""
    if Path(path).suffix != ".npz":
        raise FileFormatError(f"{path}: must end in .npz.")
    plain: dict[str, Any] = {
        "format": FORMAT,
        "mass": body.mass,
        "negligible": body.negligible,
        "names": np.array(body.names),
    }
    if body.stresses:
        plain["stresses.names"] = np.array(body.stresses.names)
    content: dict[str, Any] = {**plain, **arrays(body)}
    with atomic_file(path) as file, file.open("wb") as stream:
        np.savez_compressed(stream, **content)
    _remember(body, path)


def load_body(path: str | Path) -> FlexibleBody:
    """Return a body from its file; see `FlexibleBody.load`."""
    file = readable_file(path)
    try:
        with np.load(file, allow_pickle=False) as archive:
            data = dict(archive)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise FileFormatError(f"{path}: is no .npz file of a flexible body: {error}.") from None
    if int(data.pop("format", -1)) != FORMAT:
        raise FileFormatError(f"{path}: is no flexible body of format {FORMAT}; write it with FlexibleBody.save.")
    try:
        body = _body(data)
    except KeyError as error:
        raise FileFormatError(f"{path}: {error.args[0]} is missing in it; write it with FlexibleBody.save.") from None
    except FlexblocksError as error:
        raise FileFormatError(f"{path}: {error}") from None
    _remember(body, path)
    return body


def _body(data: dict[str, np.ndarray]) -> FlexibleBody:
    parts: dict[str, Any] = {}
    for name, kind in PARTS.items():
        if any(key.startswith(f"{name}.") for key in data):
            keys = {field.name: f"{name}.{field.name}" for field in dataclasses.fields(kind)}
            optional = {field.name for field in dataclasses.fields(kind) if field.default is None}
            held = {each: key for each, key in keys.items() if key in data or each not in optional}
            parts[name] = kind(**{each: _value(each, data[key]) for each, key in held.items()})
    plain = (field.name for field in dataclasses.fields(FlexibleBody) if field.name not in PARTS)
    return FlexibleBody(**{name: _value(name, data[name]) for name in plain}, **parts)


def _value(name: str, array: np.ndarray) -> Any:
    if name == "names":
        return tuple(str(each) for each in array)
    return array if array.ndim else float(array)


def _remember(body: FlexibleBody, path: str | Path) -> None:
    """Keep where a body is, which is none of its numbers."""
    object.__setattr__(body, "_path", os.path.abspath(Path(path).expanduser()))
