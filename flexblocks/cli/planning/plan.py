"""`flexblocks plan`: an optimal motion and its replay in a simulation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from flexblocks.assemble import assemble
from flexblocks.cli.arguments import (
    JsonOption,
    LockOption,
    OutOption,
    OutputsOption,
    PlotOption,
    PrescribeOption,
    ReportOption,
    SetOption,
    checked_file,
    checked_picture,
    checked_report,
    names,
)
from flexblocks.cli.import_types import ImportOption, imported_types
from flexblocks.cli.planning.arguments import request_from_arguments
from flexblocks.cli.planning.request import Request, is_problem_file, read_request
from flexblocks.cli.planning.template import TEMPLATE
from flexblocks.cli.report import print_json, print_line, print_table, save_picture, save_report
from flexblocks.cli.simulate import ranges
from flexblocks.modeling.model import Model
from flexblocks.modeling.spanning_tree import topology


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
    imports: ImportOption = None,
    lock: LockOption = None,
    prescribe: PrescribeOption = None,
    goal: Annotated[
        list[str] | None,
        typer.Option("--goal", metavar="NAME=VALUE", help="Final value of a coordinate; may be repeated."),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--start", metavar="NAME=VALUE", help="Initial value of a coordinate; by default as in the model."
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
    guess: Annotated[
        Path | None,
        typer.Option("--guess", help="A plan or motion (.nc, .csv) from which the solver starts.", show_default=False),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            help="Seconds of wall time after which planning ends with the best there is.",
            show_default=False,
        ),
    ] = None,
    refine: Annotated[bool, typer.Option("--refine", help="Refine the mesh until the plan replays.")] = False,
    audit: Annotated[bool, typer.Option("--audit", help="Apply the plan to a finer model, too.")] = False,
    template: Annotated[bool, typer.Option("--template", help="Print a commented problem file, and stop.")] = False,
    outputs: OutputsOption = None,
    out: OutOption = None,
    plot: PlotOption = None,
    report: ReportOption = None,
    json: JsonOption = False,
) -> None:
    """Plan an optimal motion, replay it in a simulation and write the plan (.nc, .csv) and a picture."""
    if template:
        print(TEMPLATE, end="")
        return
    if problem is None:
        raise typer.BadParameter("is missing; give a problem file, or a model with --goal.", param_hint="PROBLEM")
    checked_file("--out", out, (".nc", ".csv"))
    checked_picture(plot)
    checked_report(report)
    # The problem itself comes from a file or from arguments, never from both.
    in_file = {"--goal": goal, "--start": start, "--duration": duration, "--objective": objective, "--limit": limit}
    if is_problem_file(problem):
        for option, value in {**in_file, "--set": settings, "--lock": lock, "--prescribe": prescribe}.items():
            if value is not None:
                raise typer.BadParameter(f"{problem} is a problem file; say it there.", param_hint=option)
        request = read_request(problem, imported_types(imports))
    else:
        request = request_from_arguments(
            problem, settings, imported_types(imports), lock, prescribe, goal, start, duration, objective, limit
        )
    # How to solve it and where to write it may be overridden.
    if intervals is not None:
        request = replace(request, transcription={**request.transcription, "intervals": intervals})
    request = replace(
        request,
        refine=refine or request.refine,
        audit=({} if request.audit is None else request.audit) if audit else request.audit,
        guess=guess or request.guess,
        time_limit=request.time_limit if time_limit is None else time_limit,
        outputs=request.outputs + (names(outputs) or ()),
        out=out or request.out,
        picture=plot or request.picture,
    )
    _report(request, report, json)


def _inputs(model: Model) -> set[str]:
    """Return the names of the inputs of a model, which the problem may know without more ado."""
    return {f"{name}.{each.name}" for name, block in topology(model).blocks.items() for each in block.inputs()}


def _report(request: Request, report: Path | None, json: bool) -> None:
    """Plan, replay, audit, write the files and print the results."""
    from flexblocks import optim

    # Plan; if that fails, keep the last iterate where the plan would have gone.
    dae = assemble(
        request.model,
        symbolic=tuple(request.parameters),
        locked=request.locked,
        prescribed=[name for name in request.prescribed if name not in _inputs(request.model)],
    ).with_outputs(request.outputs)
    try:
        result = optim.plan(
            dae,
            request.problem,
            p=dict(request.parameters),
            refine=request.refine,
            guess=request.guess,
            time_limit=request.time_limit,
            **request.transcription,
        )
    except optim.PlanError as error:
        if error.plan is None or request.out is None or request.out.suffix.lower() != ".nc":
            raise
        error.plan.save(request.out)
        raise optim.PlanError(
            f"{error}\nThe last iterate is saved in {request.out}; go on from it in Python with "
            f'optim.solve(fb.load("{request.out}").pyomo_model).',
            error.plan,
            error.violations,
            error.report,
        ) from None
    audit = None
    if request.audit is not None:
        # To refine the model is to plan again: the subject of the audit is then the better plan.
        finer, again = request.audit.get("finer"), request.audit.get("refine", False)
        audit = optim.refine_model(result, finer) if again else result.audit(finer)
    result = result if audit is None else audit.subject
    replay = result.replay()
    _write(result, replay, request)
    save_report(report, result, replay=replay, audit=audit)
    if json:
        print_json(_data(result, replay, audit))
        return
    print_line(result.summary())
    print_line(str(replay))
    if audit is not None:
        print_line(str(audit))
    rows = ranges(replay.trajectory)
    print_table("Variables, as replayed", tuple(rows[0]), [tuple(row.values()) for row in rows])
    for what, path in (("Plan", request.out), ("Picture", request.picture)):
        if path is not None:
            print_line(f"{what} written to {path}.")


def _write(plan: Any, replay: Any, request: Request) -> None:
    """Write the plan and its picture, where requested."""
    if request.out is not None and request.out.suffix.lower() == ".nc":
        plan.save(request.out)
    elif request.out is not None:
        plan.trajectory.save(request.out)
    save_picture(request.picture, lambda pictures: pictures.plan(plan, replay)[0])


def _data(plan: Any, replay: Any, audit: Any) -> dict[str, Any]:
    """Return the results as plain data, for JSON."""
    data = {
        "model": plan.trajectory.name,
        "status": plan.status,
        "violations": [str(violation) for violation in plan.violations],
        "mesh": None if plan.mesh_errors is None else str(plan.mesh_errors),
        "objective": plan.objective,
        "duration": plan.duration,
        "iterations": plan.statistics.iterations,
        "attempts": [str(attempt) for attempt in plan.attempts],
        "replay": {"tip_miss": replay.tip_miss, "energy_left": replay.energy_left},
        "variables": {row.pop("name"): row for row in ranges(replay.trajectory)},
    }
    if audit is not None:
        rows = audit.to_pandas().reset_index().to_dict("records")
        data["audit"] = {"passed": audit.passed, "figures": {row.pop("figure"): row for row in rows}}
    return data
