"""`flexblocks schema`: JSON Schemas of model and problem files, for editors."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from flexblocks.cli.arguments import checked_file
from flexblocks.cli.import_types import ImportOption, imported_types
from flexblocks.cli.report import print_line
from flexblocks.files import write_text


class Kind(StrEnum):
    """Kinds of files that have a schema."""

    MODEL = "model"
    PROBLEM = "problem"


def schema(
    kind: Annotated[Kind, typer.Argument(help="Which files: model, or problem (of `flexblocks plan`).")] = Kind.MODEL,
    imports: ImportOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="A .json file; by default it is printed.", show_default=False)
    ] = None,
) -> None:
    """Write the JSON Schema of model or problem files, by which editors complete and check them.

    Saved models name the schema of the library; with --import it knows blocks of your own as well.
    """
    from flexblocks.schemas import document_schema, text_of

    checked_file("--out", out, (".json",))
    text = text_of(document_schema(kind.value, imported_types(imports)))
    if out is None:
        print(text, end="")
        return
    write_text(out, text)
    print_line(f"Written: {out}")
