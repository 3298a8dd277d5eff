"""Models by name: model files, and the catalogue of arms of the library."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable

import typer
import yaml

from flexblocks.argument_types import annotated_types, mismatches
from flexblocks.cli.arguments import JsonOption, pairs
from flexblocks.cli.completion import SUFFIXES
from flexblocks.cli.report import print_json, print_table
from flexblocks.errors import FileFormatError, NameUnknownError, suggestion
from flexblocks.files import expanded
from flexblocks.modeling.degrees import in_radians
from flexblocks.modeling.model import Model
from flexblocks.modeling.model_file import load_model


def catalog() -> dict[str, Callable[..., Model]]:
    """Return the functions of `flexblocks.models` by their names on the command line."""
    from flexblocks import models

    return {name.replace("_", "-"): getattr(models, name) for name in models.__all__}


def model_named(name: str, settings: Iterable[str] | None = None, types: Iterable[type] = ()) -> Model:
    """Return the model of a file, which may name these types beside the library's, or of the catalogue.

    Raises
    ------
    NameUnknownError
        Neither a model file nor in the catalogue.
    FlexblocksError
        The file or the settings do not describe a valid model.
    typer.BadParameter
        Settings for a file, or settings unknown to the model of the catalogue.
    """
    arguments = pairs("--set", settings)
    known = catalog()
    if name in known:
        return known[name](**_arguments(name, known[name], arguments))
    if not name.endswith(SUFFIXES):
        raise NameUnknownError(
            f"'{name}' is neither a model file ({', '.join(SUFFIXES)}) nor in the catalogue{suggestion(name, known)}"
        )
    if arguments:
        raise typer.BadParameter(f"{name} is a file; only models of the catalogue take arguments.", param_hint="--set")
    if not expanded(name).exists():
        raise FileFormatError(
            f"{name}: there is no such file; must be a model file, or a name from `flexblocks models`."
        )
    return load_model(name, types)


def _arguments(name: str, function: Callable[..., Model], texts: dict[str, str]) -> dict[str, object]:
    """Return the arguments of a catalogue function from text; refuse unknown ones."""
    known = inspect.signature(function).parameters
    for argument in texts:
        if argument not in known:
            raise typer.BadParameter(
                f"{name} has no argument '{argument}'{suggestion(argument, known)}", param_hint="--set"
            )
    # YAML reads 3 as an integer, 0.5 as a float and a word as a string, as in a model file.
    arguments = {argument: _read(argument, text) for argument, text in texts.items()}
    # Here, for the library checks the types of calls from outside alone.
    wrong = mismatches(inspect.signature(function), arguments, annotated_types(function, inspect.signature(function)))
    if wrong:
        raise typer.BadParameter(f"{name}: {'; '.join(wrong)}.", param_hint="--set")
    return arguments


def _read(argument: str, text: str) -> object:
    try:
        return in_radians(yaml.safe_load(text), argument, None)
    except (yaml.YAMLError, ValueError) as error:  # an integer of more than 4300 digits is a ValueError
        raise typer.BadParameter(
            f"{argument}={text[:40]} cannot be read ({' '.join(str(error).split())[:100]}); must be a number, a word "
            "or a list, as in a model file.",
            param_hint="--set",
        ) from None


def models(json: JsonOption = False) -> None:
    """List the arms of the library that can be used by name."""
    entries = [
        {
            "name": name,
            "about": (inspect.getdoc(function) or "").partition("\n")[0],
            "arguments": {key: value.default for key, value in inspect.signature(function).parameters.items()},
        }
        for name, function in catalog().items()
    ]
    if json:
        print_json(entries)
        return
    rows = [(f["name"], f["about"], ", ".join(f"{k}={v}" for k, v in f["arguments"].items())) for f in entries]
    print_table("Models", ("name", "about", "arguments (--set)"), rows)
