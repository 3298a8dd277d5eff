"""`flexblocks body`: a flexible body from finite elements, as a file for models."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from flexblocks.cli.arguments import checked_file
from flexblocks.cli.report import print_line
from flexblocks.errors import ParameterError


class Units(StrEnum):
    """Units of a file of CalculiX."""

    SI = "m-kg-s"
    MM_T_S = "mm-t-s"
    MM_KG_MS = "mm-kg-ms"


def body(
    source: Annotated[
        Path,
        typer.Argument(
            help="An input file of CalculiX with its .sti, .mas and .dof; a mesh of solids (.msh, .vtk ...) with "
            "--density and --youngs-modulus; or a body (.npz), which is described.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the body to this file (.npz).", show_default=False)
    ] = None,
    interface: Annotated[
        list[str] | None,
        typer.Option(
            "--interface",
            metavar="NAME=SET",
            help="An interface and its set of nodes, or boundary of a mesh; may be repeated. By default frame_a and "
            "frame_b have sets of their names.",
        ),
    ] = None,
    modes: Annotated[int, typer.Option("--modes", help="Modes that are kept in the file.")] = 12,
    units: Annotated[Units, typer.Option("--units", help="Of CalculiX's file.")] = Units.SI,
    density: Annotated[
        float | None, typer.Option("--density", help="Of the material of a mesh [kg/m3].", show_default=False)
    ] = None,
    youngs_modulus: Annotated[
        float | None, typer.Option("--youngs-modulus", help="Of the material of a mesh [Pa].", show_default=False)
    ] = None,
    poissons_ratio: Annotated[float, typer.Option("--poissons-ratio", help="Of the material of a mesh.")] = 0.3,
) -> None:
    """Reduce a finite-element model to a flexible body and write it as a file (.npz) that models name."""
    from flexblocks.beam import Material
    from flexblocks.bodies import FlexibleBody

    checked_file("--out", out, (".npz",))
    interfaces = {"frame_a": "frame_a", "frame_b": "frame_b"} | dict(_named(each) for each in interface or ())
    if source.suffix == ".npz":
        found = FlexibleBody.load(source)
    elif density is not None or youngs_modulus is not None:
        if density is None or youngs_modulus is None:
            raise ParameterError("body: --density and --youngs-modulus must be given together, for a mesh.")
        found = FlexibleBody.from_mesh(source, Material(density, youngs_modulus, poissons_ratio), interfaces, modes)
    else:
        given: Any = units.value
        found = FlexibleBody.from_calculix(source, interfaces, modes, units=given)
    print_line(f"{found}")
    if out is not None:
        found.save(out)
        print_line(f"Written: {out}")


def _named(text: str) -> tuple[str, str]:
    name, equals, of = text.partition("=")
    if not (name and equals and of):
        raise typer.BadParameter(f"'{text}'; must be NAME=SET, as frame_b=tip.", param_hint="--interface")
    return name, of
