"""`flexblocks export`: a model for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import (
    LockOption,
    ModelArgument,
    PrescribeOption,
    SaturateOption,
    SetOption,
    checked_file,
    names,
    numbers,
)
from flexblocks.cli.catalog import model_named
from flexblocks.cli.import_types import ImportOption, imported_types
from flexblocks.cli.report import print_line
from flexblocks.errors import ParameterError


def export(
    model: ModelArgument,
    settings: SetOption = None,
    imports: ImportOption = None,
    lock: LockOption = None,
    prescribe: PrescribeOption = None,
    fmu: Annotated[
        Path | None, typer.Option("--fmu", help="Functional Mock-up Unit (.fmu).", show_default=False)
    ] = None,
    version: Annotated[str, typer.Option("--version", help="FMI version: 3.0, or 2.0, which most tools read.")] = "3.0",
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="ModelExchange or CoSimulation; by default both.", show_default=False),
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(
            "--outputs",
            help="Outputs of the FMU and of the linear model, separated by commas; by default all.",
            show_default=False,
        ),
    ] = None,
    sources_only: Annotated[
        bool, typer.Option("--sources-only", help="An FMU of C sources only, without a binary for this machine.")
    ] = False,
    saturate: SaturateOption = False,
    linear: Annotated[
        list[Path] | None,
        typer.Option(
            "--linear", help="Linear model at rest (.mat, .json, .npz, .m, .py); may be repeated.", show_default=False
        ),
    ] = None,
    equations: Annotated[
        Path | None, typer.Option("--equations", help="Equations of motion (.tex, .py, .c, .m).", show_default=False)
    ] = None,
    code: Annotated[
        Path | None, typer.Option("--code", help="All functions in C, with a self-test (.c).", show_default=False)
    ] = None,
    symbolic: Annotated[
        str | None,
        typer.Option(
            "--symbolic", help="Parameters that stay parameters, separated by commas, or all.", show_default=False
        ),
    ] = None,
) -> None:
    """Write a model for other tools: an FMU, a linear model, equations, C code."""
    from flexblocks import export as exports
    from flexblocks.export.formats import FORMATS

    checked_file("--fmu", fmu, (".fmu",))
    checked_file("--code", code, (".c",))
    checked_file("--equations", equations, (".tex", ".py", ".c", ".m"))
    for path in linear or ():
        checked_file("--linear", path, FORMATS)
    if not (fmu or linear or equations or code):
        raise ParameterError(
            "export: nothing to write; must be one file at least. Give --fmu, --linear, --equations or --code."
        )
    if saturate and not fmu:
        raise ParameterError("export: --saturate has no effect without --fmu; give --fmu, or leave it out.")
    if linear and symbolic:
        raise ParameterError(
            "export: --linear with --symbolic: a linear model has numbers only; leave --symbolic out, or export the "
            "linear model by itself."
        )
    arm = model_named(model, settings, imported_types(imports))
    wanted = "all" if symbolic == "all" else names(symbolic) or ()
    dae = assemble(arm, symbolic=wanted, locked=numbers("--lock", lock, arm), prescribed=prescribe or ())
    output_names = names(outputs)
    written: list[Path] = []
    if fmu is not None:
        binary = False if sources_only else None
        kinds = kind or ("ModelExchange", "CoSimulation")
        unit = exports.fmu(dae, fmu, cast(Any, version), kinds, outputs=output_names, saturate=saturate, binary=binary)
        written.append(unit)
    if linear:
        from flexblocks.linear.linearize import linearize

        lin = linearize(dae, outputs=output_names)
        for path in linear:
            exports.save_linear(lin, path)
            written.append(path)
    if equations is not None:
        exports.save_equations(dae, equations)
        written.append(equations)
    if code is not None:
        written += exports.c_code(dae, code)
    for path in written:
        print_line(f"Written: {path}")
