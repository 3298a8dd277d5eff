"""Types of a user's own that model files name: Python files and modules given on the command line."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from flexblocks.errors import FileFormatError, FlexblocksError
from flexblocks.files import readable_file
from flexblocks.modeling.model_data import BLOCK_BASES, VALUE_BASES

OPTION = "--import"
SUFFIX = ".py"
ImportOption = Annotated[
    list[str] | None,
    typer.Option(
        OPTION,
        metavar="FILE.py",
        help="A Python file or module with blocks, discretisations or sections of your own that the model file names. "
        "Its code is run. May be repeated.",
        show_default=False,
    ),
]


def imported_types(names: Iterable[str] | None) -> tuple[type, ...]:
    """Return the types of model files that Python files and modules define; what these import is left out.

    Raises
    ------
    FileFormatError
        A file or module that is not there, cannot be run, or defines no such type.
    """
    types: dict[type, None] = {}  # a set in order
    for name in names or ():
        module = _module(name)
        defined = [kind for kind in vars(module).values() if isinstance(kind, type) and _is_for_files(kind, module)]
        if not defined:
            raise FileFormatError(
                f"{OPTION} {name}: defines no type for model files; must define a class derived from "
                f"{', '.join(kind.__name__ for kind in (*BLOCK_BASES, *VALUE_BASES))}."
            )
        types.update(dict.fromkeys(defined))
    return tuple(types)


def _is_for_files(kind: type, module: ModuleType) -> bool:
    """Whether a type is one that a file can name, and comes from this module or, of a package, from a part of it."""
    inside = kind.__module__ == module.__name__ or kind.__module__.startswith(f"{module.__name__}.")
    return inside and issubclass(kind, (*BLOCK_BASES, *VALUE_BASES)) and not inspect.isabstract(kind)


def _module(name: str) -> ModuleType:
    """Return the module of a file or of a name."""
    is_file = name.endswith(SUFFIX)
    path = readable_file(name).resolve() if is_file else None
    # As Python does for a script: neighbours of the file can be imported. Last, so that they hide nothing.
    sys.path.append(str(path.parent if path else Path.cwd()))
    try:
        return importlib.import_module(name) if path is None else _run(path)
    except FlexblocksError as error:
        raise FileFormatError(f"{OPTION} {name}: {error}") from None
    except ModuleNotFoundError as error:
        if is_file or error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise FileFormatError(f"{OPTION} {name}: {_place(error, path)}{error}.") from error
        raise FileFormatError(
            f"{OPTION} {name}: there is no module '{name}'; give a file that ends in {SUFFIX}, or a module that Python "
            "finds."
        ) from None
    except (Exception, SystemExit) as error:  # whatever a user's code raises
        raise FileFormatError(f"{OPTION} {name}: {_place(error, path)}{type(error).__name__}: {error}.") from error


def _run(path: Path) -> ModuleType:
    """Return the module of a file, run now unless it was before."""
    known = sys.modules.get(path.stem)
    if known is not None:
        if getattr(known, "__file__", None) and Path(str(known.__file__)).resolve() == path:
            return known
        raise FileFormatError(f"there is another module '{path.stem}' already; rename the file.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up while they are made
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module


def _place(error: BaseException, path: Path | None) -> str:
    """Return the line of the file that an error comes from, as the start of a message."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: "
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if path and frame.filename == str(path)]
    return f"line {lines[-1]}: " if lines else ""
