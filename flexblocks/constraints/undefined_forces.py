"""Force elements whose forces are undefined at the start values: ends at one place have no line between them."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.element_forces import element_origins, element_values
from flexblocks.errors import ModelError


def refuse_undefined_forces(dae: DAE) -> None:
    """Refuse a force element that has no finite forces at the start values.

    Raises
    ------
    ModelError
    """
    tree, symbols = dae.tree, [dae.x.symbol, dae.z.symbol, dae.u.symbol]
    forces = [element_values(tree, kind, *symbols) for kind in ("passive", "applied", "rates")]
    names = [element.name for element in tree.elements]
    exerted = [ca.densify(ca.vertcat(*[of_kind[name] for of_kind in forces])) for name in names]
    origins = element_origins(tree, dae.q)
    places = [ca.densify(ca.horzcat(*origins[name])) for name in names]
    function = ca.Function("forces", [*symbols, dae.p.symbol], ca.cse([*exerted, *places]))
    values = [value.full() for value in function.call([dae.x.start, dae.z.start, dae.u.start, dae.p.start])]
    for element, force, points in zip(tree.elements, values, values[len(names) :], strict=False):
        block = element.terms.block
        for first, second in element.terms.apart:
            if np.linalg.norm(points[:, first] - points[:, second]) <= 1e-12 * np.abs(points).max():
                raise ModelError(
                    f"{block.where}: {block.ports[first].name} and {block.ports[second].name} start at one place: "
                    "the line between them has no direction. Connect them to frames that are apart, or give the joints "
                    "between them other start values."
                )
        if not np.all(np.isfinite(force)):
            raise ModelError(
                f"{block.where}: its forces and the rates of its states are not finite at the start values; its "
                "physics() must be defined there."
            )
