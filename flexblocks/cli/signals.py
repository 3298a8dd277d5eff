"""Input signals on the command line: numbers, shapes such as bang-bang, and columns of files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import casadi as ca
import numpy as np
import typer

from flexblocks.cli.arguments import pairs
from flexblocks.errors import FileFormatError, FlexblocksError, ParameterError, meant, suggestion
from flexblocks.files import readable_file
from flexblocks.libraries import pd
from flexblocks.simulation import Signal, Trajectory, bang_bang, piecewise_constant
from flexblocks.simulation.trajectory_files import read_series

OPTION = "--input"
HELP = (
    "A number; bang-bang:AMPLITUDE,WIDTH (+ for WIDTH seconds, - for as long, then 0); step:AMPLITUDE,TIME; "
    "sine:AMPLITUDE,FREQUENCY[,END] (rad/s, s); or FILE:COLUMN of a table (.csv, its first column the time in seconds) "
    "or of a saved trajectory (.csv, .nc), interpolated linearly (two rows at one time are a jump). May be repeated."
)
InputOption = Annotated[list[str] | None, typer.Option("--input", metavar="NAME=SIGNAL", help=HELP)]


def signals(texts: Iterable[str] | None) -> dict[str, Any]:
    """Return the inputs for `flexblocks.simulate` from NAME=SIGNAL arguments.

    Raises
    ------
    typer.BadParameter
        Not one of the forms of a signal.
    FlexblocksError
        An unreadable file, or invalid numbers.
    """
    return {name: _signal(name, text) for name, text in pairs(OPTION, texts).items()}


def _signal(name: str, text: str) -> Any:
    word, colon, rest = text.rpartition(":")
    if not colon:
        return _numbers(name, text, 1, 1)[0]
    if word in SHAPES:
        make, least, most = SHAPES[word]
        numbers = _numbers(name, rest, least, most)
        try:
            return make(*numbers)
        except FlexblocksError as error:
            raise ParameterError(f"{OPTION} {name}: {error}") from None
    if word.lower().endswith((".csv", ".nc")):
        return _column(Path(word), rest)
    told = meant(word, SHAPES, f"must be: {HELP}")
    raise typer.BadParameter(f"{name} = '{text}'{told}", param_hint=OPTION)


def _numbers(name: str, text: str, least: int, most: int) -> list[float]:
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if not least <= len(values) <= most:
        count = f"{least}" if least == most else f"{least} or {most}"
        raise typer.BadParameter(
            f"{name}: '{text}'; must be {count} number(s), separated by commas. {HELP}", param_hint=OPTION
        )
    return values


def _step(amplitude: float, time: float) -> Any:
    return piecewise_constant([time], [amplitude])


def _sine(amplitude: float, frequency: float, end: float = np.inf) -> Signal:
    def value(t: Any) -> Any:
        wave = amplitude * ca.sin(frequency * t)
        return wave if np.isinf(end) else ca.if_else(t < end, wave, 0.0)

    return Signal(value)


SHAPES: dict[str, tuple[Callable[..., Any], int, int]] = {
    "bang-bang": (bang_bang, 2, 2),
    "step": (_step, 2, 2),
    "sine": (_sine, 2, 3),
}


def _column(path: Path, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Return times [s] and values of one column of a file."""
    # A file that Trajectory.save wrote: .nc, or .csv with a header of comments. Any other .csv is a plain table.
    file = readable_file(path)
    if path.suffix.lower() == ".nc" or file.read_bytes().startswith(b"#"):
        trajectory = Trajectory.from_xarray(read_series(file))
        return trajectory.t, trajectory[column]
    try:
        table = pd.read_csv(file)
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path}: cannot be read as a table: {error}.") from None
    columns = [str(name) for name in table.columns]
    if column not in columns:
        raise FileFormatError(f"{path}: has no column '{column}'{suggestion(column, columns)}")
    for name in (columns[0], column):
        if not pd.api.types.is_numeric_dtype(table[name]):
            raise FileFormatError(f"{path}: column '{name}' has entries that are not numbers; must be numeric.")
        missing = np.isnan(table[name].to_numpy(float))
        if missing.any():
            row = int(missing.argmax()) + 1
            raise FileFormatError(f"{path}: row {row} has no number in column '{name}'; the file may be cut short.")
    return table[columns[0]].to_numpy(float), table[column].to_numpy(float)
