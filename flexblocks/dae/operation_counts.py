"""Operation counts of CasADi functions."""

from __future__ import annotations

import casadi as ca

ADDITIONS = ("OP_ADD", "OP_SUB", "OP_NEG", "OP_TWICE")
MULTIPLICATIONS = ("OP_MUL", "OP_SQ")
DIVISIONS = ("OP_DIV", "OP_INV")
NOT_ARITHMETIC = {getattr(ca, name) for name in ("OP_INPUT", "OP_OUTPUT", "OP_CONST", "OP_PARAMETER", "OP_ASSIGN")}


def operation_counts(function: ca.Function) -> dict[str, int]:
    """Return the number of arithmetic operations in one evaluation of an SX function.

    Returns
    -------
    dict of int
        ``additions`` (subtractions and signs included), ``multiplications``, ``divisions``, ``functions`` (sine,
        cosine, root, ...) and their sum ``total``.
    """
    instructions = [function.instruction_id(k) for k in range(function.n_instructions())]
    counts = {
        name: sum(instructions.count(getattr(ca, code)) for code in codes)
        for name, codes in (("additions", ADDITIONS), ("multiplications", MULTIPLICATIONS), ("divisions", DIVISIONS))
    }
    total = sum(code not in NOT_ARITHMETIC for code in instructions)
    return {**counts, "functions": total - sum(counts.values()), "total": total}
