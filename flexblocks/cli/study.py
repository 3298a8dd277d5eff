"""`flexblocks study`: a task for many cases, from a file, on this computer or a cluster."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from flexblocks import tasks
from flexblocks.cli.arguments import JsonOption
from flexblocks.cli.catalog import model_named
from flexblocks.cli.completion import SUFFIXES
from flexblocks.cli.import_types import ImportOption, imported_types
from flexblocks.cli.planning.request import checked, mapping
from flexblocks.cli.report import INTERRUPTED, print_json, print_line, print_table
from flexblocks.cli.signals import signals
from flexblocks.errors import FileFormatError, FlexblocksError, ParameterError, listing, suggestion
from flexblocks.files import expanded, readable_file
from flexblocks.libraries import optional, pd
from flexblocks.modeling.yaml_json import read_document
from flexblocks.studies import Cases, grid, samples, table
from flexblocks.studies.outcome import DONE
from flexblocks.studies.study import study

TASKS = {"simulate": tasks.Simulate, "linearize": tasks.Linearize, "equilibrium": tasks.Equilibrium, "plan": tasks.Plan}
KEYS = ("model", "settings", "task", "cases", "store")
HELP = "A study file (.yaml, .yml, .json): model, task, cases and store; see docs/studies.md."


def run_study(
    file: Annotated[str, typer.Argument(metavar="STUDY", help=HELP, show_default=False)],
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes; by default this one.", show_default=False)
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="Dask's scheduler, as tcp://...", show_default=False),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the store, if there is one.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Do cases that failed again.")] = False,
    imports: ImportOption = None,
    json: JsonOption = False,
) -> None:
    """Do a task for many cases, and keep the results in a store (.zarr, .nc) that any xarray opens."""
    if workers is not None and scheduler is not None:
        raise typer.BadParameter("give --workers or --scheduler, not both.", param_hint="--scheduler")
    path = readable_file(file)
    data = checked(read_document(path), f"{path}", KEYS, ("model", "task", "cases", "store"))
    store = path.parent / expanded(str(data["store"]))
    if store.exists() and not (resume or retry):
        raise FileFormatError(f"{store}: is there already; --resume continues with it, or remove it.")
    task, cases = _task(data, path, imported_types(imports)), _cases(data["cases"], path)
    executor = workers if scheduler is None else _client(scheduler)
    runs = study(task, cases, store, executor, retry=retry)
    _report(runs, store, json)
    state = runs["state"].values
    if not state.all():
        raise typer.Exit(INTERRUPTED)
    if not (state == DONE).any():
        raise typer.Exit(1)


def _client(address: str) -> Any:
    """Return the client of a scheduler of Dask's.

    Not the process' default: files are written here, with this process' locks; one that cannot connect stays nowhere.
    """
    try:
        return optional("distributed", "--scheduler").Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise ParameterError(
            f"--scheduler {address!r}: {reason}. Must be where `dask scheduler` says that it is, tcp://10.0.0.1:8786 "
            "for one."
        ) from error


def _report(runs: Any, store: Path, json: bool) -> None:
    state = runs["state"].values
    count = {"cases": state.size, "done": int((state == 1).sum()), "failed": int((state == 2).sum())}
    rows = []
    for name, values in runs.data_vars.items():
        if values.dtype.kind == "f" and values.size and count["done"]:
            numbers = values.values[state == 1]
            row = (str(name), values.attrs.get("units", ""), *(float(one) for one in (numbers.min(), numbers.max())))
            rows.append(row)
    if json:
        ranges = {name: {"unit": unit, "least": low, "largest": high} for name, unit, low, high in rows}
        print_json({**count, "store": str(store), "variables": ranges})
        return
    print_table("Results", ("name", "unit", "least", "largest"), rows)
    print_line(f"{count['done']} of {count['cases']} cases done, {count['failed']} failed; results in {store}.")


def _task(data: Mapping[str, Any], path: Path, types: Any) -> Any:
    """Return the task of a study file."""
    settings = {"type": None, **mapping(data["task"], f"{path}: task")}
    kind = settings.pop("type")
    if kind not in TASKS:
        raise FileFormatError(f"{path}: task.type = {kind!r}{suggestion(kind, TASKS, 'must be one of')}")
    name = str(data["model"])
    if name.endswith(SUFFIXES):
        name = str(path.parent / expanded(name))
    chosen = mapping(data.get("settings"), f"{path}: settings")
    try:
        model = model_named(name, [f"{key}={value}" for key, value in chosen.items()], types)
    except typer.BadParameter as error:
        raise FileFormatError(f"{path}: settings: {error.message}") from None
    except FlexblocksError as error:
        raise FileFormatError(f"{path}: model: {error}") from None
    checked(settings, f"{path}: task", tuple(inspect.signature(TASKS[kind]).parameters)[1:])
    if kind == "simulate" and "u" in settings:
        shapes = mapping(settings["u"], f"{path}: task.u")
        try:
            settings["u"] = signals([f"{key}={value}" for key, value in shapes.items()])
        except typer.BadParameter as error:
            raise FileFormatError(f"{path}: task.u: {error.message}") from None
    if kind == "plan" and isinstance(settings.get("problem"), Mapping):
        from flexblocks.optim.problem.serialization import from_data

        settings["problem"] = from_data({"type": "RestToRest", **settings["problem"]}, f"{path}: task.problem")
    needed = [one.name for one in inspect.signature(TASKS[kind]).parameters.values() if one.default is one.empty][1:]
    for name in needed:
        if name not in settings:
            raise FileFormatError(f"{path}: task: '{name}' is missing; {kind} needs {', '.join(needed)}.")
    try:
        return TASKS[kind](model, **settings)
    except FlexblocksError as error:
        raise FileFormatError(f"{path}: task: {error}") from None


def _cases(data: Any, path: Path) -> Cases:
    """Return the cases of a study file: a grid, samples or a table."""
    cases = checked(data, f"{path}: cases", ("grid", "samples", "count", "design", "seed", "table"))
    kinds = [kind for kind in ("grid", "samples", "table") if kind in cases]
    if len(kinds) != 1:
        raise FileFormatError(f"{path}: cases: has {listing(kinds)}; must have one of grid, samples, table.")
    if kinds == ["samples"]:
        drawn = mapping(cases["samples"], f"{path}: cases.samples")
        design = cases.get("design", "latin_hypercube")
        return samples(drawn, cases.get("count", 100), design, seed=cases.get("seed", 0))
    if kinds == ["grid"]:
        return grid(mapping(cases["grid"], f"{path}: cases.grid"))
    if isinstance(cases["table"], str):
        file = readable_file(path.parent / expanded(cases["table"]))
        try:
            return table(pd.read_csv(file))
        except ValueError as error:  # what pandas says of a file that is empty, uneven or no text
            raise FileFormatError(f"{file}: no table of cases: {str(error).strip().rstrip('.')}.") from error
    return table(cases["table"])
