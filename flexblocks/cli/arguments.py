"""Arguments shared by commands, and their parsing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from flexblocks.cli.completion import complete_model
from flexblocks.errors import FileFormatError
from flexblocks.files import expanded
from flexblocks.modeling.degrees import in_radians, is_angular
from flexblocks.modeling.model import Model
from flexblocks.modeling.spanning_tree import topology

ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model file (.yaml, .yml, .json), or a name from `flexblocks models`.",
        show_default=False,
        autocompletion=complete_model,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="An argument of a catalogue model, as links=3; may be repeated."),
]
LockOption = Annotated[
    list[str] | None,
    typer.Option("--lock", metavar="NAME=VALUE", help="A coordinate held at a number (brake on); may be repeated."),
]
PrescribeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--prescribe", metavar="NAME", help="A coordinate moved as a function of time, its --input; may be repeated."
    ),
]
OutputsOption = Annotated[
    str | None,
    typer.Option(
        "--outputs",
        help="More outputs, separated by commas: the motion of frames, as payload.velocity_x,link1.yaw.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, to stdout.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="Write the result to this file.", show_default=False)]
X0Option = Annotated[
    list[str] | None,
    typer.Option("--x0", metavar="NAME=VALUE", help="Initial value of a state; may be repeated."),
]
TimeOption = Annotated[float, typer.Option("--time", help="Duration in seconds.")]
SamplesOption = Annotated[int, typer.Option("--samples", min=2, help="Number of output times.")]
SaturateOption = Annotated[bool, typer.Option("--saturate", help="Clip inputs to the limits of their actuators.")]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="Draw the result to this file (.png, .pdf, .svg).", show_default=False)
]

ReportOption = Annotated[
    Path | None,
    typer.Option("--report", help="Write a report that any browser opens to this file (.html).", show_default=False),
]


def pairs(option: str, texts: Iterable[str] | None) -> dict[str, str]:
    """Return NAME=VALUE arguments as a dict.

    Raises
    ------
    typer.BadParameter
        No equals sign, nothing on one side of it, or a repeated name.
    """
    values: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise typer.BadParameter(f"'{text}'; must be NAME=VALUE.", param_hint=option)
        if name in values:
            raise typer.BadParameter(f"'{name}' occurs twice; must be once.", param_hint=option)
        values[name] = value
    return values


def number(option: str, name: str, text: str, unit: str | None = None) -> float:
    """Return the number in NAME=VALUE, in radians of an angle such as 90deg; the library checks its range."""
    try:
        return float(in_radians(text, name, unit))
    except ValueError:
        words = f" or an angle, such as 90{str(unit).replace('rad', 'deg')}" if is_angular(unit or "rad") else ""
        raise typer.BadParameter(f"{name} = '{text}'; must be a number{words}.", param_hint=option) from None
    except FileFormatError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def numbers(option: str, texts: Iterable[str] | None, model: Model | None = None) -> dict[str, float]:
    """Return NAME=NUMBER arguments as a dict; names are of variables of a `model`, whose units are known."""
    units = {} if model is None else units_of(model)
    return {name: number(option, name, text, units.get(name)) for name, text in pairs(option, texts).items()}


def units_of(model: Model) -> dict[str, str]:
    """Return the units of coordinates and their rates, states and inputs of a model, by name."""
    units = {}
    for name, block in topology(model).blocks.items():
        units |= {f"{name}.{each.name}": each.unit for each in (*block.coordinates(), *block.states(), *block.inputs())}
        units |= {f"der({name}.{each.name})": f"{each.unit}/s" for each in block.coordinates()}
    return units


def names(text: str | None) -> tuple[str, ...] | None:
    """Return the names in a comma-separated list, or None if there is none."""
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def checked_file(option: str, path: Path | None, suffixes: Iterable[str]) -> None:
    """Refuse an output file with another suffix or in a folder that does not exist, before any computation."""
    if path is None:
        return
    suffixes = tuple(suffixes)
    if path.suffix.lower() not in suffixes:
        raise typer.BadParameter(f"'{path}'; must end in {', '.join(suffixes)}.", param_hint=option)
    if not expanded(path).parent.is_dir():
        raise typer.BadParameter(f"'{path}': there is no folder '{path.parent}'; must exist.", param_hint=option)


def checked_picture(path: Path | None) -> None:
    """Refuse a picture file of a format that cannot be drawn."""
    checked_file("--plot", path, (".png", ".pdf", ".svg"))


def checked_report(path: Path | None) -> None:
    """Refuse a report that is no page."""
    checked_file("--report", path, (".html", ".htm"))
