"""From a planning problem to a Pyomo model."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name

from flexblocks.dae import DAE

from .casadi_solver import CasadiGreyBox, attach
from .cost import effort_function, vibration_function
from .dynamics import interval_kernel
from .guess import set_guess
from .interval import residual_names
from .objective import Effort, Objective, Time
from .path_limits import add_path_limits, bounds_of
from .problem import RestToRest
from .transcription import Transcription, transcribe


def pyomo_model(
    dae: DAE,
    problem: RestToRest,
    *,
    intervals: int = 100,
    degree: int = 3,
    inputs: str = "cubic",
    p: Any = None,
) -> pyo.ConcreteModel:
    """Return the unsolved Pyomo model of a planning problem, with the default start values set.

    Parameters
    ----------
    dae : DAE
    problem : RestToRest
    intervals : int
        Number K of mesh intervals.
    degree : int
        Number d of Radau collocation points in each.
    inputs : "cubic", "linear" or "constant"
        How inputs run over an interval: continuous with their rates, continuous, or held.
    p : dict of float, optional
        Values of the symbolic parameters, by name.

    Returns
    -------
    ConcreteModel
        Solve it with ``optim.solve(m)``; or with ``pyo.SolverFactory("casadi").solve(m)``, then
        ``optim.Plan.from_model(m)``.

    Raises
    ------
    FlexblocksError
        The problem is malformed, names what is not there, or cannot be met at its ends.

    Notes
    -----
    Vars, by mesh point k = 0..K or interval k = 0..K-1, collocation point j = 1..d, and *name*, in SI units:

    * ``m.q[k, "joint1.angle"]`` and its rate ``m.v[k, "joint1.angle"]``; ``m.w[k, name]``, first-order states;
    * ``m.a[k, j, "joint1.angle"]``, accelerations; ``m.dw[k, j, name]``, rates of first-order states;
      ``m.z[k, j, name]``, algebraic variables;
    * ``m.u[k, "motor1.torque"]`` and, for cubic inputs, the rates ``m.du[k, "motor1.torque"]``.

    The Param ``m.t[k]`` holds the mesh times. Where the duration is free it is the Var ``m.T`` [s], and the mesh times
    are Expressions of it. Start and goal are fixed Vars, and so are
    the inputs there if they begin and end at holding values. ``m.transcription`` is the `Transcription`
    that the model was made from.
    """
    started = perf_counter()
    t = transcribe(dae, problem, intervals=intervals, degree=degree, inputs=inputs, p=p)
    m: Any = pyo.ConcreteModel(f"{dae.name}: {type(problem).__name__}")
    _add_variables(m, t)
    _fix_ends(m, t)
    _add_boxes(m, t)
    add_path_limits(m, t)
    set_guess(m, t)
    m.transcription = t
    m.build_time = perf_counter() - started
    return m


def _add_variables(m: Any, t: Transcription) -> None:
    dae, n, bounds = t.dae, t.dae.tree.size, bounds_of(t)
    K, d = t.mesh.intervals, t.scheme.degree
    held = t.mesh.intervals if t.shape.is_continuous else K - 1
    m.intervals, m.mesh, m.points = pyo.RangeSet(0, K - 1), pyo.RangeSet(0, K), pyo.RangeSet(1, d)
    m.input_mesh = pyo.RangeSet(0, held)
    m.coordinates = pyo.Set(initialize=dae.q_names)
    m.first_order = pyo.Set(initialize=dae.x.names[2 * n :])
    m.algebraics = pyo.Set(initialize=dae.z.names)
    m.inputs = pyo.Set(initialize=dae.u.names)
    if t.is_free:
        shares = (t.mesh.times / t.mesh.duration).tolist()
        m.T = pyo.Var(bounds=t.duration_range, initialize=t.mesh.duration, doc="duration [s]")
        m.t = pyo.Expression(m.mesh, rule=lambda m, k: shares[k] * m.T, doc="mesh times [s]")
    else:
        m.t = pyo.Param(m.mesh, initialize=dict(enumerate(t.mesh.times.tolist())), doc="mesh times [s]")

    def variables(doc: str, *sets: Any, by_name: dict[str, tuple] | None = None) -> pyo.Var:
        rule = None if by_name is None else lambda _, *index: by_name[index[-1]]
        return pyo.Var(*sets, bounds=rule, doc=doc)

    m.q = variables("coordinates", m.mesh, m.coordinates, by_name=bounds["q"])
    m.v = variables("their rates", m.mesh, m.coordinates, by_name=bounds["v"])
    m.w = variables("first-order states", m.mesh, m.first_order, by_name=bounds["w"])
    m.a = variables("accelerations", m.intervals, m.points, m.coordinates)
    m.dw = variables("rates of first-order states", m.intervals, m.points, m.first_order)
    m.z = variables("algebraic variables", m.intervals, m.points, m.algebraics)
    m.u = variables("inputs", m.input_mesh, m.inputs, by_name=bounds["u"])
    if t.shape.has_rates:
        m.du = variables("rates of the inputs", m.input_mesh, m.inputs, by_name=bounds["du"])


def _fix_ends(m: Any, t: Transcription) -> None:
    n, K = t.dae.tree.size, t.mesh.intervals
    for k, end in ((0, t.start), (K, t.goal)):
        q, v, w = np.split(end.x, [n, 2 * n])
        for var, names, values in ((m.q, m.coordinates, q), (m.v, m.coordinates, v), (m.w, m.first_order, w)):
            for name, value in zip(names, values.tolist(), strict=True):
                var[k, name].fix(value)
        if t.holds_ends:
            for name, value in zip(m.inputs, end.u.tolist(), strict=True):
                m.u[k, name].fix(value)


def _add_boxes(m: Any, t: Transcription) -> None:
    """Add the equations of motion, ``m.dynamics``, and the objective on ``m.effort``, ``m.vibration`` and ``m.T``."""
    variables, index, knots = _local_variables(m, t)
    step = (t.mesh.shares if t.is_free else t.mesh.steps)[:, None]
    constants = np.hstack([step, np.tile(t.p, (len(step), 1))])
    dynamics = CasadiGreyBox(
        interval_kernel(t.dae, t.scheme, t.shape, t.is_free),
        index,
        constants,
        name="dynamics",
        residual_names=residual_names(t.dae, t.scheme),
        n_inputs=len(variables),
    )
    attach(m, "dynamics", dynamics, variables)
    first = len(variables) - sum(map(len, _shaping(m, t)))

    def cost(term: Objective) -> Any:
        if isinstance(term, Time):
            return m.T
        if isinstance(term, Effort):
            name, on, places, p = "effort", variables[first:], knots - first, step
            function = effort_function(t.shape, term, len(t.dae.u), t.is_free)
        else:
            name, on, places, p = "vibration", variables, index, constants
            function = vibration_function(t.dae, t.scheme, t.shape, t.is_free)
        name = unique_component_name(m, name)
        attach(m, name, CasadiGreyBox(function, places, p, name=name, n_inputs=len(on)), on)
        return getattr(m, name).outputs["cost"]

    m.objective = pyo.Objective(expr=sum(weight * cost(term) for weight, term in t.objective.terms))


def _shaping(m: Any, t: Transcription) -> list:
    """Return the Vars that shape the inputs over time, the last of those of an interval."""
    return [m.u, *([m.du] if t.shape.has_rates else []), *([m.T] if t.is_free else [])]


def _local_variables(m: Any, t: Transcription) -> tuple[list, np.ndarray, np.ndarray]:
    """Return the model's variables in one list, and by interval the places of all local ones and of the inputs'."""
    groups = {name: getattr(m, name) for name in ("q", "v", "w", "a", "dw", "z", "u")}
    if t.shape.has_rates:
        groups["du"] = m.du
    variables: list = []
    places = {}
    K, d = t.mesh.intervals, t.scheme.degree
    for name, group in groups.items():
        rows = (K, d, -1) if name in ("a", "dw", "z") else (len(m.input_mesh) if name in ("u", "du") else K + 1, -1)
        count = len(group)
        width = count // int(np.prod(rows[:-1]))
        places[name] = len(variables) + np.arange(count).reshape(*rows[:-1], width)
        variables += group.values()
    begin, end = (
        np.hstack([places[name][rows] for name in ("q", "v", "w")]) for rows in (slice(0, K), slice(1, K + 1))
    )
    stages = np.concatenate([places["a"], places["dw"], places["z"]], axis=2).reshape(K, -1)
    knots = np.hstack([places["du" if knot.rate else "u"][knot.end : knot.end + K] for knot in t.shape.knots])
    if t.is_free:
        knots = np.hstack([knots, np.full((K, 1), len(variables))])
        variables.append(m.T)
    return variables, np.hstack([begin, stages, end, knots]), knots
