"""Values of named signals at rest."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import unknown_slices
from flexblocks.statics.operating_point import OperatingPoint

from ...problem.signals.instant import instant, instant_rows, instant_vector, part_sizes
from ...problem.signals.signals import Signals
from ..equilibrium import loop_forces


def at_rest(dae: DAE, names: tuple[str, ...]) -> ca.Function:
    """Return (s, p) -> signals of these names at rest, see `Signals`; s are the unknowns of statics."""
    at, index = instant(dae), unknown_slices(dae)
    signals, s, p = Signals(at), ca.SX.sym("s", index.u.stop), ca.SX.sym("p", len(dae.p))
    q, w, z, forces, u = (s[group] for group in index)
    still = ca.SX(dae.tree.size, 1)
    standing_still = {name: ca.SX(size, 1) for name, size in part_sizes(dae).items()}
    y = instant_vector(dae, **standing_still | {"x": ca.vertcat(q, still, w), "z": z, "f": forces, "u": u})
    values = ca.Function("values", [at.vector, dae.p.symbol], [ca.vertcat(*[signals[name] for name in names])])
    return ca.Function("at_rest", [s, p], [ca.densify(values.call([y, p], True, False)[0])], {"cse": True})


def values_at_rest(dae: DAE, point: OperatingPoint, names: Iterable[str]) -> dict[str, float]:
    """Return the values of named signals at an operating point, with accelerations of zero."""
    names, at = tuple(names), instant(dae)
    signals = Signals(at)
    values = ca.densify(ca.vertcat(*[signals[name] for name in names], ca.SX(0, 1)))
    y = instant_rows(dae, x=point.x, z=point.z, f=loop_forces(dae, point), u=point.u, time=np.zeros(1))
    numbers = ca.Function("values", [at.vector, dae.p.symbol], [values])(y, point.p)
    return dict(zip(names, numbers.full().ravel().tolist(), strict=True))
