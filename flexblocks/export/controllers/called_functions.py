"""Functions from outside CasADi that a controller calls, apart from the expressions around them."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.dynamics.tree.foreign_functions import opaque_functions
from flexblocks.errors import ParameterError

ARGUMENTS = "const double **arg, double **res, long long int *iw, double *w, int mem"


@dataclass(frozen=True, eq=False)
class Call:
    """A call.

    Attributes
    ----------
    function : casadi.Function
    arguments : SX
        All of them in one column, in the inputs of the caller and the results of the calls before.
    results : SX
        Symbols, all in one column.
    """

    function: ca.Function
    arguments: ca.SX
    results: ca.SX


@dataclass(frozen=True, eq=False)
class Separated:
    """A function as calls in their order, and what it makes of their results.

    Attributes
    ----------
    inputs : list of SX
    calls : list of Call
    outputs : list of SX
    """

    inputs: list[ca.SX]
    calls: list[Call]
    outputs: list[ca.SX]

    def arguments_of(self, number: int) -> ca.Function:
        """Return the arguments of a call as a function of the inputs and the results of the calls before."""
        before = [call.results for call in self.calls[:number]]
        return ca.Function("arguments", [*self.inputs, *before], [ca.densify(self.calls[number].arguments)])

    @property
    def rest(self) -> ca.Function:
        """The function of its inputs and of the results of all calls."""
        return ca.Function("rest", [*self.inputs, *(call.results for call in self.calls)], self.outputs)


def separated(function: ca.Function) -> Separated:
    """Return an SX function with its calls apart.

    Raises
    ------
    ParameterError
        It calls two functions that are alike in the numbers of their arguments and results.
    """
    inputs = [function.sx_in(i) for i in range(function.n_in())]
    register: dict[int, ca.SX] = {}
    entries: dict[tuple[int, int], ca.SX] = {}
    calls: list[Call] = []
    for k in range(function.n_instructions()):
        operation, read, written = (
            function.instruction_id(k),
            function.instruction_input(k),
            function.instruction_output(k),
        )
        if operation == ca.OP_OUTPUT:
            entries[written[0], written[1]] = register[read[0]]
        elif operation == ca.OP_INPUT:
            register[written[0]] = inputs[read[0]].nz[read[1]]
        elif operation == ca.OP_CONST:
            register[written[0]] = ca.SX(function.instruction_constant(k))
        elif operation == ca.OP_CALL:
            called = _called(function, len(read), len(written))
            results = ca.SX.sym(f"result_{len(calls)}", len(written))
            calls.append(Call(called, ca.vertcat(*[register[i] for i in read]), results))
            register |= dict(zip(written, ca.vertsplit(results), strict=True))
        elif len(read) == 1:
            register[written[0]] = ca.SX.unary(operation, register[read[0]])
        else:
            register[written[0]] = ca.SX.binary(operation, register[read[0]], register[read[1]])
    outputs = []
    for i in range(function.n_out()):
        pattern = function.sparsity_out(i)
        values = ca.vertcat(*[entries[i, k] for k in range(pattern.nnz())], ca.SX(0, 1))
        outputs.append(ca.SX(pattern, values))
    return Separated(inputs, calls, outputs)


def _called(function: ca.Function, arguments: int, results: int) -> ca.Function:
    alike = [each for each in opaque_functions((function,)) if (each.nnz_in(), each.nnz_out()) == (arguments, results)]
    if len(alike) != 1:
        raise ParameterError(
            f"controller: the law calls {len(alike)} functions from outside CasADi with {arguments} arguments and "
            f"{results} results; must be distinguishable by these numbers."
        )
    return alike[0]
