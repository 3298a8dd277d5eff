"""Sparsity patterns of rates and outputs in states and inputs: the dependencies of FMI's ModelStructure."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.export.fmu.states import states
from flexblocks.libraries import scipy


def dependencies(dae: DAE) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the Boolean dependency patterns of rates (nc, m), outputs (ny, m) and algebraic variables (nz, m).

    Rows of rates are those of the continuous states. Columns are the m knowns [x, u, p], x in the order of
    `states`. An algebraic variable counts as depending on every known in the equations of its connected component, the
    equations and variables coupled to it directly or through others.
    """
    partition = states(dae)
    knowns = ca.vertcat(dae.x.symbol[list(partition.order)], dae.u.symbol, dae.p.symbol)
    z = dae.z.symbol
    g = dae.expressions.algebraic
    algebraic = _coupled(_pattern(g, z)) @ _pattern(g, knowns)
    rates, outputs = (
        _pattern(e, knowns) | (_pattern(e, z) @ algebraic)
        for e in (dae.expressions.rate[list(partition.continuous)], dae.expressions.output)
    )
    return rates, outputs, algebraic


def _pattern(expression: ca.SX, symbol: ca.SX) -> np.ndarray:
    pattern = np.zeros((expression.numel(), symbol.numel()), dtype=bool)
    if pattern.size:
        rows, columns = ca.jacobian_sparsity(expression, symbol).get_triplet()
        pattern[rows, columns] = True
    return pattern


def _coupled(pattern: np.ndarray) -> np.ndarray:
    """Return which variable (row) shares a connected component of the bipartite graph with which equation (column)."""
    n = len(pattern)
    if not n:
        return np.zeros((0, 0), dtype=bool)
    graph = scipy.sparse.bmat([[None, pattern.astype(int)], [pattern.T.astype(int), None]], format="csr")
    label = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    return label[n:, None] == label[None, :n]
