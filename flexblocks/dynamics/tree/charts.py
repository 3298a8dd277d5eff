"""Charts of an arm: how far its coordinates are from the borders of their charts, and the way to the next ones."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.tree.tree import Tree


def chart_functions(tree: Tree) -> tuple[ca.Function, ...]:
    """Return, for each block with a chart, the function (q, v, p) -> distance, speed, next q (n), next v (n)."""
    q, v = ca.SX.sym("q", tree.size), ca.SX.sym("v", tree.size)
    functions = []
    for body in tree.charted:
        symbols = body.terms.symbols
        chart = body.block.chart(body.terms.local)
        if chart is None or _locks(tree, body, chart.coordinates):
            continue
        results = [chart.distance, chart.speed, chart.coordinates, body.terms.local.rate(chart.coordinates)]
        expanded = body.terms.local.intermediates.expanded([ca.SX(result) for result in results])
        of_block = ca.Function("chart", [symbols.q, symbols.s, body.terms.p], expanded)
        distance, speed, coordinates, rates = of_block.call([body.gather(q), body.gather(v), body.terms.p], True, False)
        # The block's coordinates are replaced, all others stay.
        next_q = q + body.scatter(coordinates - body.gather(q))
        next_v = v + body.scatter(rates - body.gather(v))
        outputs = [ca.densify(each) for each in (distance, speed, next_q, next_v)]
        functions.append(ca.Function("chart", [q, v, tree.p], outputs))
    return tuple(functions)


def _locks(tree: Tree, body: Body, coordinates: ca.SX) -> bool:
    """Whether a coordinate that differs in the next chart is locked or prescribed: that chart does not exist then."""
    free = {row for row, column, _ in body.share.entries if column not in tree.prescribed_columns}
    changes = ca.sparsify(ca.simplify(coordinates - body.terms.symbols.q))
    return any(changes.has_nz(row, 0) for row in range(body.terms.size) if row not in free)
