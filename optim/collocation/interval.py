"""Collocation interval: its local variables, and the states and inputs that are linear in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from flexblocks.dae.dae import DAE

from .input_parametrization import InputShape, Weights
from .interval_layout import LocalVariables, point_sizes, state_sizes
from .quasi_static import ALL_MOVE, StaticModes
from .schemes import Collocation


@dataclass(frozen=True)
class Interval:
    """Symbols of one interval.

    Attributes
    ----------
    local : LocalVariables of SX
        Columns; the duration is (1, 1) if it is free, otherwise empty.
    designed : tuple of int
        Indices of the design parameters among all parameters.
    """

    local: LocalVariables[ca.SX]
    designed: tuple[int, ...] = ()

    @property
    def variables(self) -> ca.SX:
        """All local variables in one column."""
        return ca.vertcat(*self.local.ordered)

    @property
    def end(self) -> ca.SX:
        """The states (nx, 1) at the end."""
        return ca.vertcat(*self.local.end.values())

    @property
    def knots(self) -> ca.SX:
        """The knots of the inputs (number of knots, nu)."""
        return ca.horzcat(*self.local.knots).T

    def parameters(self, p: ca.SX) -> ca.SX:
        """Return the parameters (np, 1): `p` with the design variables inserted."""
        return with_design(p, self.designed, self.local.design)

    def length(self, step: ca.SX) -> ca.SX:
        """Return the length of the interval [s]: `step` itself or, for a free duration, that fraction of it."""
        return interval_length(step, self.local.duration)


def interval_length(step: ca.SX, duration: ca.SX) -> ca.SX:
    """Return the length of an interval [s]: `step`, or that fraction of a free `duration` (1, 1)."""
    return step * duration if duration.numel() else step


def with_design(p: ca.SX, designed: tuple[int, ...], design: ca.SX) -> ca.SX:
    """Return the parameters `p` (np, 1) with `design` at the indices `designed`."""
    parameters = ca.SX(p)
    for i, symbol in zip(designed, ca.vertsplit(design) if designed else [], strict=True):
        parameters[i] = symbol
    return parameters


def interval_symbols(dae: DAE, form: IntervalForm) -> Interval:
    """Return fresh symbols of one interval."""

    def symbols(sizes: Mapping[str, int], where: str | int) -> dict[str, ca.SX]:
        return {name: ca.SX.sym(f"{name}{where}", size) for name, size in sizes.items()}

    local = LocalVariables(
        begin=symbols(state_sizes(dae), "_begin"),
        points=[symbols(point_sizes(dae, len(form.static.names)), j) for j in range(1, form.scheme.degree + 1)],
        end=symbols(state_sizes(dae), "_end"),
        knots=[ca.SX.sym(f"knot{i}", len(dae.u)) for i in range(len(form.shape.knots))],
        duration=ca.SX.sym("duration", int(form.is_free)),
        design=ca.SX.sym("design", len(form.designed)),
    )
    return Interval(local, form.designed)


def combined(w: Weights, knots: ca.SX, h: ca.SX) -> ca.SX:
    """Return linear combinations (k, nu) of the knots on an interval of length `h`."""
    powers = [h**power if power else ca.SX(1) for power in w.powers]
    return ca.mtimes(ca.sparsify(ca.SX(ca.DM(w.factors))) @ ca.diag(ca.vertcat(*powers)), knots)


def collocated_states(size: int, interval: Interval, form: IntervalForm, h: ca.SX) -> list[ca.SX]:
    """Return the states (nx, 1) at every collocation point, for an arm of `size` coordinates.

    Displacements of quasi-static modes are variables of the point itself, not integrated from the beginning.
    """
    begin, points = interval.local.begin, interval.local.points
    q, v, w = begin["q"], begin["v"], begin["w"]
    scheme, along = form.scheme, [ca.SX(size, 1)] * form.scheme.degree
    A, AA = scheme.integral, scheme.double_integral
    if form.static.names:
        moving, shapes = (ca.DM(matrix) for matrix in (form.static.moving(size), form.static.directions(size)))
        q, v = ca.mtimes(moving, q), ca.mtimes(moving, v)
        along = [ca.mtimes(shapes, point["e"]) for point in points]
    a = ca.horzcat(*[point["a"] for point in points])
    dw = ca.horzcat(*[point["dw"] for point in points])
    return [
        ca.vertcat(
            q + h * c * v + h**2 * ca.mtimes(a, ca.DM(AA[j])) + along[j],
            v + h * ca.mtimes(a, ca.DM(A[j])),
            w + h * ca.mtimes(dw, ca.DM(A[j])),
        )
        for j, c in enumerate(scheme.nodes)
    ]


def residual_names(dae: DAE, form: IntervalForm) -> list[str]:
    """Return the names of an interval's residuals."""
    n = dae.tree.size
    equations = [f"motion of {name}" for name in dae.q_names]
    equations += [f"rate of {name}" for name in dae.x.names[2 * n :]]
    equations += [f"equation {i + 1}" for i in range(len(dae.z))]
    equations += [f"closure against {name}" for name in dae.tree.loops.multipliers]
    equations += [f"no acceleration of {name}" for name in form.static.names]
    return [f"{name} at point {j}" for j in range(1, form.scheme.degree + 1) for name in equations] + [
        f"continuity of {name}" for name in dae.x.names
    ]


@dataclass(frozen=True)
class IntervalForm:
    """The form of an interval, which determines its kernels.

    Attributes
    ----------
    scheme : Collocation
    shape : InputShape
    is_free : bool
        Whether the duration is a variable.
    designed : tuple of int
        Indices of the design parameters.
    static : StaticModes
        The quasi-static modes.
    """

    scheme: Collocation
    shape: InputShape
    is_free: bool = False
    designed: tuple[int, ...] = ()
    static: StaticModes = ALL_MOVE
