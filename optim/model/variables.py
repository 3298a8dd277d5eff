"""Decision variables of one phase, and those of inputs that are known beforehand, which are fixed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..presolve.bounds import held_inputs
from ..presolve.inputs.known_motions import known_values
from ..presolve.phase_transcription import PhaseTranscription
from .bounds import bounds_of


def add_variables(b: Any, t: PhaseTranscription, lender: Any = None) -> None:
    """Add the Vars of a phase to a Pyomo block or model `b`, with their index sets and the mesh times.

    With a `lender`, the inputs are References to those of that block, and a free duration is equal to its duration.
    """
    dae, n, bounds = t.dae, t.dae.tree.size, bounds_of(t)
    K, d = t.mesh.intervals, t.scheme.degree
    b.intervals, b.mesh, b.points = pyo.RangeSet(0, K - 1), pyo.RangeSet(0, K), pyo.RangeSet(1, d)
    b.input_mesh = pyo.RangeSet(0, K if t.shape.is_continuous else K - 1)
    b.coordinates = pyo.Set(initialize=dae.q_names)
    b.first_order = pyo.Set(initialize=dae.x.names[2 * n :])
    b.algebraics = pyo.Set(initialize=dae.z.names)
    b.closures = pyo.Set(initialize=dae.tree.loops.multipliers)
    b.static = pyo.Set(initialize=t.static.names)
    b.inputs = pyo.Set(initialize=dae.u.names)
    _add_times(b, t)
    if t.is_free and lender is not None:
        b.same_duration = pyo.Constraint(expr=b.T == lender.T)

    def variables(doc: str, *sets: Any, by_name: dict[str, tuple] | None = None) -> pyo.Var:
        rule = None if by_name is None else lambda _, *index: by_name[index[-1]]
        return pyo.Var(*sets, bounds=rule, doc=doc)

    b.q = variables("coordinates", b.mesh, b.coordinates, by_name=bounds["q"])
    b.v = variables("their rates", b.mesh, b.coordinates, by_name=bounds["v"])
    b.w = variables("first-order states", b.mesh, b.first_order, by_name=bounds["w"])
    b.a = variables("accelerations", b.intervals, b.points, b.coordinates)
    b.dw = variables("rates of first-order states", b.intervals, b.points, b.first_order)
    b.z = variables("algebraic variables", b.intervals, b.points, b.algebraics)
    b.f = variables("loop-closure forces", b.intervals, b.points, b.closures)
    b.e = variables("displacements of quasi-static modes", b.intervals, b.points, b.static)
    if lender is not None:
        b.u = pyo.Reference(lender.u)
    else:
        b.u = variables("inputs", b.input_mesh, b.inputs, by_name=bounds["u"])
    if not t.shape.has_rates:
        return
    if lender is not None:
        b.du = pyo.Reference(lender.du)
    else:
        b.du = variables("rates of the inputs", b.input_mesh, b.inputs, by_name=bounds["du"])


def _add_times(b: Any, t: PhaseTranscription) -> None:
    if t.is_free:
        shares = (t.mesh.times / t.mesh.duration).tolist()
        b.T = pyo.Var(bounds=t.duration_range, initialize=t.mesh.duration, doc="duration [s]")
        b.t = pyo.Expression(b.mesh, rule=lambda b, k: shares[k] * b.T, doc="mesh times [s]")
    else:
        b.t = pyo.Param(b.mesh, initialize=dict(enumerate(t.mesh.times.tolist())), doc="mesh times [s]")


def fix_known_inputs(b: Any, t: PhaseTranscription) -> None:
    """Fix known inputs at all mesh points: their values and rates, or the means of piecewise constant inputs.

    They are accelerations of known motions, known disturbances, and inputs that are off.
    """
    if t.borrows_inputs:
        return
    times = t.mesh.times
    known = known_values(t.dae, t.problem, t.phase, times) if t.problem.prescribed else {}
    nothing = np.zeros(len(times))
    off = held_inputs(t.dae, t.limits).keys() - known.keys()
    for name, (integral, value, rate) in (known | dict.fromkeys(off, (nothing, nothing, nothing))).items():
        values = value if t.shape.is_continuous else np.diff(integral) / t.mesh.steps
        for k, at_point in enumerate(values.tolist()):
            b.u[k, name].fix(at_point)
        if t.shape.has_rates:
            for k, at_point in enumerate(rate.tolist()):
                b.du[k, name].fix(at_point)
