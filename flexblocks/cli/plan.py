"""`flexblocks plan`: an optimal motion, and what the arm really does under it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import (
    JsonOption,
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
from flexblocks.cli.plan_request import Request, is_problem_file, read_request
from flexblocks.cli.plan_template import TEMPLATE
from flexblocks.cli.report import print_json, print_line, print_table
from flexblocks.cli.simulate import ranges


def plan(
    problem: Annotated[
        str | None,
        typer.Argument(
            metavar="PROBLEM",
            help="A problem file (.yaml, .yml, .json; see --template), or a model as elsewhere, with --goal.",
            show_default=False,
        ),
    ] = None,
    settings: SetOption = None,
    goal: Annotated[
        list[str] | None,
        typer.Option("--goal", metavar="NAME=VALUE", help="A coordinate at the end; may be repeated."),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--start", metavar="NAME=VALUE", help="A coordinate at the beginning; by default as in the model."
        ),
    ] = None,
    duration: Annotated[str | None, typer.Option("--duration", help="Seconds, LOW,HIGH or free; by default 2.")] = None,
    objective: Annotated[
        str | None, typer.Option("--objective", help="effort, time or vibration; by default effort.")
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=VALUE",
            help="Largest magnitude, or LOW,HIGH, of an input, an input's rate der(NAME) or a state; may be repeated.",
        ),
    ] = None,
    intervals: Annotated[int | None, typer.Option("--intervals", help="Mesh intervals; by default 100.")] = None,
    refine: Annotated[bool, typer.Option("--refine", help="Refine the mesh until the plan replays.")] = False,
    audit: Annotated[bool, typer.Option("--audit", help="Apply the plan to a finer model, too.")] = False,
    template: Annotated[bool, typer.Option("--template", help="Print a commented problem file, and stop.")] = False,
    out: OutOption = None,
    plot: PlotOption = None,
    json: JsonOption = False,
) -> None:
    """Plan an optimal motion, replay it in a simulation and write the plan (.nc, .csv) and a picture."""
    if template:
        print(TEMPLATE, end="")
        return
    if problem is None:
        raise typer.BadParameter("is missing; a problem file, or a model with --goal.", param_hint="PROBLEM")
    checked_file("--out", out, (".nc", ".csv"))
    checked_picture(plot)
    own = {"--goal": goal, "--start": start, "--duration": duration, "--objective": objective, "--limit": limit}
    if is_problem_file(problem):
        for option, given in {**own, "--set": settings}.items():
            if given is not None:
                raise typer.BadParameter(f"{problem} is a problem file; say it there.", param_hint=option)
        request = read_request(Path(problem))
    else:
        request = _request(problem, settings, goal, start, duration, objective, limit)
    if intervals is not None:
        request = replace(request, transcription={**request.transcription, "intervals": intervals})
    request = replace(
        request,
        refine=refine or request.refine,
        audit=({} if request.audit is None else request.audit) if audit else request.audit,
        out=out or request.out,
        picture=plot or request.picture,
    )
    _report(request, json)


def _report(request: Request, json: bool) -> None:
    """Plan, replay, audit, write and tell."""
    from flexblocks import optim

    dae = assemble(request.model, symbolic=tuple(request.parameters))
    try:
        found = optim.plan(
            dae,
            request.problem,
            p=dict(request.parameters),
            refine=request.refine,
            **request.transcription,
        )
    except optim.PlanError as error:
        if error.plan is None or request.out is None or request.out.suffix.lower() != ".nc":
            raise
        error.plan.save(request.out)
        raise optim.PlanError(
            f"{error}\nThe last iterate is saved in {request.out}; go on from it in Python with "
            f'optim.solve(optim.load_plan("{request.out}").model).',
            error.plan,
            error.violations,
            error.report,
        ) from None
    audit = None
    if request.audit is not None:
        finer, again = request.audit.get("finer"), request.audit.get("refine", False)
        audit = optim.refine_model(found, finer) if again else found.audit(finer)
    found = found if audit is None else audit.subject
    replay = found.replay()
    _write(found, replay, request)
    if json:
        print_json(_data(found, replay, audit))
        return
    print_line(found.summary())
    print_line(str(replay))
    if audit is not None:
        print_line(str(audit))
    rows = ranges(replay.trajectory)
    print_table("Variables, as replayed", tuple(rows[0]), [tuple(row.values()) for row in rows])
    for what, path in (("Plan", request.out), ("Picture", request.picture)):
        if path is not None:
            print_line(f"{what} written to {path}.")


def _write(found: Any, replay: Any, request: Request) -> None:
    if request.out is not None and request.out.suffix.lower() == ".nc":
        found.save(request.out)
    elif request.out is not None:
        found.trajectory.save(request.out)
    if request.picture is not None:
        from flexblocks import plot as pictures

        pictures.save(pictures.plan(found, replay)[0], request.picture)


def _data(found: Any, replay: Any, audit: Any) -> dict[str, Any]:
    data = {
        "model": found.trajectory.model,
        "status": found.status,
        "objective": found.objective,
        "duration": found.duration,
        "iterations": found.statistics.iterations,
        "attempts": [str(attempt) for attempt in found.attempts],
        "replay": {"tip_miss": replay.tip_miss, "energy_left": replay.energy_left},
        "variables": {row.pop("name"): row for row in ranges(replay.trajectory)},
    }
    if audit is not None:
        rows = audit.to_pandas().reset_index().to_dict("records")
        data["audit"] = {"passed": audit.passed, "figures": {row.pop("figure"): row for row in rows}}
    return data


def _request(
    model: str,
    settings: Iterable[str] | None,
    goal: Iterable[str] | None,
    start: Iterable[str] | None,
    duration: str | None,
    objective: str | None,
    limit: Iterable[str] | None,
) -> Request:
    """Return what the arguments ask for."""
    from flexblocks import optim

    arm, goals, starts = model_named(model, settings), numbers("--goal", goal), numbers("--start", start)
    if not goals:
        raise typer.BadParameter("is missing; name a coordinate and its value at the end.", param_hint="--goal")
    dae = assemble(arm)
    rest = {name: float(dae.x.start[dae.x.index(name)]) for name in goals}
    asked = optim.RestToRest(
        start=rest | starts,
        goal=goals,
        duration=_duration(duration),
        objective=objective or "effort",
        limits={name: _range("--limit", name, text) for name, text in pairs("--limit", limit).items()},
    )
    return Request(arm, asked)


def _duration(text: str | None) -> Any:
    return text if text == "free" else 2.0 if text is None else _range("--duration", "duration", text)


def _range(option: str, name: str, text: str) -> float | tuple[float, float]:
    bounds = [number(option, name, part) for part in text.split(",")]
    if len(bounds) > 2:
        raise typer.BadParameter(f"{name} = '{text}'; must be a number or LOW,HIGH.", param_hint=option)
    return bounds[0] if len(bounds) == 1 else (bounds[0], bounds[1])
