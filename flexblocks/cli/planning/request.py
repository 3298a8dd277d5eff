"""A planning request: model, problem and what to do with the plan, as read from a problem file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import typer

from flexblocks.cli.catalog import model_named
from flexblocks.cli.completion import SUFFIXES
from flexblocks.errors import FileFormatError, FlexblocksError, listing, suggestion
from flexblocks.file_paths import expanded
from flexblocks.modeling.model import Model
from flexblocks.modeling.model_file import discretization_from_data
from flexblocks.modeling.yaml_json import read_document

KEYS = (
    "model",
    "settings",
    "parameters",
    "locked",
    "prescribed",
    "problem",
    "transcription",
    "refine",
    "guess",
    "audit",
    "output",
)
GUESSES = (".nc", ".csv")
AUDIT = ("finer", "refine")
OUTPUT = {"plan": (".nc", ".csv"), "picture": (".png", ".pdf", ".svg")}


@dataclass(frozen=True)
class Request:
    """A planning problem with its model, and what to do with the plan.

    Attributes
    ----------
    model : Model
    problem : RestToRest or Problem
    parameters : dict of float
        Parameters with values other than the model's.
    locked : dict of float
        Coordinates that are held, see `flexblocks.assemble`.
    prescribed : tuple of str
        Coordinates whose acceleration is an input, or whose motion the problem knows, see `flexblocks.assemble`; and
        inputs that it knows.
    transcription : dict
        Fields of `TranscriptionOptions`, options of `optim.plan`.
    refine : bool or float
        As of `optim.plan`.
    guess : Path or None
        A plan or motion from which the solver starts.
    audit : dict or None
        What to audit on, ``finer``, and whether to ``refine`` the model until it passes; None for no audit.
    out, picture : Path or None
        Files to write.
    """

    model: Model
    problem: Any
    parameters: Mapping[str, float] = field(default_factory=dict)
    locked: Mapping[str, float] = field(default_factory=dict)
    prescribed: tuple[str, ...] = ()
    transcription: Mapping[str, Any] = field(default_factory=dict)
    refine: bool | float = False
    guess: Path | None = None
    audit: Mapping[str, Any] | None = None
    out: Path | None = None
    picture: Path | None = None


def is_problem_file(name: str) -> bool:
    """Whether a name is that of a file with a planning problem."""
    if not name.endswith(SUFFIXES) or not expanded(name).is_file():
        return False
    data = read_document(name)
    return isinstance(data, Mapping) and "problem" in data


def read_request(path: str | Path, types: Iterable[type] = ()) -> Request:
    """Return the request in a problem file; see ``flexblocks plan --template``.

    Parameters
    ----------
    path : str or Path
    types : iterable of type
        Blocks, discretizations and sections of your own that the file or its model names.

    Raises
    ------
    FileFormatError
        A key is unknown, missing or of the wrong type; the message gives its path.
    """
    from flexblocks.optim.collocation.transcription_options import TranscriptionOptions
    from flexblocks.optim.problem.serialization import from_data

    path, types = expanded(path), tuple(types)
    data = checked(read_document(path), f"{path}", KEYS, required=("model", "problem"))
    output = checked(data.get("output"), f"{path}: output", tuple(OUTPUT))
    problem = mapping(data["problem"], f"{path}: problem")
    refine = data.get("refine", False)
    if not isinstance(refine, (bool, int, float)):
        raise FileFormatError(f"{path}: refine = {refine!r}; must be true, false or the greatest miss allowed [m].")
    asked = from_data({"type": "RestToRest"} | dict(problem), f"{path}: problem")
    options = tuple(option.name for option in fields(TranscriptionOptions))
    return Request(
        model=_model(data, path, types),
        problem=asked,
        parameters=mapping(data.get("parameters"), f"{path}: parameters"),
        locked=mapping(data.get("locked"), f"{path}: locked"),
        prescribed=_prescribed(data.get("prescribed"), getattr(asked, "prescribed", ()), f"{path}: prescribed"),
        transcription=checked(data.get("transcription"), f"{path}: transcription", options),
        refine=refine,
        guess=_guess(data.get("guess"), path),
        audit=_audit(data.get("audit", False), f"{path}: audit", types),
        **{("out" if key == "plan" else key): _file(output, key, path) for key in OUTPUT},
    )


def _guess(value: Any, path: Path) -> Path | None:
    """Return the file of a first guess, which lies beside the problem file."""
    if value is None:
        return None
    if not isinstance(value, str) or not value.endswith(GUESSES):
        raise FileFormatError(
            f"{path}: guess = {value!r}; must be the name of a file that ends in {' or '.join(GUESSES)}."
        )
    return path.parent / expanded(value)


def _model(data: Mapping[str, Any], path: Path, types: Iterable[type]) -> Model:
    """Return the model of a request; a model file is looked for beside the problem file."""
    name, settings = data["model"], mapping(data.get("settings"), f"{path}: settings")
    if not isinstance(name, str):
        raise FileFormatError(f"{path}: model = {name!r}; must be a model file or a name from `flexblocks models`.")
    if name.endswith(SUFFIXES):
        name = str(path.parent / expanded(name))
    try:
        return model_named(name, [f"{key}={value}" for key, value in settings.items()], types)
    except typer.BadParameter as error:
        raise FileFormatError(f"{path}: settings: {error.message}") from None
    except FlexblocksError as error:
        raise FileFormatError(f"{path}: model: {error}") from None


def _prescribed(value: Any, known: Iterable[str], place: str) -> tuple[str, ...]:
    """Return the coordinates that a file prescribes, and those whose motions the problem knows."""
    names = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FileFormatError(f"{place} = {value!r}; must be a coordinate, or a list of them.")
    return tuple(dict.fromkeys([*names, *known]))


def _audit(value: Any, place: str, types: Iterable[type]) -> Mapping[str, Any] | None:
    """Return the arguments of the audit, or None for no audit."""
    if value is None or value is False:
        return None
    if value is True:
        return {}
    arguments = dict(checked(value, place, AUDIT))
    finer = arguments.get("finer")
    if isinstance(finer, Mapping):
        arguments["finer"] = (
            discretization_from_data(finer, f"{place}.finer", types)
            if "type" in finer
            else {name: discretization_from_data(one, f"{place}.finer.{name}", types) for name, one in finer.items()}
        )
    elif finer is not None:
        raise FileFormatError(f"{place}.finer = {finer!r}; must be a discretization, as {{type: AssumedModes, n: 6}}.")
    if not isinstance(arguments.get("refine", False), bool):
        raise FileFormatError(f"{place}.refine = {arguments['refine']!r}; must be true or false.")
    return arguments


def _file(output: Mapping[str, Any], key: str, path: Path) -> Path | None:
    """Return a file to write, beside the problem file; refuse one that cannot be written."""
    if output.get(key) is None:
        return None
    target = path.parent / expanded(str(output[key]))
    if target.suffix.lower() not in OUTPUT[key]:
        raise FileFormatError(f"{path}: output.{key} = {output[key]!r}; must end in {', '.join(OUTPUT[key])}.")
    if not target.parent.is_dir():
        raise FileFormatError(f"{path}: output.{key} = {output[key]!r}: there is no folder '{target.parent}'.")
    return target


def checked(data: Any, place: str, known: tuple[str, ...], required: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """Return a mapping with known keys only, and with those required."""
    entries = mapping(data, place)
    for key in entries:
        if key not in known:
            raise FileFormatError(f"{place}: unknown key '{key}'{suggestion(key, known)}")
    for key in required:
        if key not in entries:
            raise FileFormatError(f"{place}: '{key}' is missing; needs {listing(required)}.")
    return entries


def mapping(data: Any, place: str) -> Mapping[str, Any]:
    """Return a mapping, empty for none."""
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise FileFormatError(f"{place}: {data!r}; must be a mapping from names to values.")
    return data
