"""`flexblocks import`: a robot's file as a model file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from flexblocks.cli.arguments import checked_file, names, numbers
from flexblocks.cli.report import print_line
from flexblocks.errors import ParameterError


class Base(StrEnum):
    """How a robot stands."""

    FIXED = "fixed"
    FREE = "free"


class Inertia(StrEnum):
    """What becomes of inertias that no rigid body has."""

    REFUSE = "refuse"
    REPAIR = "repair"


def import_robot(
    robot: Annotated[Path, typer.Argument(help="A URDF file, or a MuJoCo file (MJCF).", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write the model to this file (.yaml, .yml, .json).", show_default=False),
    ] = None,
    base: Annotated[Base, typer.Option("--base", help="Whether the root of a URDF file stands or moves.")] = Base.FIXED,
    lock: Annotated[
        list[str] | None,
        typer.Option("--lock", metavar="NAME=VALUE", help="A joint fixed at a position; may be repeated."),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option("--start", metavar="NAME=VALUE", help="The start value of a joint; may be repeated."),
    ] = None,
    passive: Annotated[
        str | None,
        typer.Option("--passive", help="Joints without a motor, separated by commas.", show_default=False),
    ] = None,
    inertia: Annotated[
        Inertia, typer.Option("--inertia", help="What becomes of inertias that no rigid body has.")
    ] = Inertia.REFUSE,
    packages: Annotated[
        list[Path] | None,
        typer.Option(
            "--packages", help="A folder that is a package or holds some; may be repeated.", show_default=False
        ),
    ] = None,
) -> None:
    """Read a robot from a URDF or MuJoCo file and write it as a model file."""
    from flexblocks.importers.foreign_xml import read_xml
    from flexblocks.importers.mjcf import from_mjcf
    from flexblocks.importers.urdf import from_urdf

    checked_file("--out", out, (".yaml", ".yml", ".json"))
    arguments: dict[str, Any] = {
        "lock": numbers("--lock", lock),
        "start": numbers("--start", start),
        "passive": names(passive) or (),
        "inertia": inertia.value,
        "packages": packages,
    }
    if read_xml(robot).tag != "mujoco":
        found = from_urdf(robot, base.value, **arguments)
    elif base is Base.FREE:
        raise ParameterError("import: --base: a MuJoCo file says itself whether its base moves; leave it out.")
    else:
        found = from_mjcf(robot, **arguments)
    print_line(f"{found}")
    if out is not None:
        found.model.save(out)
        print_line(f"Written: {out}")
