"""Straight-line programs: CasADi functions as sequences of operations in static single assignment form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import casadi as ca

Printed = TypeVar("Printed")

COMMUTATIVE = ("ADD", "MUL", "FMIN", "FMAX", "EQ", "NE", "AND", "OR", "HYPOT")
OPERATIONS: Mapping[int, str] = {getattr(ca, name): name[3:] for name in dir(ca) if name.startswith("OP_")}


@dataclass(frozen=True)
class Constant:
    """A numeric literal."""

    value: float


@dataclass(frozen=True)
class Entry:
    """An input of the program: entry `index` of argument `argument`."""

    argument: int
    index: int


@dataclass(frozen=True)
class Operation:
    """A CasADi operation, by name (``"ADD"``, ``"SIN"``, ...), on earlier values."""

    name: str
    operands: tuple[int, ...]


Value = Constant | Entry | Operation


@dataclass(frozen=True)
class Program:
    """A straight-line program: values, each computed from earlier ones, and the results they are assigned to.

    Attributes
    ----------
    values : tuple of Value
        Without duplicates.
    results : tuple of dict
        For each result the indices of its values by (row, column); all other entries are zero.
    """

    values: tuple[Value, ...]
    results: tuple[Mapping[tuple[int, int], int], ...]

    @cached_property
    def uses(self) -> tuple[int, ...]:
        """Use count of each value, by operations and results."""
        count = [0] * len(self.values)
        for value in self.values:
            for operand in value.operands if isinstance(value, Operation) else ():
                count[operand] += 1
        for result in self.results:
            for position in result.values():
                count[position] += 1
        return tuple(count)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The argument entries that are used, in order."""
        used = [value for value in self.values if isinstance(value, Entry)]
        return tuple(sorted(used, key=lambda entry: (entry.argument, entry.index)))


def program(function: ca.Function) -> Program:
    """Return the straight-line program of an SX function.

    CasADi's instructions overwrite registers; here every value is assigned once.
    """
    values: dict[Value, int] = {}
    register: dict[int, int] = {}
    nonzeros: dict[tuple[int, int], int] = {}
    for k in range(function.n_instructions()):
        name = OPERATIONS[function.instruction_id(k)]
        if name == "OUTPUT":
            (source,) = function.instruction_input(k)
            output, nonzero = function.instruction_output(k)
            nonzeros[output, nonzero] = register[source]
            continue
        operands = function.instruction_input(k)
        if name == "CONST":
            value: Value = Constant(function.instruction_constant(k))
        elif name == "INPUT":
            value = Entry(*operands)
        else:
            places = [register[operand] for operand in operands]
            value = Operation(name, tuple(sorted(places) if name in COMMUTATIVE else places))
        register[function.instruction_output(k)[0]] = values.setdefault(value, len(values))
    results = []
    for output in range(function.n_out()):
        rows, columns = function.sparsity_out(output).get_triplet()
        places = enumerate(zip(rows, columns, strict=True))
        results.append({place: nonzeros[output, k] for k, place in places if (output, k) in nonzeros})
    return Program(tuple(values), tuple(results))


class Form(Protocol[Printed]):
    """Printer of one target language: numbers, names and operations."""

    def constant(self, value: float) -> Printed: ...

    def name(self, text: str) -> Printed: ...

    def subexpression(self, number: int) -> Printed: ...

    def apply(self, operation: str, operands: list[Printed]) -> Printed: ...


@dataclass(frozen=True)
class Listing(Generic[Printed]):
    """A program printed in one form.

    Attributes
    ----------
    assignments : list of (Printed, Printed)
        Name and value of the common subexpressions s1, s2, ..., in order of evaluation.
    results : list of dict
        For each result its entries by (row, column).
    """

    assignments: list[tuple[Printed, Printed]]
    results: list[Mapping[tuple[int, int], Printed]]


def listing(source: Program, form: Form[Printed], names: Mapping[Entry, str], most: int) -> Listing[Printed]:
    """Print a program: values used twice or taking more than `most` operations are named, all others inlined."""
    written: list[Printed] = []
    size: list[int] = []
    assignments: list[tuple[Printed, Printed]] = []
    for position, value in enumerate(source.values):
        if isinstance(value, Constant):
            written.append(form.constant(value.value))
            size.append(0)
        elif isinstance(value, Entry):
            written.append(form.name(names[value]))
            size.append(0)
        else:
            text = form.apply(value.name, [written[operand] for operand in value.operands])
            operations = 1 + sum(size[operand] for operand in value.operands)
            if operations > most or (source.uses[position] > 1 and not _is_scaled(source, value, size)):
                name = form.subexpression(len(assignments) + 1)
                assignments.append((name, text))
                text, operations = name, 0
            written.append(text)
            size.append(operations)
    return Listing(assignments, [{place: written[k] for place, k in result.items()} for result in source.results])


def _is_scaled(source: Program, value: Operation, size: list[int]) -> bool:
    """Whether an operation only negates a named value, or multiplies it by a number."""
    if any(size[operand] for operand in value.operands):
        return False
    if value.name in ("NEG", "TWICE"):
        return True
    return value.name == "MUL" and any(isinstance(source.values[operand], Constant) for operand in value.operands)
