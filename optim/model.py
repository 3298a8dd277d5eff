"""From a planning problem to a Pyomo model."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pyomo.environ as pyo

from flexblocks.dae import DAE

from .boxes import add_cost, add_equations_of_motion
from .ends import fix_ends
from .guess import set_guess
from .path_box import add_path
from .path_limits import add_path_limits
from .places import Places, places
from .problem import RestToRest
from .transcription import Transcription, transcribe
from .variables import add_variables


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
    * ``m.u[k, "motor1.torque"]`` and, for cubic inputs, the rates ``m.du[k, "motor1.torque"]``;
    * ``m.path[k, j, name]``, limited outputs and distances from regions.

    The Param ``m.t[k]`` holds the mesh times. Where the duration is free it is the Var ``m.T`` [s], and the mesh times
    are Expressions of it. Start and goal are fixed Vars, and so are
    the inputs there if they begin and end at holding values. ``m.transcription`` is the `Transcription`
    that the model was made from.
    """
    started = perf_counter()
    t = transcribe(dae, problem, intervals=intervals, degree=degree, inputs=inputs, p=p)
    m: Any = pyo.ConcreteModel(f"{dae.name}: {type(problem).__name__}")
    at = add_trajectory(m, t)
    m.objective = pyo.Objective(expr=sum(weight * add_cost(m, t, at, term) for weight, term in t.objective.terms))
    m.build_time = perf_counter() - started
    return m


def add_trajectory(b: Any, t: Transcription) -> Places:
    """Put a trajectory on a Pyomo block or model: Vars with their start values, ends, equations of motion and limits.

    What is put on a block `b` is a function of it and of the `Transcription` behind it, ``b.transcription``.
    """
    b.transcription = t
    add_variables(b, t)
    fix_ends(b, t)
    at = places(b, t)
    add_equations_of_motion(b, t, at)
    add_path_limits(b, t)
    add_path(b, t, at)
    set_guess(b, t)
    return at
