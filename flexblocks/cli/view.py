"""`flexblocks view`: an interactive view in space of a saved motion, a plan or a model."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import SetOption, checked_file
from flexblocks.cli.catalog import model_named
from flexblocks.cli.import_types import ImportOption, imported_types
from flexblocks.cli.report import print_line
from flexblocks.dae.dae import DAE
from flexblocks.errors import FlexblocksError, ParameterError
from flexblocks.files import expanded
from flexblocks.libraries import optional
from flexblocks.linear.linearize import linearize
from flexblocks.load import load
from flexblocks.modeling.model import Model
from flexblocks.simulation.trajectory import Trajectory

SUFFIXES, RESULTS = (".html", ".glb", ".gif", ".mp4"), (".nc", ".csv")


def view(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="Results (.nc, .csv), which play at the same time; or a model file, or a model's name.",
            show_default=False,
        ),
    ],
    model: Annotated[
        str | None, typer.Option("--model", help="The arm of results that do not hold theirs.", show_default=False)
    ] = None,
    settings: SetOption = None,
    imports: ImportOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write it to this file (.html, .glb, .gif, .mp4).", show_default=False),
    ] = None,
    exaggeration: Annotated[float, typer.Option("--exaggeration", help="Factor on deflections.")] = 1.0,
    color: Annotated[
        str | None, typer.Option("--color", help="stress, bending moment or speed.", show_default=False)
    ] = None,
    side_by_side: Annotated[bool, typer.Option("--side-by-side", help="Several results beside each other.")] = False,
    triangles: Annotated[
        int | None,
        typer.Option("--triangles", help="Most triangles that are kept of an arm's meshes.", show_default="50000"),
    ] = None,
    speed: Annotated[float, typer.Option("--speed", help="Seconds of the motion per second of a film.")] = 1.0,
    browser: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser where there is one.")] = True,
) -> None:
    """Show a motion, a plan or the modes of a model in space, in a browser or a file."""
    checked_file("--out", out, SUFFIXES)
    plot = optional("flexblocks.plot", "flexblocks view")
    types = imported_types(imports)
    results = [expanded(source) for source in sources if source.lower().endswith(RESULTS)]
    if results and len(results) == len(sources):
        arm = None if model is None else assemble(model_named(model, settings, types))
        shown = [_motion(path, arm, types) for path in results]
        labels = [path.stem for path in results] if len(results) > 1 else None
    elif len(sources) == 1 and model is None:
        shown, labels = [_at_rest(model_named(sources[0], settings, types))], None
    else:
        raise typer.BadParameter(
            f"{', '.join(sources)}; must be results ({', '.join(RESULTS)}), or one model.", param_hint="SOURCE"
        )
    layout = "side by side" if side_by_side else None
    fewer = {} if triangles is None else {"triangles": triangles}
    animation = plot.animate(*shown, labels=labels, exaggeration=exaggeration, color=color, layout=layout, **fewer)
    path = expanded(out) if out is not None else Path(tempfile.mkdtemp(prefix="flexblocks-")) / "arm.html"
    if path.suffix.lower() in (".gif", ".mp4"):
        animation.save(path, speed=speed)
    else:
        animation.save(path)
    opened = browser and path.suffix.lower() == ".html" and _has_browser() and webbrowser.open(path.resolve().as_uri())
    print_line(f"{repr(animation).partition('; save')[0]} written to {path}{', and opened.' if opened else '.'}")


def _has_browser() -> bool:
    """Whether there is a screen, and someone in front of it."""
    screen = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return screen and sys.stdout.isatty()


def _motion(path: Path, arm: DAE | None, types: tuple[type, ...]) -> Any:
    """Return the result in a file, with its arm; that of the user if it holds none."""
    result = load(path, types)
    if not isinstance(result, Trajectory) or result.dae is not None:
        return result
    if arm is None:
        raise ParameterError(
            f"{path}: holds no arm to draw; pass its model file, --model arm.yaml. (Motions saved as .nc hold their "
            "arm, unless it is a closed loop of control or has functions among its parameters.)"
        )
    return result.of(arm.with_outputs(result.names["y"]))


def _at_rest(model: Model) -> Any:
    """Return what is shown of a model: its modes at rest; its start posture where it has none."""
    dae = assemble(model)
    try:
        lin = linearize(dae)
    except FlexblocksError:  # no equilibrium to be linearised at; the posture is worth seeing all the same
        return dae
    return lin if any(mode.eigenvalue.imag for mode in lin.modes()) else dae
