"""Header and source of a controller in C99."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from flexblocks.control.controller import Controller
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.errors import ParameterError
from flexblocks.export.comment_text import comment_text
from flexblocks.export.controllers.enumerators import enumeration, enumerators
from flexblocks.export.controllers.exact_form import ExactForm
from flexblocks.export.equations.c_real import Real
from flexblocks.export.equations.program import listing, program
from flexblocks.interfaces.variables import Variables

# Most operations of an expression that is written in one piece.
MOST = 8


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
        "All that it remembers is in its state: it allocates nothing, has no variables of its own, and may run",
        "several times side by side. Names of signals: capitals, an underscore for all that is no letter or digit,",
        "DER_A for der(a), DER2_A for der(a,2).",
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
    functions = [[*out, "}"], [*init, "}"], _update(code, "step", code.step_arguments, code.steps)]
    if code.releases:
        functions.append(_update(code, "release", code.release_arguments, code.releases))
    top = f'#include "{stem}.h"\n\n#include <math.h>'
    return "\n\n".join([top, *("\n".join(function) for function in functions)]) + "\n"


def _update(code: Code, name: str, arguments: str, clocks: Sequence[Clock]) -> list[str]:
    """Return the lines of a function that updates the states, and gives the outputs."""
    of = code.controller
    x, p = of.states.symbol, of.parameters.symbol
    told = [of.measured.symbol, of.references.symbol] if "measured" in arguments else []
    u = ca.vertcat(*told) if told else ca.SX.zeros(len(of.measured) + len(of.references))
    changes = [ca.sparsify(clock.change(x, [], u, p)) for clock in clocks]
    function = ca.Function("changes", [x, p, *told], changes)
    lines = [f"void {code.stem}_{name}({arguments})", "{"]
    lines += _body(code, function, "state->x", f"{code.prefix}_STATE", "+=")
    return [*lines, f"    set_outputs(state, {code.outputs});", "}"]


def _body(code: Code, function: ca.Function, target: str, prefix: str, assigned: str) -> list[str]:
    """Return the lines that evaluate a function, and assign its results to the entries of `target`."""
    computed, constant = program(function), f"const {code.stem}_real"
    groups = ("STATE", "PARAMETER", "MEASURED", "REFERENCE")
    indices = [
        enumerators(f"{code.prefix}_{group}", code.groups[f"{code.prefix}_{group}"].names)
        for group in groups[: function.n_in()]
    ]
    places = ("state->x", "state->p", "measured", "reference")[: function.n_in()]
    # What is used is read before anything is assigned.
    names = {entry: f"{'xpmr'[entry.argument]}{entry.index}" for entry in computed.entries}
    lines = [
        f"    {constant} {name} = {places[entry.argument]}[{indices[entry.argument][entry.index]}];"
        for entry, name in names.items()
    ]
    written = listing(computed, ExactForm(code.real), names, MOST)
    lines += [f"    {constant} {name.text} = {value.text};" for name, value in written.assignments]
    results = enumerators(prefix, code.groups[prefix].names)
    for result in written.results:
        lines += [f"    {target}[{results[row]}] {assigned} {value.text};" for (row, _), value in result.items()]
    used = {entry.argument for entry in computed.entries}
    return [*lines, *(f"    (void){place};" for i, place in enumerate(places) if i > 1 and i not in used)]
