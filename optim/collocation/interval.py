"""One interval: its unknowns, and the states and inputs that are linear in them."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from flexblocks.dae.dae import DAE

from .input_parametrization import InputShape, Weights
from .quasi_static import ALL_MOVE, StaticModes
from .schemes import Collocation


@dataclass(frozen=True)
class Stage:
    """What is unknown at one collocation point.

    Accelerations, rates of first-order states, algebraic variables, forces that keep loops closed, and displacements
    along modes that are carried quasi-statically.
    """

    a: ca.SX
    dw: ca.SX
    z: ca.SX
    f: ca.SX
    e: ca.SX


@dataclass(frozen=True)
class Interval:
    """Symbols of one interval: states at both ends, stages between, knots (number of knots, nu) of the inputs.

    The local variables are ``begin, stages, end, knots, duration, design`` in this order, each stage as
    ``a, dw, z, f, e`` and the knots one knot after the other. `duration`, that of the motion, is there (1, 1) where it
    is free, and else empty. `design` are the parameters that are variables, at the places `designed` among all.
    """

    begin: ca.SX
    stages: tuple[Stage, ...]
    end: ca.SX
    knots: ca.SX
    duration: ca.SX
    design: ca.SX
    designed: tuple[int, ...] = ()

    @property
    def variables(self) -> ca.SX:
        stages = [ca.vertcat(stage.a, stage.dw, stage.z, stage.f, stage.e) for stage in self.stages]
        return ca.vertcat(self.begin, *stages, self.end, ca.vec(self.knots.T), self.duration, self.design)

    def parameters(self, p: ca.SX) -> ca.SX:
        """Return the parameters (np, 1): `p`, but the variables where they are designed."""
        return with_design(p, self.designed, self.design)

    def length(self, step: ca.SX) -> ca.SX:
        """Return the length of the interval [s]: `step` is that or, where the duration is free, its share in it."""
        return interval_length(step, self.duration)


def interval_length(step: ca.SX, duration: ca.SX) -> ca.SX:
    """Return `step` [s], or `step` as a share of a free `duration` (1, 1)."""
    return step * duration if duration.numel() else step


def with_design(p: ca.SX, designed: tuple[int, ...], design: ca.SX) -> ca.SX:
    """Return the parameters `p` (np, 1) with `design` in the places `designed`."""
    found = ca.SX(p)
    for place, symbol in zip(designed, ca.vertsplit(design) if designed else [], strict=True):
        found[place] = symbol
    return found


def interval_symbols(dae: DAE, form: IntervalForm) -> Interval:
    """Return fresh symbols of one interval."""
    n, nx, nu = dae.tree.size, len(dae.x), len(dae.u)
    loops = len(dae.tree.loops.multipliers)
    sizes = ("a", n), ("dw", nx - 2 * n), ("z", len(dae.z)), ("f", loops), ("e", len(form.static))
    return Interval(
        begin=ca.SX.sym("begin", nx),
        stages=tuple(
            Stage(*(ca.SX.sym(f"{kind}{j}", size) for kind, size in sizes)) for j in range(1, form.scheme.degree + 1)
        ),
        end=ca.SX.sym("end", nx),
        knots=ca.SX.sym("knots", len(form.shape.knots), nu),
        duration=ca.SX.sym("duration", int(form.is_free)),
        design=ca.SX.sym("design", len(form.designed)),
        designed=form.designed,
    )


def combined(w: Weights, knots: ca.SX, h: ca.SX) -> ca.SX:
    """Return combinations (k, nu) of the knots on an interval of length `h`."""
    powers = [h**power if power else ca.SX(1) for power in w.powers]
    return ca.mtimes(ca.sparsify(ca.SX(ca.DM(w.factors))) @ ca.diag(ca.vertcat(*powers)), knots)


def collocated_states(size: int, interval: Interval, form: IntervalForm, h: ca.SX) -> list[ca.SX]:
    """Return the states (nx, 1) at every collocation point, for an arm of `size` coordinates.

    Modes that are carried quasi-statically have their displacements from the point itself, not from the beginning.
    """
    q, v, w = ca.vertsplit(interval.begin, [0, size, 2 * size, interval.begin.numel()])
    scheme, along = form.scheme, [ca.SX(size, 1)] * form.scheme.degree
    A, AA = scheme.integral, scheme.double_integral
    if form.static:
        moving, shapes = (ca.DM(matrix) for matrix in (form.static.moving(size), form.static.directions(size)))
        q, v = ca.mtimes(moving, q), ca.mtimes(moving, v)
        along = [ca.mtimes(shapes, stage.e) for stage in interval.stages]
    a = ca.horzcat(*[stage.a for stage in interval.stages])
    dw = ca.horzcat(*[stage.dw for stage in interval.stages])
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
    """The form of an interval: two that are equal have the same kernels.

    Attributes
    ----------
    scheme : Collocation
    shape : InputShape
    is_free : bool
        Whether the duration is a variable.
    designed : tuple of int
        Places of the parameters that are variables.
    static : StaticModes
        What is carried quasi-statically.
    """

    scheme: Collocation
    shape: InputShape
    is_free: bool = False
    designed: tuple[int, ...] = ()
    static: StaticModes = ALL_MOVE
