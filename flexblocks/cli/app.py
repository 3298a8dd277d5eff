"""The command-line application: its commands, and how errors and warnings are reported."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer

from flexblocks.cli.commands import Commands, add_commands
from flexblocks.errors import FlexblocksError
from flexblocks.public_calls import delivering


class Program(Commands):
    """Commands with exit code 0: done; 1: refused, reason on stderr; 2: wrong usage; 130: ended early by Ctrl-C."""

    @delivering
    def invoke(self, ctx: Any) -> Any:
        # Refusals and warnings are messages to the user, not tracebacks; anything else is a bug and shows itself.
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: _say("Warning", "bold yellow", str(message), ctx)
            try:
                return super().invoke(ctx)
            except (FlexblocksError, OSError) as error:
                _say("Refused", "bold red", str(error), ctx)
                raise typer.Exit(1) from None

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        # From here on messages speak of files, and of options of this command.
        ctx.obj = [option for each in getattr(command, "params", ()) for option in each.opts]
        return name, command, rest


def _say(word: str, style: str, text: str, ctx: Any) -> None:
    """Print a message to stderr, in the terms of files and options; stdout is for results."""
    from rich.console import Console  # takes long to import, as does what is in it
    from rich.text import Text

    from flexblocks.cli.file_terms import in_file_terms

    said = in_file_terms(text, ctx.obj or ())
    Console(stderr=True, soft_wrap=True).print(Text(f"{word}: ", style=style).append(said, "default"))


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version as installed_version

        print(f"flexblocks {installed_version('flexblocks')}")
        raise typer.Exit


app = typer.Typer(
    cls=Program,
    name="flexblocks",
    help="Flexible robot arms from blocks: check, simulate, linearise, export and plan from one model file.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version, and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options of the program itself, not of a command; its help is the one above."""
    del version  # printed by its callback, before anything else is looked at


add_commands(app)


def main() -> None:
    """Run the command line."""
    app(prog_name="flexblocks")
