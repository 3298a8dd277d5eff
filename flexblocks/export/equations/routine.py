"""Routines: language-independent functions with arguments, results and readable names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.export.equations.names import Name, readable_names
from flexblocks.export.equations.parts import Equations
from flexblocks.export.equations.program import Entry, Form, Listing, Printed, Program, listing, program


@dataclass(frozen=True, eq=False)
class Argument:
    """A vector argument: its letter, and the DAE's names, units and start values of its entries."""

    letter: str
    variables: tuple[str, ...]
    units: tuple[str, ...]
    start: np.ndarray


@dataclass(frozen=True)
class Result:
    """A matrix or vector result."""

    name: str
    latex: str
    meaning: str
    shape: tuple[int, int]

    @property
    def is_vector(self) -> bool:
        return self.shape[1] == 1

    @property
    def size(self) -> str:
        """The shape as NumPy writes it: ``(8,)`` or ``(8, 2)``."""
        return f"({self.shape[0]},)" if self.is_vector else f"({self.shape[0]}, {self.shape[1]})"


@dataclass(frozen=True, eq=False)
class Routine:
    """A routine: a function with readable names of its arguments and results.

    Attributes
    ----------
    title : str
        One-line description.
    function : casadi.Function
        SX, with an argument for each of `arguments` and a result for each of `results`.
    names : dict of Name
        By the DAE's name, for all entries of all arguments.
    """

    title: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    function: ca.Function
    names: Mapping[str, Name]

    @cached_property
    def program(self) -> Program:
        return program(self.function)

    def name(self, entry: Entry) -> Name:
        """Return the readable name of an entry of an argument."""
        return self.names[self.arguments[entry.argument].variables[entry.index]]

    @property
    def unused(self) -> tuple[str, ...]:
        """Letters of the arguments that no result depends on."""
        used = {entry.argument for entry in self.program.entries}
        return tuple(argument.letter for i, argument in enumerate(self.arguments) if i not in used)

    def listing(self, form: Form[Printed], most: int, formula: bool = False) -> Listing[Printed]:
        """Print the routine in one form, with identifiers or formulas as names."""
        names = {entry: self.name(entry) for entry in self.program.entries}
        texts = {entry: name.latex if formula else name.identifier for entry, name in names.items()}
        return listing(self.program, form, texts, most)

    def table(self) -> list[tuple[str, int, Name, str, str]]:
        """Return (letter, position, readable name, the DAE's name, unit) of every entry of every argument."""
        return [
            (argument.letter, i, self.names[variable], variable, unit)
            for argument in self.arguments
            for i, (variable, unit) in enumerate(zip(argument.variables, argument.units, strict=True))
        ]


def names_of(dae: DAE, chosen: Mapping[str, str] | None = None, formula: bool = False) -> dict[str, Name]:
    """Return a readable name for every variable of a DAE, accelerations included; see `readable_names`."""
    return readable_names([name for group in arguments_of(dae).values() for name in group.variables], chosen, formula)


def equations_routine(equations: Equations, names: Mapping[str, Name]) -> Routine:
    """Return the routine that computes all parts of the equations of motion."""
    groups = arguments_of(equations.dae)
    symbols = equations.arguments()
    results = tuple(Result(part.name, part.latex, part.meaning, part.shape) for part in equations.parts)
    expressions = ca.cse([part.expression for part in equations.parts])
    function = ca.Function("equations", list(symbols.values()), expressions)
    arguments = tuple(groups[letter] for letter in symbols)
    return Routine(f"Equations of motion of {equations.dae.name}", arguments, results, function, names)


def function_routine(
    dae: DAE, function: ca.Function, title: str, meanings: Mapping[str, str], names: Mapping[str, Name]
) -> Routine:
    """Return the routine of a function of the DAE or of the user; `meanings` describes its results."""
    groups = arguments_of(dae)
    symbols = {letter: ca.SX.sym(letter, *function.size_in(letter)) for letter in function.name_in()}
    kept = [letter for letter, symbol in symbols.items() if symbol.numel()]
    values = ca.cse([ca.sparsify(value) for value in function.call(list(symbols.values()), True, False)])
    written = ca.Function(function.name(), [symbols[letter] for letter in kept], values)
    results = tuple(Result(name, name, meanings[name], function.size_out(name)) for name in function.name_out())
    return Routine(title, tuple(groups[letter] for letter in kept), results, written, names)


def arguments_of(dae: DAE) -> dict[str, Argument]:
    """Return all vector arguments of the functions of a DAE, by letter."""
    x = dae.x
    q, v, w = zip(*(dae.tree.split_state(column) for column in (x.names, x.units, x.start)), strict=True)
    accelerations = tuple(f"der({name})" for name in v[0])
    units = tuple(f"{unit}2" for unit in v[1])
    return {
        "q": Argument("q", *q),
        "v": Argument("v", *v),
        "a": Argument("a", accelerations, units, np.zeros(len(units))),
        "w": Argument("w", *w),
        "x": Argument("x", x.names, x.units, x.start),
        "z": Argument("z", dae.z.names, dae.z.units, dae.z.start),
        "u": Argument("u", dae.u.names, dae.u.units, dae.u.start),
        "p": Argument("p", dae.p.names, dae.p.units, dae.p.start),
    }
