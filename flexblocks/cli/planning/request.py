"""A planning request: model, problem and what to do with the plan, as read from a problem file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import typer

from flexblocks.cli.arguments import units_of
from flexblocks.cli.catalog import model_named
from flexblocks.cli.completion import SUFFIXES
from flexblocks.errors import FileFormatError, FlexblocksError
from flexblocks.files import expanded
from flexblocks.modeling.dataclass_data import Refusals, check_keys
from flexblocks.modeling.degrees import in_radians
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
    "time_limit",
    "outputs",
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
    time_limit : float or None
        Wall time [s] after which planning ends.
    outputs : tuple of str
        Further outputs, see `DAE.with_outputs`.
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
    time_limit: float | None = None
    outputs: tuple[str, ...] = ()
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
        Blocks, discretisations and sections of your own that the file or its model names.

    Raises
    ------
    FileFormatError
        A key is unknown, missing or of the wrong type; the message gives its path.
    """
    from flexblocks.optim.collocation.transcription_options import TranscriptionOptions
    from flexblocks.optim.problem.serialization import from_data

    path, types = expanded(path), tuple(types)
    data = mapping(read_document(path), f"{path}")
    options = tuple(option.name for option in fields(TranscriptionOptions))
    refusals, parts, units = Refusals(), dict[str, Any](), dict[str, str]()

    def quantities(key: str) -> Mapping[str, Any]:
        return _in_units(mapping(data.get(key), f"{path}: {key}"), f"{path}: {key}", units)

    def problem() -> Any:
        return from_data({"type": "RestToRest"} | dict(quantities("problem")), f"{path}: problem")

    # All errors are reported at once; the model comes first, for it knows the units of its variables.
    with refusals.collected():
        checked(data, f"{path}", KEYS, required=("model", "problem"))
    if "model" in data:
        with refusals.collected():
            parts["model"] = _model(data, path, types)
            units |= units_of(parts["model"])
    readers: dict[str, Callable[[], Any]] = {
        "problem": problem,
        "parameters": lambda: mapping(data.get("parameters"), f"{path}: parameters"),
        "locked": lambda: quantities("locked"),
        "prescribed": lambda: _names(data.get("prescribed"), f"{path}: prescribed", "a coordinate"),
        "transcription": lambda: checked(data.get("transcription"), f"{path}: transcription", options),
        "refine": lambda: _refine(data.get("refine", False), f"{path}"),
        "guess": lambda: _guess(data.get("guess"), path),
        "time_limit": lambda: _seconds(data.get("time_limit"), f"{path}: time_limit"),
        "outputs": lambda: _names(data.get("outputs"), f"{path}: outputs", "an output"),
        "audit": lambda: _audit(data.get("audit", False), f"{path}: audit", types),
        "out": lambda: _file(data, "plan", path),
        "picture": lambda: _file(data, "picture", path),
    }
    for part, read in readers.items():
        if part != "problem" or part in data:
            with refusals.collected():
                parts[part] = read()
    refusals.refuse()
    known = getattr(parts["problem"], "prescribed", ())
    parts["prescribed"] = tuple(dict.fromkeys([*parts["prescribed"], *known]))
    return Request(**parts)


def _in_units(value: Any, place: str, units: Mapping[str, str]) -> Any:
    """Return values in which angles in degrees that belong to named variables are in radians."""
    if isinstance(value, Mapping):
        return {
            name: in_radians(one, f"{place}.{name}", units[name])
            if name in units
            else _in_units(one, f"{place}.{name}", units)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_in_units(one, f"{place}[{i}]", units) for i, one in enumerate(value)]
    return value


def _refine(value: Any, place: str) -> bool | float:
    if not isinstance(value, (bool, int, float)):
        raise FileFormatError(f"{place}: refine = {value!r}; must be true, false or the greatest miss allowed [m].")
    return value


def _seconds(value: Any, place: str) -> float | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0):
        raise FileFormatError(f"{place} = {value!r}; must be a number of seconds > 0.")
    return value


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
    except FlexblocksError as error:
        raise FileFormatError("\n".join(f"{path}: model: {line}" for line in str(error).split("\n"))) from None
    except typer.BadParameter as error:
        raise FileFormatError(f"{path}: settings: {error.message}") from None


def _names(value: Any, place: str, what: str) -> tuple[str, ...]:
    """Return the names in a file: one, or a list of them."""
    names = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FileFormatError(f"{place} = {value!r}; must be the name of {what}, or a list of names.")
    return tuple(names)


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
        raise FileFormatError(f"{place}.finer = {finer!r}; must be a discretisation, as {{type: AssumedModes, n: 6}}.")
    if not isinstance(arguments.get("refine", False), bool):
        raise FileFormatError(f"{place}.refine = {arguments['refine']!r}; must be true or false.")
    return arguments


def _file(data: Mapping[str, Any], key: str, path: Path) -> Path | None:
    """Return a file to write, beside the problem file; refuse one that cannot be written."""
    output = checked(data.get("output"), f"{path}: output", tuple(OUTPUT))
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
    check_keys(entries, place, set(required), set(known) - set(required))
    return entries


def mapping(data: Any, place: str) -> Mapping[str, Any]:
    """Return a mapping, empty for none."""
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise FileFormatError(f"{place}: {data!r}; must be a mapping from names to values.")
    return data
