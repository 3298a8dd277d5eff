"""`flexblocks linearize`: a linear model about an equilibrium."""

from __future__ import annotations

import math
from typing import Annotated, Any, cast

import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import (
    JsonOption,
    LockOption,
    ModelArgument,
    OutOption,
    PlotOption,
    PrescribeOption,
    ReportOption,
    SetOption,
    checked_file,
    checked_picture,
    checked_report,
    names,
    numbers,
)
from flexblocks.cli.catalog import model_named
from flexblocks.cli.import_types import ImportOption, imported_types
from flexblocks.cli.report import print_json, print_line, print_table, save_picture, save_report
from flexblocks.export import save_linear
from flexblocks.export.formats import FORMATS
from flexblocks.linear.linearize import linearize as linear_model
from flexblocks.linear.mode import Mode
from flexblocks.statics.equilibrium import equilibrium


def linearize(
    model: ModelArgument,
    settings: SetOption = None,
    imports: ImportOption = None,
    lock: LockOption = None,
    prescribe: PrescribeOption = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at", metavar="NAME=VALUE", help="Value of a coordinate or an input at the equilibrium; may be repeated."
        ),
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option("--outputs", help="Output names, separated by commas; by default all.", show_default=False),
    ] = None,
    form: Annotated[
        str, typer.Option("--form", help="minimal, or descriptor: all equations unreduced, E not the identity.")
    ] = "minimal",
    out: OutOption = None,
    plot: PlotOption = None,
    report: ReportOption = None,
    json: JsonOption = False,
) -> None:
    """Linearise a model at an equilibrium, list its modes and write it for other tools (.mat, .json, .npz, .m, .py)."""
    checked_file("--out", out, FORMATS)
    checked_picture(plot)
    checked_report(report)
    held = numbers("--at", at)
    arm = model_named(model, settings, imported_types(imports))
    dae = assemble(arm, locked=numbers("--lock", lock, arm), prescribed=prescribe or ())
    # The equilibrium with those coordinates and inputs held.
    inputs = {name: value for name, value in held.items() if name in dae.u}
    point = equilibrium(dae, x={name: value for name, value in held.items() if name not in inputs}, u=inputs)
    lin = linear_model(dae, at=point, outputs=names(outputs), form=cast(Any, form))
    modes = lin.modes()
    if out is not None:
        save_linear(lin, out)
    save_picture(plot, lambda pictures: pictures.eigenvalues(lin))
    save_report(report, lin)
    if json:
        print_json(
            {
                "name": lin.name,
                "states": list(lin.states),
                "inputs": list(lin.inputs),
                "outputs": list(lin.outputs),
                **{letter: getattr(lin, letter).tolist() for letter in "ABCDE"},
                "operating_point": point.as_dict(),
                "modes": [mode_data(mode) for mode in modes],
            }
        )
        return
    print_line(repr(lin))
    point_rows = [(name, value) for name, value in point.as_dict().items() if not name.startswith("der(")]
    print_table("Operating point (at rest)", ("name", "value"), point_rows)
    print_table(
        "Modes", ("mode", "rad/s", "Hz", "damping ratio", "energy"), [mode_row(i, m) for i, m in enumerate(modes, 1)]
    )
    if out is not None:
        print_line(f"Linear model written to {out}.")


def mode_data(mode: Mode) -> dict[str, object]:
    """Return a mode as plain data."""
    return {
        "frequency": mode.frequency,
        "damping_ratio": mode.damping_ratio,
        "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
        "participation": dict(mode.participation),
        "deformation": dict(mode.deformation),
    }


def mode_row(number: int, mode: Mode) -> tuple[object, ...]:
    """Return the row of a mode in the table of modes."""
    damping = mode.damping_ratio if mode.frequency else ""
    return number, mode.frequency, mode.frequency / (2 * math.pi), damping, mode.shares
