"""The commands: where each one is, and what `flexblocks --help` says of it; one is imported when it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

from flexblocks.libraries import optional

# By name: where its function is, and the first line of its docstring, which --help shows without importing it.
COMMANDS = {
    "check": (
        "flexblocks.cli.check:check",
        "Check a model, assemble it and show its blocks, variables and the operation counts of its equations.",
    ),
    "import": (
        "flexblocks.cli.importing.robot:import_robot",
        "Read a robot from a URDF or MuJoCo file and write it as a model file.",
    ),
    "body": (
        "flexblocks.cli.importing.body:body",
        "Reduce a finite-element model to a flexible body and write it as a file (.npz) that models name.",
    ),
    "simulate": (
        "flexblocks.cli.simulate:simulate",
        "Simulate a model, show the range of its variables and write the trajectory (.nc, .csv).",
    ),
    "linearize": (
        "flexblocks.cli.linearize:linearize",
        "Linearise a model at an equilibrium, list its modes and write it for other tools (.mat, .json, .npz, .m, "
        ".py).",
    ),
    "export": (
        "flexblocks.cli.export:export",
        "Write a model for other tools: an FMU, a linear model, equations, C code.",
    ),
    "compare": (
        "flexblocks.cli.compare:compare",
        "Compare fidelities of a model's beams: frequencies, deflection, cost, energy drift and one response.",
    ),
    "plan": (
        "flexblocks.cli.planning.plan:plan",
        "Plan an optimal motion, replay it in a simulation and write the plan (.nc, .csv) and a picture.",
    ),
    "view": (
        "flexblocks.cli.view:view",
        "Show a motion, a plan or the modes of a model in space, in a browser or a file.",
    ),
    "demo": (
        "flexblocks.cli.demo:demo",
        "Compose, check, simulate, linearise, export, plan and replay the two-link flexible arm, with pictures.",
    ),
    "models": ("flexblocks.cli.catalog:models", "List the arms of the library that can be used by name."),
    "schema": (
        "flexblocks.cli.schema:schema",
        "Write the JSON Schema of model or problem files, by which editors complete and check them.",
    ),
    "study": (
        "flexblocks.cli.study:run_study",
        "Do a task for many cases, and keep the results in a store (.zarr, .nc) that any xarray opens.",
    ),
}


def function_of(name: str) -> Callable[..., None]:
    """Return the function of a command.

    Raises
    ------
    MissingExtraError
        It needs a library that is not installed.
    """
    module, _, function = COMMANDS[name][0].partition(":")
    return getattr(optional(module, f"flexblocks {name}"), function)


class Commands(TyperGroup):
    """Commands that are imported when they are called, so that neither help nor one command waits for the others."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return name, command and remaining words of a command line."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None or command is None else command_named(name), rest


def add_commands(app: typer.Typer) -> None:
    """Give an application names and help of the commands."""
    for name, (_, text) in COMMANDS.items():
        app.command(name, help=text)(_not_called)


def _not_called() -> None:
    """Stand for a command in the help of all; `Commands` calls the one itself."""


def command_named(name: str) -> Any:
    """Return a command as typer has it, with its arguments."""
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(function_of(name))
    return typer.main.get_command(alone)
