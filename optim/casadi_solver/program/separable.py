"""Partially separable functions: long sums of terms in few variables each, differentiated term by term.

A sum of thousands of terms has as dense a Hessian as its terms together, which automatic differentiation of the whole
sum pays for with as many sweeps over all terms as there are variables. Each term alone has a small Hessian, and terms
of the same form share it: it is differentiated once and evaluated for each (Griewank & Toint 1982).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np
from pyomo.core.base.expression import NamedExpressionData
from pyomo.core.base.var import VarData

from ..greyboxes.kernel import differentiate
from ..greyboxes.mapped_kernel import MappedKernel
from .affine import Number
from .coefficients import Coefficients
from .constants import Constants
from .operators import operator_of
from .term_form import TermForm, form_of
from .variables import ProgramVariables

#: Forms with fewer terms are left to the whole: each form costs a few milliseconds to differentiate.
FEWEST_COPIES = 16


@dataclass(frozen=True)
class SeparableTerm:
    """Terms of one form, as a mapped kernel.

    Attributes
    ----------
    term : MappedKernel
    parameters : Coefficients (copies * n_p,)
        The numbers in the terms, copy by copy.
    """

    term: MappedKernel
    parameters: Coefficients


@dataclass
class _Terms:
    """Terms of one form: their rows (-1 for the objective), and per term factor, node, variables and numbers."""

    form: TermForm
    rows: list[int] = field(default_factory=list)
    written: list[tuple[Number, Any]] = field(default_factory=list)
    keys: list[list[int]] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)


class SeparableSums:
    """The terms of long sums, collected by their form.

    Attributes
    ----------
    variables : dict[int, VarData]
        The free variables met, by id.
    named : list of (NamedExpressionData, expression)
        The named Expressions met, with their expressions.
    """

    def __init__(self, constants: Constants):
        self.variables: dict[int, VarData] = {}
        self.named: list[tuple[NamedExpressionData, object]] = []
        self._constants = constants
        self._terms: dict[tuple, _Terms] = {}

    def take(self, factor: Number, node: Any, row: int) -> bool:
        """Take a term of a long sum, factor * node, in a row or (-1) the objective; false if the caller has to."""
        form = form_of(factor, node, self._constants)
        if form is None:
            return False
        terms = self._terms.setdefault((row < 0, form.signature), _Terms(form))
        terms.rows.append(row)
        terms.written.append((factor, node))
        terms.keys.append(list(form.variables))
        terms.numbers.extend(form.numbers)
        self.variables.update(form.variables)
        self.named.extend(form.named)
        return True

    def rare(self) -> Iterator[tuple[int, Number, Any]]:
        """Give up the terms of rare forms: yield row, factor and node of each."""
        for key, terms in list(self._terms.items()):
            if len(terms.rows) < FEWEST_COPIES:
                del self._terms[key]
                for row, (factor, node) in zip(terms.rows, terms.written, strict=True):
                    yield row, factor, node

    def placed(self, variables: ProgramVariables) -> list[SeparableTerm]:
        """Return the terms that are left as mapped kernels."""
        return [self._placed(k, terms, variables) for k, terms in enumerate(self._terms.values())]

    def _placed(self, number: int, terms: _Terms, variables: ProgramVariables) -> SeparableTerm:
        w = ca.SX.sym("w", len(terms.form.variables))
        p = ca.SX.sym("p", len(terms.form.numbers))
        value, in_objective = expression(terms.form, w, p), terms.rows[0] < 0
        residual, cost = (ca.SX(0, 1), value) if in_objective else (value, ca.SX(0))
        copies = len(terms.rows)
        columns = variables.positions(key for keys in terms.keys for key in keys).reshape(copies, -1)
        rows = np.zeros((copies, 0), dtype=np.int64) if in_objective else np.array(terms.rows, dtype=np.int64)[:, None]
        return SeparableTerm(
            MappedKernel(differentiate(w, p, residual, cost, f"separable{number}"), columns, rows, in_objective),
            Coefficients.of(terms.numbers, self._constants),
        )


def expression(form: TermForm, w: ca.SX, p: ca.SX) -> ca.SX:
    """Return a term of a form as an expression of its variables `w` and numbers `p`."""
    variables, numbers, operations = ca.vertsplit(w), iter(ca.vertsplit(p)), iter(form.operations)
    tokens = iter(form.signature)

    def parsed() -> ca.SX:
        token = next(tokens)
        if token.__class__ is float:
            return ca.SX(token)
        if token.__class__ is int:
            return variables[token]
        if token is None:
            return next(numbers)
        node = next(operations)
        return operator_of(node)(node, *[parsed() for _ in range(token[-1])])

    factor = parsed()
    return ca.SX.binary(ca.OP_MUL, factor, parsed())
