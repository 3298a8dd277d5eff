"""The names and units of a block's variables: what files, tables and other tools can hold."""

from __future__ import annotations

from collections.abc import Iterator

from flexblocks.errors import ModelError
from flexblocks.interfaces import Block, Physics


def check_names(block: Block, physics: Physics) -> None:
    """Refuse names and units that no file keeps: of no or unprintable letters, and names with a slash.

    A line end ends a row of a CSV file, and netCDF takes a slash for a group.

    Raises
    ------
    ModelError
        The first of them.
    """
    for kind, name, unit in _named(block, physics):
        if not (isinstance(name, str) and name and name.isprintable() and "/" not in name):
            raise ModelError(
                f"{block.where}: {kind} name {name!r}; must have at least one letter, and neither a line end, another "
                "letter that cannot be printed, nor a slash."
            )
        if not (isinstance(unit, str) and (not unit or unit.isprintable())):
            raise ModelError(
                f"{block.where}: {kind} '{name}' has the unit {unit!r}; must be a text on one line, such as 'N m'."
            )


def _named(block: Block, physics: Physics) -> Iterator[tuple[str, str, str]]:
    """Yield what each variable of a block is, its name and its unit."""
    for kind, variables in (
        ("coordinate", block.coordinates()),
        ("input", block.inputs()),
        ("state", block.states()),
        ("algebraic variable", block.algebraics()),
    ):
        for variable in variables:
            yield kind, variable.name, variable.unit
    for name, output in physics.outputs.items():
        yield "output", name, output.unit
