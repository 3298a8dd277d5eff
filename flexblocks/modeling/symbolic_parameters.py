"""Symbolic parameters: those of a model that stay symbols when it is assembled."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.errors import FlexblocksError, NameUnknownError, ParameterError, listing, suggestion
from flexblocks.interfaces import ANY, Block, Composite, Range, parameter
from flexblocks.interfaces.parameters import argument_name
from flexblocks.interfaces.variables import Variables, variables
from flexblocks.modeling.model import Model


@dataclasses.dataclass(frozen=True)
class _World:
    """What a model has that belongs to no block."""

    gravity: tuple[float, ...] = parameter("m/s2", ANY, shape=(3,), symbolic=True)
    name: str = ""
    where: str = "the model"

    def made_for_numbers(self) -> Mapping[str, str]:
        return {}

    def check_change(self, names: Collection[str]) -> None:
        """Any gravity will do."""


@dataclasses.dataclass(frozen=True)
class _Parameter:
    """A parameter of a block, or the gravity of a model, that can stay symbolic: a number, or an array of numbers.

    Attributes
    ----------
    block : Block or Composite
    field : str
    unit : str
    value : ndarray
        Of the shape of the parameter.
    entries : dict of tuple
        By name the indices of its independent entries; those below the diagonal of a symmetric matrix are not.
    symmetric : bool
    range : Range
        Of each entry.
    of_part : bool
        Whether a block with physics has it, by this name; else a composite alone, which passes it on to its parts.
    """

    block: Block | Composite | _World
    field: str
    unit: str
    value: np.ndarray
    entries: dict[str, tuple[int, ...]]
    symmetric: bool
    range: Range
    of_part: bool

    @property
    def argument(self) -> str:
        """The name by which the user sets the field."""
        return next(argument_name(field) for field in dataclasses.fields(self.block) if field.name == self.field)

    def with_symbols(self, symbols: dict[str, ca.SX]) -> ca.SX:
        """Return its value with the entries of these names replaced by symbols."""
        if not self.value.ndim:
            return next(iter(symbols.values()))
        array = ca.SX(ca.sparsify(ca.DM(self.value)))
        for name, symbol in symbols.items():
            index = self.entries[name]
            array[index] = symbol
            if self.symmetric:
                array[index[::-1]] = symbol
        return array


@dataclasses.dataclass(frozen=True)
class _OwnersCheck:
    """What the parameters of one block must be together: what the block itself says of them when it is made.

    Attributes
    ----------
    block : Block, Composite or _World
    fields : dict
        By the argument of the block its value as it was built, and by position among the symbolic parameters the
        entries of it that are symbolic; a symmetric matrix has both.
    """

    block: Block | Composite | _World
    fields: Mapping[str, tuple[np.ndarray, Mapping[int, tuple[tuple[int, ...], ...]]]]

    def check(self, where: str, values: np.ndarray) -> None:
        changed = {}
        for argument, (built, positions) in self.fields.items():
            value = built.copy()
            for position, indices in positions.items():
                for index in indices:
                    value[index] = values[position]
            if not np.array_equal(value, built):
                changed[argument] = value.tolist()
        if not changed:
            return
        try:
            dataclasses.replace(self.block, **changed)
            self.block.check_change(changed)
        except FlexblocksError as error:
            raise ParameterError(f"{where}{error}") from None


def _checks(names: Sequence[str], known: Mapping[str, _Parameter]) -> list[_OwnersCheck]:
    """Return a check for each block that has some of these parameters."""
    owners: dict[int, dict[str, tuple[np.ndarray, dict[int, tuple[tuple[int, ...], ...]]]]] = {}
    for position, name in enumerate(names):
        parameter = known[name]
        _, positions = owners.setdefault(id(parameter.block), {}).setdefault(parameter.argument, (parameter.value, {}))
        index = parameter.entries[name]
        positions[position] = (index, index[::-1]) if parameter.symmetric else (index,)
    blocks = {id(parameter.block): parameter.block for parameter in known.values()}
    return [_OwnersCheck(blocks[key], fields) for key, fields in owners.items()]


def symbolic_parameters(model: Model, names: Iterable[str] | str) -> tuple[Variables, dict[str, dict[str, Any]], ca.SX]:
    """Return the named parameters as variables, their symbols by block and field, and the gravity SX (3, 1).

    An array is named as a whole, ``payload.center``, or by its entries, ``payload.center[1]``,
    ``payload.inertia[1,2]`` (in one triangle, as the matrix is symmetric); the variables are its entries.

    Raises
    ------
    NameUnknownError
        A name that is not a parameter, or not one that can be a symbol.
    """
    owners = (*model.blocks.values(), _World(model.gravity))
    numbers = {name: p for owner in owners for name, p in _parameters(owner).items()}
    whole = {name: p for name, p in numbers.items() if p.argument not in p.block.made_for_numbers()}
    known = {entry: p for p in whole.values() for entry in p.entries}
    if names == "all":
        names = [name for name, p in whole.items() if p.of_part and not p.value.ndim]
    asked = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    for name in asked:
        if name in numbers and name not in whole:
            block: Any = numbers[name].block
            others = [each for each in whole if whole[each].block is block]
            raise ParameterError(
                f"assemble: symbolic = '{name}': {block.where}: {block.made_for_numbers()[numbers[name].argument]}, or "
                f"assemble the arm anew for each value. Others can stay symbolic ({listing(others)})."
            )
        if name not in known and name not in whole:
            choices = [*whole, *(entry for entry in known if entry not in whole)]
            raise NameUnknownError(
                f"assemble: symbolic = '{name}': not a number that can stay symbolic{suggestion(name, choices)}"
            )
    wanted = list(
        dict.fromkeys(entry for name in asked for entry in (whole[name].entries if name in whole else (name,)))
    )
    starts = [(name, known[name].unit, float(known[name].value[known[name].entries[name]])) for name in wanted]
    ranges = [(known[name].range.low, known[name].range.high) for name in wanted]
    p = variables("parameter", starts, ranges=ranges, checks=_checks(wanted, known))
    symbols: dict[tuple[str, str], dict[str, ca.SX]] = {}
    for name, symbol in zip(wanted, ca.vertsplit(p.symbol) if wanted else [], strict=True):
        symbols.setdefault((known[name].block.name, known[name].field), {})[name] = symbol
    values: dict[str, dict[str, Any]] = {}
    for (block, field), by_name in symbols.items():
        values.setdefault(block, {})[field] = known[next(iter(by_name))].with_symbols(by_name)
    gravity = values.pop("", {"gravity": ca.SX(ca.DM(model.gravity))})["gravity"]
    return p, values, ca.sparsify(gravity)


def with_parameters(model: Model, values: Mapping[str, float]) -> Model:
    """Return the model with other values of parameters, named as symbolic ones are.

    Raises
    ------
    NameUnknownError
        There is no such parameter.
    ParameterError
        A value out of its range; or a parameter of a part of a composite, which the composite does not have itself.
    """
    changed: dict[str, dict[str, Any]] = {}
    owners = (*model.blocks.values(), _World(model.gravity))
    entries = {entry: (owner, p) for owner in owners for p in _parameters(owner).values() for entry in p.entries}
    for name, value in values.items():
        if name not in entries:
            raise NameUnknownError(f"Model '{model.name}': there is no parameter '{name}'{suggestion(name, entries)}")
        owner, parameter = entries[name]
        if parameter.block is not owner:
            own = listing(entry for entry, (_, p) in entries.items() if p.block is owner)
            raise ParameterError(
                f"Model '{model.name}': '{name}' belongs to a part of {owner.where}, which sets it itself; name a "
                f"parameter of '{owner.name}' ({own})."
            )
        fields = changed.setdefault(owner.name, {})
        array = np.array(fields.get(parameter.argument, parameter.value), dtype=float)
        index = parameter.entries[name]
        array[index] = value
        if parameter.symmetric:
            array[index[::-1]] = value
        fields[parameter.argument] = array.tolist()
    world = changed.pop("", {})
    other = model.copy({name: dataclasses.replace(model[name], **fields) for name, fields in changed.items()})
    other.gravity = tuple(world.get("gravity", model.gravity))
    return other


def _parameters(block: Block | Composite | _World) -> dict[str, _Parameter]:
    """Return every number, and every array that may be symbolic, of a block and its parts, by name."""
    parameters, prefix = {}, f"{block.name}." if block.name else ""
    for field in dataclasses.fields(block):
        quantity, value = field.metadata.get("quantity"), getattr(block, field.name)
        # A field with a quantity of its own kind (a property along a beam) can stay symbolic as a number.
        symbolic = field.metadata.get("symbolic", isinstance(value, float))
        if quantity and symbolic and isinstance(value, (float, tuple)):
            name, array = f"{prefix}{argument_name(field)}", np.array(value)
            symmetric = quantity.symmetric and array.ndim == 2
            entries, range_ = _entries(name, array.shape, symmetric), quantity.entry_range(array.shape)
            alone = isinstance(block, Block)
            parameters[name] = _Parameter(
                block, field.name, quantity.unit, array, entries, symmetric, range_, of_part=alone
            )
    if isinstance(block, Composite):
        inside = {name: p for part in block.nested().values() for name, p in _parameters(part).items()}
        # What its namesake has, too, the composite passes on.
        own = {name: dataclasses.replace(p, of_part=name in inside) for name, p in parameters.items()}
        parameters = own | {name: p for name, p in inside.items() if name not in own}
    return parameters


def _entries(name: str, shape: tuple[int, ...], symmetric: bool) -> dict[str, tuple[int, ...]]:
    """Return the independent entries of a parameter: names, numbered from 1 as in FMI, and indices."""
    if not shape:
        return {name: ()}
    indices = (index for index in np.ndindex(shape) if not symmetric or index[0] <= index[1])
    return {f"{name}[{','.join(str(i + 1) for i in index)}]": index for index in indices}
