"""Charts of an arm: how far its coordinates are from the borders of their charts, and the way to the next ones."""

from __future__ import annotations

import casadi as ca

from flexblocks.dynamics.tree.tree import Tree


def chart_functions(tree: Tree) -> tuple[ca.Function, ...]:
    """Return, for each block with a chart, the function (q, v, p) -> distance, speed, next q (n), next v (n)."""
    q, v = ca.SX.sym("q", tree.size), ca.SX.sym("v", tree.size)
    functions = []
    for body in tree.bodies:
        symbols = body.terms.symbols
        chart = symbols.block.chart(body.terms.local)
        if chart is None:
            continue
        results = [chart.distance, chart.speed, chart.coordinates, body.terms.local.rate(chart.coordinates)]
        of_block = ca.Function("chart", [symbols.q, symbols.s, body.terms.p], results)
        distance, speed, coordinates, rates = of_block.call([body.gather(q), body.gather(v), body.terms.p], True, False)
        # The block's coordinates are replaced, all others stay.
        next_q = q + body.scatter(coordinates - body.gather(q))
        next_v = v + body.scatter(rates - body.gather(v))
        outputs = [ca.densify(each) for each in (distance, speed, next_q, next_v)]
        functions.append(ca.Function("chart", [q, v, tree.p], outputs))
    return tuple(functions)
