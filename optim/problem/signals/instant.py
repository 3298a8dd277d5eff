"""Instant: the symbols of one instant of a motion, and their order in one vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.outputs import outputs
from flexblocks.statics.balance import unknown_slices


def part_names(dae: DAE) -> dict[str, Sequence[str]]:
    """Return the names of the entries of an instant's vector, by part; the only definition of its order.

    States ``x``, second derivatives of the coordinates ``a``, rates of the first-order states ``dw``, algebraic
    variables ``z``, loop-closure forces ``f``, inputs ``u`` and their rates ``du``, ``time`` [s].
    """
    n = dae.tree.size
    return {
        "x": dae.x.names,
        "a": [f"der({name})" for name in dae.x.names[n : 2 * n]],
        "dw": [f"der({name})" for name in dae.x.names[2 * n :]],
        "z": dae.z.names,
        "f": dae.tree.loops.multipliers,
        "u": dae.u.names,
        "du": [f"der({name})" for name in dae.u.names],
        "time": ["time"],
    }


def part_sizes(dae: DAE) -> dict[str, int]:
    """Return the sizes of the parts of an instant's vector, in its order."""
    return {part: len(names) for part, names in part_names(dae).items()}


def instant_vector(dae: DAE, **parts: ca.SX) -> ca.SX:
    """Return the parts of an instant as one vector in their order; omitted parts are not contained."""
    return ca.vertcat(*[parts[name] for name in part_sizes(dae) if name in parts])


def instant_rows(dae: DAE, **parts: np.ndarray) -> np.ndarray:
    """Return the vectors of several instants as numbers (size, points); omitted parts are zero.

    Parameters
    ----------
    dae : DAE
    **parts : ndarray (part's size, points), or (part's size,) at one instant
        At least one.
    """
    sizes = part_sizes(dae)
    columns = {name: np.reshape(part, (sizes[name], -1)) for name, part in parts.items() if sizes[name]}
    points = max(column.shape[1] for column in columns.values())
    return np.vstack([columns.get(name, np.zeros((size, points))) for name, size in sizes.items()])


def statics_vector(dae: DAE, s: ca.SX, v: ca.SX | None = None, time: float = 0.0) -> ca.SX:
    """Return the vector of an instant with the unknowns of statics `s` (ns,), at rest or with rates `v` (n,)."""
    q, w, z, forces, u = (s[group] for group in unknown_slices(dae))
    still = {name: ca.SX(size, 1) for name, size in part_sizes(dae).items()}
    x = ca.vertcat(q, ca.SX(dae.tree.size, 1) if v is None else v, w)
    return instant_vector(dae, **still | {"x": x, "z": z, "f": forces, "u": u, "time": ca.SX(time)})


@dataclass(frozen=True, eq=False)
class Instant:
    """The symbols of one instant of a motion: those of the DAE and the additional ones of a plan.

    Attributes
    ----------
    dae : DAE
    parts : dict of SX
        Columns, as in `part_names`.
    """

    dae: DAE
    parts: Mapping[str, ca.SX]

    @property
    def vector(self) -> ca.SX:
        """All parts in one column."""
        return instant_vector(self.dae, **self.parts)

    @cached_property
    def outputs(self) -> ca.SX:
        """The outputs (ny,) from the accelerations and loop forces of the motion, without solving for them."""
        dae, parts = self.dae, self.parts
        x, z, u = (parts[name] for name in "xzu")
        return ca.cse(outputs(dae.tree, x, z, u, dae.y.names, lambda: parts["a"], lambda: parts["f"]))


@lru_cache(maxsize=8)
def instant(dae: DAE) -> Instant:
    """Return the symbols of one instant of an arm's motion, the same ones for every call."""
    of_dae = {"x": dae.x.symbol, "z": dae.z.symbol, "u": dae.u.symbol}
    parts = {name: of_dae[name] if name in of_dae else ca.SX.sym(name, size) for name, size in part_sizes(dae).items()}
    return Instant(dae, parts)
