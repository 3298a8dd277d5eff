"""Operations of M(q) of the arms of Theodore & Ghosal (1995), Table 2: ``python -m benchmarks.operation_counts``.

Upper triangle, two modes or two elements per flexible link, no payload, links with the lengths of Table 3: counted by
CasADi after common subexpressions are joined, counted by SymPy with its cse, and the published figures. How the paper
counts sliding elements is not stated. The same counts with links of 1 m are in `tests/dynamics`.
"""

from __future__ import annotations

from collections import Counter

import casadi as ca
import sympy

import flexblocks as fb
from flexblocks import export, models
from flexblocks.dae.operation_counts import operation_counts

PUBLISHED = {
    "RR": ((405, 168), (156, 80)),
    "RRR": ((878, 376), (592, 237)),
    "RP": ((103, 42), (88, 33)),
    "RRP": ((743, 284), (376, 128)),
}


def ours(dae: fb.DAE) -> tuple[int, int]:
    """Return multiplications and additions of the CasADi function."""
    n = dae.tree.size
    upper = ca.vertcat(*[dae.expressions.mass[i, j] for i in range(n) for j in range(i, n)])
    counts = operation_counts(ca.Function("M", [dae.q], [ca.cse(ca.sparsify(upper))]))
    return counts["multiplications"] + counts["divisions"], counts["additions"]


def by_sympy(dae: fb.DAE) -> tuple[int, int]:
    """Return multiplications (divisions and powers included) and additions (signs included) by SymPy's cse."""
    matrix = export.equations(dae, "sympy")["M"]
    n = matrix.shape[0]
    parts, rest = sympy.cse([matrix[i, j] for i in range(n) for j in range(i, n)])
    operations: Counter[str] = Counter()
    for expression in [*(part for _, part in parts), *rest]:
        for name, count in sympy.count_ops(expression, visual=True).as_coefficients_dict().items():
            operations[str(name)] += int(count)
    return operations["MUL"] + operations["DIV"] + operations["POW"], operations["ADD"] + operations[
        "SUB"
    ] + operations["NEG"]


def main() -> None:
    print("multiplications / additions      ours      by SymPy   published")
    for arm, figures in PUBLISHED.items():
        for discretization, published in zip(("modes", "elements"), figures, strict=True):
            dae = fb.assemble(models.theodore_ghosal_1995(arm, discretization, payload=0.0, motors=False))
            counts = (ours(dae), by_sympy(dae), published)
            print(f"{arm:4} {discretization:10}", *(f"{m:9} / {a:<4}" for m, a in counts))


if __name__ == "__main__":
    main()
