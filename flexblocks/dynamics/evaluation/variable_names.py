"""The names, units and roles of a block's variables: what files, tables and other tools can hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from flexblocks.errors import ModelError, listing
from flexblocks.interfaces import Block, Physics
from flexblocks.interfaces.block_variables import Role


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


def check_roles(block: Block) -> None:
    """Refuse roles of inputs that are unknown, and rates of what is no other input of the block.

    Raises
    ------
    ModelError
        The first of them.
    """
    rate_of = {variable.name: variable.derivative_of for variable in block.inputs()}
    for variable in block.inputs():
        name, role = variable.name, variable.role
        if role not in get_args(Role):
            words = ", ".join(map(repr, get_args(Role)))
            raise ModelError(f"{block.where}: input '{name}' has the role {role!r}; must be one of {words}.")
        lower, above = variable.derivative_of, {name}
        while lower is not None:
            if lower not in rate_of or lower in above:
                raise ModelError(
                    f"{block.where}: input '{name}' is derivative_of={variable.derivative_of!r}; must be another "
                    f"input of the block ({listing(rate_of)}), and no rate of itself."
                )
            above.add(lower)
            lower = rate_of[lower]


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
