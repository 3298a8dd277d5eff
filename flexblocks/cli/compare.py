"""`flexblocks compare`: a model with beams of several fidelities side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
import typer

from flexblocks.beam import DISCRETIZATIONS, Discretization
from flexblocks.cli.arguments import (
    JsonOption,
    LockOption,
    ModelArgument,
    OutOption,
    PlotOption,
    SamplesOption,
    SetOption,
    TimeOption,
    X0Option,
    checked_file,
    checked_picture,
    numbers,
)
from flexblocks.cli.catalog import model_named
from flexblocks.cli.import_types import ImportOption, imported_types
from flexblocks.cli.report import print_json, print_line, print_table, save_picture
from flexblocks.cli.signals import InputOption, signals
from flexblocks.compare import compare as compared
from flexblocks.errors import listing
from flexblocks.files import atomic_file

KINDS: dict[str, Callable[[int], Discretization]] = {kind.keyword: kind for kind in DISCRETIZATIONS if kind.keyword}


def compare(
    model: ModelArgument,
    settings: SetOption = None,
    imports: ImportOption = None,
    lock: LockOption = None,
    beams: Annotated[
        list[str] | None,
        typer.Option(
            "--beams", metavar="KIND:N", help="modes:2, elements:4, segments:8, strains:3; repeated, finest last."
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", help="The output whose response is compared.", show_default=False)
    ] = None,
    time: TimeOption = 1.0,
    samples: SamplesOption = 201,
    inputs: InputOption = None,
    x0: X0Option = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="NAME=VALUE",
            help="A coordinate held at the equilibrium compared, from which the response starts; may be repeated.",
        ),
    ] = None,
    out: OutOption = None,
    plot: PlotOption = None,
    json: JsonOption = False,
) -> None:
    """Compare fidelities of a model's beams: frequencies, deflection, cost, energy drift and one response."""
    checked_file("--out", out, (".csv",))
    checked_picture(plot)
    kinds = {text: _kind(text) for text in beams or ("modes:1", "modes:2", "elements:2", "elements:4")}
    t = np.linspace(0.0, time, samples)
    arm = model_named(model, settings, imported_types(imports))
    held, locked = numbers("--at", at, arm) or None, numbers("--lock", lock, arm)
    result = compared(arm, kinds, t, signals(inputs), numbers("--x0", x0, arm), at=held, output=output, locked=locked)
    if out is not None:
        with atomic_file(out) as unfinished:
            result.table.to_csv(unfinished)
    save_picture(plot, lambda pictures: pictures.comparison(result)[0])
    if json:
        print_json({"output": result.output, "fidelities": result.table.to_dict(orient="index")})
        return
    columns = result.table.to_dict(orient="index")
    rows = [(quantity, *(float(of[quantity]) for of in columns.values())) for quantity in result.table.columns]
    print_table(result.output, ("", *columns), rows)
    if out is not None:
        print_line(f"Table written to {out}.")


def _kind(text: str) -> Discretization:
    """Return the discretisation that ``kind:n`` describes; the library checks n."""
    word, _, count = text.partition(":")
    if word not in KINDS or not count.isdigit():
        raise typer.BadParameter(
            f"'{text}'; must be one of {listing(f'{word}:N' for word in KINDS)}.", param_hint="--beams"
        )
    return KINDS[word](int(count))
