"""Header and source of a controller in C99."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from flexblocks.control.controller import Controller
from flexblocks.dae.require_differentiable import foreign_sources
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.foreign_functions import foreign_in
from flexblocks.errors import ParameterError
from flexblocks.export.comment_text import comment_text
from flexblocks.export.controllers.called_functions import ARGUMENTS, Call, separated
from flexblocks.export.controllers.enumerators import enumeration, enumerators
from flexblocks.export.controllers.exact_form import ExactForm
from flexblocks.export.equations.c_real import Real
from flexblocks.export.equations.program import Entry, Program, listing, program
from flexblocks.interfaces.variables import Variables

# Most operations of an expression that is written in one piece.
MOST = 8
# What is said of its memory.
STATE_ALONE = (
    "All that it remembers is in its state: it allocates nothing, has no variables of its own, and may run several",
    "times side by side.",
)
PLANS = (
    "All that it remembers is in its state, plans and windows included: it allocates nothing, and several may run side",
    "by side. What the other source files work in are their static variables, one set for each thread.",
)


@dataclass(frozen=True, eq=False)
class Code:
    """A controller as C code.

    Attributes
    ----------
    stem : str
        Prefix of all names.
    controller : Controller
    real : Real
    tool : str
        What wrote it, with its version.
    """

    stem: str
    controller: Controller
    real: Real
    tool: str

    @property
    def prefix(self) -> str:
        """Prefix of enumerators and macros."""
        return self.stem.upper()

    @property
    def outputs(self) -> str:
        """What the controller's outputs are called: inputs of the arm, or estimates."""
        return "inputs" if self.controller.is_law else "estimates"

    @property
    def output_prefix(self) -> str:
        return f"{self.prefix}_INPUT" if self.controller.is_law else f"{self.prefix}_ESTIMATE"

    @cached_property
    def groups(self) -> dict[str, Variables]:
        """The groups of signals, by the prefix of their enumerators."""
        of, prefix = self.controller, self.prefix
        return {
            f"{prefix}_MEASURED": of.measured,
            f"{prefix}_REFERENCE": of.references,
            f"{prefix}_STATE": of.states,
            f"{prefix}_PARAMETER": of.parameters,
            self.output_prefix: of.outputs,
        }

    @cached_property
    def foreign(self) -> dict[str, str]:
        """C code of the functions from outside CasADi that it calls, by their names.

        Raises
        ------
        ParameterError
            One has no code, or numbers are no doubles.
        """
        found = foreign_sources(self.controller.clocks, "controller")
        if found and self.real.name != "double":
            raise ParameterError(f"controller: real = {self.real.name!r}; must be 'double' for a law with an MPC.")
        return {name: f"#define OWN_MEMORY 1\n{text}" for name, text in found.items()}

    @cached_property
    def step_function(self) -> ca.Function:
        """The changes of the states at a sample, function of states, parameters, measured, references."""
        return changes_of(self, self.steps, [self.controller.measured.symbol, self.controller.references.symbol])

    @cached_property
    def memories(self) -> list[int]:
        """How many numbers each call in a step keeps of the run."""
        sizes = {each.name: each.memory for each in foreign_in(clock.change for clock in self.steps)}
        return [sizes[call.function.name()] for call in separated(self.step_function).calls]

    @cached_property
    def steps(self) -> tuple[Clock, ...]:
        """The clocks that tick at samples."""
        return tuple(clock for clock in self.controller.clocks if clock.offset == 0)

    @cached_property
    def releases(self) -> tuple[Clock, ...]:
        """The clocks that tick between samples, all at the same time.

        Raises
        ------
        ParameterError
            They tick at several times, with another period, or depend on what is measured then.
        """
        of = self.controller
        later = tuple(clock for clock in of.clocks if clock.offset != 0)
        if {clock.period for clock in of.clocks} != {of.sample_time} or len({clock.offset for clock in later}) > 1:
            times = ", ".join(f"every {clock.period:g} s from {clock.offset:g} s on" for clock in of.clocks)
            raise ParameterError(
                f"controller: '{of.name}' acts {times}; must act at its samples, every {of.sample_time:g} s, and at "
                "one time between them at most."
            )
        if any(clock.change.sparsity_jac(2, 0).nnz() for clock in later):
            raise ParameterError(
                f"controller: '{of.name}' measures between its samples; must measure at them, every "
                f"{of.sample_time:g} s."
            )
        return later

    @property
    def step_arguments(self) -> str:
        """The parameters of the function of a step."""
        const = f"const {self.stem}_real *"
        return f"{const}measured, {const}reference, {self.stem}_state *state, {self.stem}_real *{self.outputs}"

    @property
    def release_arguments(self) -> str:
        """The parameters of the function of a release."""
        return f"{self.stem}_state *state, {self.stem}_real *{self.outputs}"


def header(code: Code) -> str:
    """Return the header."""
    of, stem, prefix, real = code.controller, code.stem, code.prefix, code.real
    meanings = (
        "What is measured: the argument measured.",
        "References: the argument reference.",
        "States: state->x.",
        "Parameters, which may be changed between steps: state->p.",
        f"What it computes: the argument {code.outputs}.",
    )
    groups = zip(code.groups.items(), meanings, strict=True)
    enumerations = [enumeration(each, group, meaning) for (each, group), meaning in groups]
    fields = [f"    {stem}_real x[{prefix}_STATE_SIZE];"]
    fields += [f"    {stem}_real p[{prefix}_PARAMETER_SIZE];"] if len(of.parameters) else []
    fields += [f"    double memory{number}[{size}];" for number, size in enumerate(code.memories)]
    macros = [f"#define {prefix}_SAMPLE_TIME {real.number(of.sample_time)} /* s */"]
    held = "; those of earlier samples, until their release" if code.releases else ""
    saying = f"Fills the {code.outputs}{held}."
    sample = [
        f"/* Takes a sample: call it every {prefix}_SAMPLE_TIME. {saying}",
        "   Arrays that have no entries may be NULL. */",
        f"void {stem}_step({code.step_arguments});",
    ]
    functions = [f"/* Sets the start values. */\nvoid {stem}_init({stem}_state *state);", "\n".join(sample)]
    if code.releases:
        macros.append(f"#define {prefix}_RELEASE_TIME {real.number(code.releases[0].offset)} /* s */")
        functions.append(
            f"/* Releases commands: call it {prefix}_RELEASE_TIME after each step. Fills the inputs. */\n"
            f"void {stem}_release({code.release_arguments});"
        )
    about = [
        f"{of.name}, every {of.sample_time:.9g} s, written by {code.tool}.",
        "",
        *(PLANS if code.foreign else STATE_ALONE),
        "Names of signals: capitals, an underscore for all that is no letter or digit, DER_A for der(a), DER2_A for",
        "der(a,2).",
    ]
    parts = [
        "/* " + "\n * ".join(comment_text(line) for line in about).replace(" * \n", " *\n") + " */",
        f"#ifndef {prefix}_H\n#define {prefix}_H",
        '#ifdef __cplusplus\nextern "C" {\n#endif',
        f"typedef {real.name} {stem}_real;",
        "\n".join(macros),
        *enumerations,
        "\n".join(["typedef struct {", *fields, f"}} {stem}_state;"]),
        *functions,
        "#ifdef __cplusplus\n}\n#endif",
        "#endif",
    ]
    return "\n\n".join(parts) + "\n"


def source(code: Code) -> str:
    """Return the source."""
    of, stem, prefix = code.controller, code.stem, code.prefix
    out = [f"static void set_outputs(const {stem}_state *state, {stem}_real *{code.outputs})", "{"]
    out += _body(code, of.output, code.outputs, code.output_prefix, "=")
    states = enumerators(f"{prefix}_STATE", of.states.names)
    init = [f"void {stem}_init({stem}_state *state)", "{"]
    init += [
        f"    state->x[{state}] = {code.real.number(start)};"
        for state, start in zip(states, of.states.start, strict=True)
    ]
    parameters = zip(enumerators(f"{prefix}_PARAMETER", of.parameters.names), of.parameters.start, strict=True)
    init += [f"    state->p[{parameter}] = {code.real.number(start)};" for parameter, start in parameters]
    functions = [[*out, "}"], [*init, "}"], _update(code, "step", code.step_arguments, code.step_function)]
    if code.releases:
        functions.append(_update(code, "release", code.release_arguments, changes_of(code, code.releases, [])))
    top = f'#include "{stem}.h"\n\n#include <math.h>'
    for name in code.foreign:
        top += f"\n\nint {name}({ARGUMENTS});"
    return "\n\n".join([top, *("\n".join(function) for function in functions)]) + "\n"


def changes_of(code: Code, clocks: Sequence[Clock], told: list[ca.SX]) -> ca.Function:
    """Return what clocks change of the states, function of states, parameters and what is `told`."""
    of = code.controller
    x, p = of.states.symbol, of.parameters.symbol
    u = ca.vertcat(*told) if told else ca.SX.zeros(len(of.measured) + len(of.references))
    changes = [ca.sparsify(clock.change(x, [], u, p)) for clock in clocks]
    return ca.Function("changes", [x, p, *told], changes)


def _update(code: Code, name: str, arguments: str, function: ca.Function) -> list[str]:
    """Return the lines of a function that updates the states, and gives the outputs."""
    lines = [f"void {code.stem}_{name}({arguments})", "{"]
    lines += _body(code, function, "state->x", f"{code.prefix}_STATE", "+=")
    return [*lines, f"    set_outputs(state, {code.outputs});", "}"]


def _body(code: Code, function: ca.Function, target: str, prefix: str, assigned: str) -> list[str]:
    """Return the lines that evaluate a function, and assign its results to the entries of `target`."""
    parts, count = separated(function), function.n_in()
    groups = ("STATE", "PARAMETER", "MEASURED", "REFERENCE")
    indices = [
        enumerators(f"{code.prefix}_{group}", code.groups[f"{code.prefix}_{group}"].names) for group in groups[:count]
    ]
    places = ("state->x", "state->p", "measured", "reference")[:count]
    programs = [program(parts.arguments_of(number)) for number in range(len(parts.calls))]
    programs.append(program(parts.rest))
    # What is used is read before anything is assigned.
    used = dict.fromkeys(entry for each in programs for entry in each.entries)
    names = {
        entry: f"{'xpmr'[entry.argument]}{entry.index}" if entry.argument < count
        else f"result{entry.argument - count}[{entry.index}]"
        for entry in used
    }  # fmt: skip
    lines = [
        f"    const {code.stem}_real {names[entry]} = {places[entry.argument]}[{indices[entry.argument][entry.index]}];"
        for entry in sorted(used, key=lambda entry: (entry.argument, entry.index))
        if entry.argument < count
    ]
    for number, call in enumerate(parts.calls):
        assignments, (values,) = _evaluated(code, programs[number], names)
        written = [f"    argument{number}[{row}] = {value};" for row, value in values]
        lines += _called(number, call, [*assignments, *written])
    assignments, results = _evaluated(code, programs[-1], names)
    lines += assignments
    targets = enumerators(prefix, code.groups[prefix].names)
    lines += [f"    {target}[{targets[row]}] {assigned} {value};" for result in results for row, value in result]
    told = {entry.argument for entry in used}
    return [*lines, *(f"    (void){place};" for i, place in enumerate(places) if i > 1 and i not in told)]


def _evaluated(code: Code, computed: Program, names: dict[Entry, str]) -> tuple[list[str], list[list[tuple[int, str]]]]:
    """Return the lines that define common subexpressions, and each result's values by their rows."""
    written = listing(computed, ExactForm(code.real), names, MOST)
    lines = [f"    const {code.stem}_real {name.text} = {value.text};" for name, value in written.assignments]
    return lines, [[(row, value.text) for (row, _), value in result.items()] for result in written.results]


def _called(number: int, call: Call, lines: list[str]) -> list[str]:
    """Return the lines of a call, whose arguments these lines compute."""
    function = call.function
    ins, outs = ([count(i) for i in range(n)] for n, count in (
        (function.n_in(), function.nnz_in), (function.n_out(), function.nnz_out)
    ))  # fmt: skip
    arguments = [f"argument{number} + {sum(ins[:i])}" for i in range(len(ins))]
    results = [f"result{number} + {sum(outs[:i])}" for i in range(len(outs))]
    return [
        f"    double argument{number}[{sum(ins) + 1}] = {{0.0}}, result{number}[{sum(outs) + 1}] = {{0.0}};",
        "    {",
        *(f"    {line}" for line in lines),
        f"        const double *in[] = {{{', '.join(arguments)}}};",
        f"        double *out[] = {{{', '.join(results)}}};",
        f"        {function.name()}(in, out, 0, state->memory{number}, 0);",
        "    }",
    ]
