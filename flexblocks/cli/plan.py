"""`flexblocks plan`: an optimal motion from rest to rest, and what the arm really does under it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import numpy as np
import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import (
    JsonOption,
    ModelArgument,
    OutOption,
    PlotOption,
    SetOption,
    checked_file,
    checked_picture,
    number,
    numbers,
    pairs,
)
from flexblocks.cli.catalogue import model_named
from flexblocks.cli.report import print_json, print_line, print_table
from flexblocks.cli.simulate import quantities, ranges
from flexblocks.simulation import Trajectory


def plan(
    model: ModelArgument,
    goal: Annotated[
        list[str], typer.Option("--goal", metavar="NAME=VALUE", help="A coordinate at the end; may be repeated.")
    ],
    settings: SetOption = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--start", metavar="NAME=VALUE", help="A coordinate at the beginning; by default as in the model."
        ),
    ] = None,
    duration: Annotated[float, typer.Option("--duration", help="In seconds.")] = 2.0,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=VALUE",
            help="Largest magnitude, or LOW,HIGH, of an input, an input's rate der(NAME) or a state; may be repeated.",
        ),
    ] = None,
    rate_weight: Annotated[
        float, typer.Option("--rate-weight", help="Weight of the inputs' squared rates beside their squares, in s2.")
    ] = 0.01,
    intervals: Annotated[int, typer.Option("--intervals", help="Mesh intervals.")] = 100,
    out: OutOption = None,
    plot: PlotOption = None,
    json: JsonOption = False,
) -> None:
    """Plan a motion of least effort from rest to rest, replay it in a simulation and write the plan (.nc, .csv)."""
    from flexblocks import optim

    checked_file("--out", out, (".nc", ".csv"))
    checked_picture(plot)
    goals, starts, limits = numbers("--goal", goal), numbers("--start", start), _limits(limit)
    dae = assemble(model_named(model, settings))
    problem = optim.RestToRest(
        start={name: float(dae.x.start[dae.x.index(name)]) for name in goals} | starts,
        goal=goals,
        duration=duration,
        objective=optim.Effort(rate_weight),
        limits=limits,
    )
    found = optim.plan(dae, problem, intervals=intervals)
    replay = found.replay()
    if out is not None:
        found.trajectory.save(out)
    if plot is not None:
        from flexblocks import plot as pictures

        motion = replay.trajectory
        pictures.save(pictures.stacked(motion, quantities(motion), limits=_near(limits, motion))[0], plot)
    if json:
        print_json(
            {
                "model": dae.name,
                "status": found.status,
                "objective": found.objective,
                "duration": found.duration,
                "iterations": found.statistics.iterations,
                "replay": {"tip_miss": replay.tip_miss, "energy_left": replay.energy_left},
                "variables": {row.pop("name"): row for row in ranges(replay.trajectory)},
            }
        )
        return
    print_line(found.summary())
    print_line(str(replay))
    rows = ranges(replay.trajectory)
    print_table("Variables, as replayed", tuple(rows[0]), [tuple(row.values()) for row in rows])
    if out is not None:
        print_line(f"Plan written to {out}.")


def _near(limits: dict[str, float | tuple[float, float]], motion: Trajectory) -> dict[str, float]:
    """Return the limits that the motion comes near to; one far off would press its curve flat."""
    return {
        name: bound
        for name, bound in limits.items()
        if isinstance(bound, float) and name in motion and bound < 2 * np.abs(motion[name]).max()
    }


def _limits(given: Iterable[str] | None) -> dict[str, float | tuple[float, float]]:
    found: dict[str, float | tuple[float, float]] = {}
    for name, text in pairs("--limit", given).items():
        bounds = [number("--limit", name, part) for part in text.split(",")]
        if len(bounds) > 2:
            raise typer.BadParameter(f"{name} = '{text}'; must be a number or LOW,HIGH.", param_hint="--limit")
        found[name] = bounds[0] if len(bounds) == 1 else (bounds[0], bounds[1])
    return found
