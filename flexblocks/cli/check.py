"""`flexblocks check`: blocks and variables of a model, and the operation counts of its equations."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import (
    JsonOption,
    LockOption,
    ModelArgument,
    PlotOption,
    SetOption,
    checked_picture,
    numbers,
)
from flexblocks.cli.catalog import model_named
from flexblocks.cli.import_types import ImportOption, imported_types
from flexblocks.cli.report import print_json, print_line, print_table, save_picture
from flexblocks.dae.dae import DAE
from flexblocks.dae.operation_counts import operation_counts
from flexblocks.interfaces.variables import Variables
from flexblocks.modeling.model import Model


def check(
    model: ModelArgument,
    settings: SetOption = None,
    imports: ImportOption = None,
    lock: LockOption = None,
    symbolic: Annotated[
        list[str] | None,
        typer.Option("--symbolic", metavar="NAME", help="A parameter that stays a symbol, or 'all'; may be repeated."),
    ] = None,
    plot: PlotOption = None,
    json: JsonOption = False,
) -> None:
    """Check a model, assemble it and show its blocks, variables and the operation counts of its equations."""
    checked_picture(plot)
    # Assemble before anything is printed: a refusal then stands alone.
    arm = model_named(model, settings, imported_types(imports))
    dae = assemble(arm, symbolic="all" if symbolic == ["all"] else symbolic or (), locked=numbers("--lock", lock, arm))
    data = summary(arm, dae)
    save_picture(plot, lambda pictures: pictures.model(arm))
    if json:
        print_json(data)
        return
    print_line(
        f"{arm.name}: {len(arm.blocks)} blocks, {dae.tree.size} coordinates, {len(dae.x)} states, "
        f"{len(dae.u)} inputs, {len(dae.y)} outputs."
    )
    if dae.closed_start is not None and dae.closed_start.moved:
        print_line(f"Start values that close the loops:\n{dae.closed_start}")
    print_table("Blocks", ("name", "type", "connected to"), [tuple(block.values()) for block in data["blocks"]])
    for title in ("states", "algebraics", "inputs", "outputs", "parameters"):
        rows = [tuple("" if entry is None else entry for entry in row.values()) for row in data[title]]
        if rows:
            print_table(title.capitalize(), tuple(data[title][0]), rows)
    print_table(
        "Operations of one evaluation",
        ("function", "additions", "multiplications", "divisions", "functions", "total"),
        [(name, *counts.values()) for name, counts in data["operations"].items()],
    )


def summary(model: Model, dae: DAE) -> dict[str, Any]:
    """Return the results of `check` as plain data."""
    checked = model.check()
    return {
        "name": model.name,
        "gravity": list(model.gravity),
        "blocks": [dict(zip(checked.HEADS, row, strict=True)) for row in checked.rows],
        "coordinates": list(dae.q_names),
        "states": _variables(dae.x),
        "algebraics": _variables(dae.z),
        "inputs": [
            row | {"role": role, "limit": float(limit) if limit < float("inf") else None}
            for row, role, limit in zip(_variables(dae.u), dae.u.roles, dae.u.limits, strict=True)
        ],
        "outputs": [{"name": row["name"], "unit": row["unit"]} for row in _variables(dae.y)],
        "parameters": _variables(dae.p),
        "operations": {
            function.name(): operation_counts(function)
            for function in (dae.mass_matrix, dae.inverse_dynamics, dae.forward_dynamics)
        },
    }


def _variables(group: Variables) -> list[dict[str, Any]]:
    return [
        {"name": name, "unit": unit, "start": float(start)}
        for name, unit, start in zip(group.names, group.units, group.start, strict=True)
    ]
