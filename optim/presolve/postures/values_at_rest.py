"""Values of named signals at rest."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.statics.balance import unknown_slices
from flexblocks.statics.operating_point import OperatingPoint

from ...problem.signals.instant import instant, instant_rows, statics_vector
from ...problem.signals.signals import Signals
from ..equilibrium import loop_forces


def at_rest(dae: DAE, names: tuple[str, ...]) -> ca.Function:
    """Return (s, p) -> signals of these names at rest, see `Signals`; s are the unknowns of statics."""
    at, s, p = instant(dae), ca.SX.sym("s", unknown_slices(dae).u.stop), ca.SX.sym("p", len(dae.p))
    signals = Signals(at)
    values = ca.Function("values", [at.vector, dae.p.symbol], [ca.vertcat(*[signals[name] for name in names])])
    value = values.call([statics_vector(dae, s), p], True, False)[0]
    return ca.Function("at_rest", [s, p], [ca.densify(value)], {"cse": True})


def values_at_rest(dae: DAE, point: OperatingPoint, names: Iterable[str]) -> dict[str, float]:
    """Return the values of named signals at an operating point, with accelerations of zero."""
    names, at = tuple(names), instant(dae)
    signals = Signals(at)
    values = ca.densify(ca.vertcat(*[signals[name] for name in names], ca.SX(0, 1)))
    y = instant_rows(dae, x=point.x, z=point.z, f=loop_forces(dae, point), u=point.u, time=np.zeros(1))
    numbers = ca.Function("values", [at.vector, dae.p.symbol], [values])(y, point.p)
    return dict(zip(names, numbers.full().ravel().tolist(), strict=True))
