"""`flexblocks simulate`: the motion of a model under prescribed inputs."""

from __future__ import annotations

from typing import Annotated, cast

import numpy as np
import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import (
    JsonOption,
    LockOption,
    ModelArgument,
    OutOption,
    OutputsOption,
    PlotOption,
    PrescribeOption,
    ReportOption,
    SamplesOption,
    SaturateOption,
    SetOption,
    TimeOption,
    X0Option,
    checked_file,
    checked_picture,
    checked_report,
    names,
    numbers,
)
from flexblocks.cli.catalog import model_named
from flexblocks.cli.import_types import ImportOption, imported_types
from flexblocks.cli.report import INTERRUPTED, print_json, print_line, print_table, save_picture, save_report
from flexblocks.cli.signals import InputOption, signals
from flexblocks.simulation import SimulationError
from flexblocks.simulation import simulate as integrate
from flexblocks.simulation.chunks import DEFAULT_STEPS
from flexblocks.simulation.dataset import ranges
from flexblocks.simulation.method import FIXED, METHODS, MethodName


def simulate(
    model: ModelArgument,
    settings: SetOption = None,
    imports: ImportOption = None,
    lock: LockOption = None,
    prescribe: PrescribeOption = None,
    time: TimeOption = 5.0,
    samples: SamplesOption = 1001,
    inputs: InputOption = None,
    x0: X0Option = None,
    method: Annotated[str, typer.Option("--method", help=f"{', '.join(METHODS[:-1])} or {METHODS[-1]}.")] = "auto",
    step: Annotated[
        float | None,
        typer.Option("--step", help=f"Fixed step in seconds, of {', '.join(FIXED)}.", show_default=False),
    ] = None,
    highest: Annotated[
        float | None,
        typer.Option("--highest", help="Highest frequency followed in Hz, of method implicit.", show_default=False),
    ] = None,
    slow_start: Annotated[
        bool, typer.Option("--slow-start", help="Begin without vibrations, of method implicit.")
    ] = False,
    saturate: SaturateOption = False,
    max_steps: Annotated[
        int | None,
        typer.Option(
            "--max-steps",
            help="Integration steps after which the run ends; by default two million.",
            show_default=False,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", help="Seconds of wall time after which the run ends.", show_default=False),
    ] = None,
    outputs: OutputsOption = None,
    out: OutOption = None,
    plot: PlotOption = None,
    report: ReportOption = None,
    json: JsonOption = False,
) -> None:
    """Simulate a model, show the range of its variables and write the trajectory (.nc, .csv)."""
    checked_file("--out", out, (".nc", ".csv"))
    checked_picture(plot)
    checked_report(report)
    if not 0 < time < float("inf"):
        raise typer.BadParameter(f"{time:g} s; must be finite and > 0.", param_hint="--time")
    u = signals(inputs)
    arm = model_named(model, settings, imported_types(imports))
    start = numbers("--x0", x0, arm)
    dae = assemble(arm, locked=numbers("--lock", lock, arm), prescribed=prescribe or ())
    dae = dae.with_outputs(names(outputs) or ())
    try:
        motion = integrate(
            dae,
            np.linspace(0.0, time, samples),
            u=u,
            x0=start,
            method=cast(MethodName, method),
            step=step,
            highest=highest,
            slow_start=slow_start,
            saturate=saturate,
            time_limit=time_limit,
            max_steps=DEFAULT_STEPS if max_steps is None else max_steps,
        )
    except SimulationError as error:
        if out is None:
            raise
        # Keep what was computed before the failure.
        error.trajectory.save(out)
        raise SimulationError(f"{error} They are saved in {out}.", error.trajectory, error.time) from None
    if out is not None:
        motion.save(out)
    save_picture(plot, lambda pictures: pictures.stacked(motion)[0])
    save_report(report, motion)
    rows = ranges(motion)
    if json:
        head = {"model": motion.name, "samples": len(motion), "time": [motion.t[0], motion.t[-1]]}
        print_json({**head, "complete": motion.complete, "variables": {row.pop("name"): row for row in rows}})
    else:
        print_line(repr(motion))
        print_table("Variables", tuple(rows[0]), [tuple(row.values()) for row in rows])
        if out is not None:
            print_line(f"Trajectory written to {out}.")
    if not motion.complete:
        raise typer.Exit(INTERRUPTED)
