"""From a planning problem to a Pyomo model."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import Any, Unpack

import pyomo.environ as pyo
from pyomo.common.gc_manager import PauseGC

from flexblocks.dae.dae import DAE

from ..collocation.transcription_options import (
    TranscriptionArguments,
    TranscriptionOptions,
    takes_transcription_options,
    transcription_options,
)
from ..presolve.phase_transcription import Transcription
from ..presolve.transcribe import transcribe
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from .boundary_conditions import add_boundary_conditions
from .bounds import add_limits
from .equations_of_motion import add_equations_of_motion
from .initial_guess import set_guess
from .objective import PhaseCosts, add_objective
from .path_constraints import add_path_constraints
from .phase_linking import link_phases
from .trajectories import PhaseTrajectory
from .variable_index import VariableIndex, variable_index
from .variables import add_variables
from .via_points import add_via_points


@takes_transcription_options
def pyomo_model(
    dae: DAE, problem: Problem | RestToRest, *, p: Any = None, **transcription: Unpack[TranscriptionArguments]
) -> pyo.ConcreteModel:
    """Return the unsolved Pyomo model of a planning problem, with the default start values set.

    Parameters
    ----------
    dae : DAE
    problem : Problem or RestToRest
    **transcription
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
      ``m.z[k, j, name]``, algebraic variables; ``m.f[k, j, name]``, forces and torques that keep loops closed;
      ``m.e[k, j, mode]``, displacements along modes that are carried quasi-statically;
    * ``m.u[k, "motor1.torque"]`` and, for cubic inputs, the rates ``m.du[k, "motor1.torque"]``;
    * ``m.path[k, j, name]``, limited outputs and distances from regions.

    The Param ``m.t[k]`` holds the mesh times. Where the duration is free it is the Var ``m.T`` [s], and the mesh times
    are Expressions of it. Start and goal are fixed Vars (of an arm with closed loops the independent ones of the goal;
    the others follow), and so are the inputs there if they begin and end at holding values. ``m.transcription`` is the
    `Transcription` that the model was made from.
    """
    return model_of(dae, problem, transcription_options(transcription), p)


def model_of(dae: DAE, problem: Problem | RestToRest, options: TranscriptionOptions, p: Any = None) -> Any:
    """Return the unsolved model of a planning problem under options that are checked already; see `pyomo_model`."""
    started = perf_counter()
    with PauseGC():  # many objects and no cycles to collect
        m = _model(transcribe(dae, problem, options, p))
    m.build_time = perf_counter() - started
    return m


def _model(transcribed: TranscribedProblem) -> Any:
    """Write transcribed trajectories as one Pyomo model."""
    dae = transcribed.dae
    m: Any = pyo.ConcreteModel(f"{dae.name}: {', '.join(phase.name for phase in transcribed.problem.phases)}")
    m.transcribed = transcribed
    design = transcribed.problem.design
    if design:
        start = {name: float(transcribed.p[dae.p.index(name)]) for name in design}
        m.p = pyo.Var(list(start), bounds=lambda _, name: design[name], initialize=start, doc="design")
    blocks = _blocks(m, transcribed)
    scenarios = []
    for s, (phases, transcriptions) in enumerate(zip(blocks, transcribed.runs, strict=True)):
        # Later scenarios have the inputs of the first.
        lenders = blocks[0] if s else [None] * len(phases)
        indices = [add_phase(b, t, lender) for b, t, lender in zip(phases, transcriptions, lenders, strict=True)]
        for before, after in pairwise(PhaseTrajectory(b, t) for b, t in zip(phases, transcriptions, strict=True)):
            link_phases(before, after)
        scenarios.append([PhaseCosts(*parts) for parts in zip(phases, transcriptions, indices, strict=True)])
    add_objective(m, transcribed, scenarios)
    note_own(m)
    return m


def add_phase(b: Any, t: Transcription, lender: Any = None) -> VariableIndex:
    """Put a phase on a Pyomo block or model: Vars with start values, ends, equations of motion and limits.

    What is put on a block `b` is a function of it and of the `Transcription` behind it, ``b.transcription``. The inputs
    may be those of another block, the `lender`. What a phase does not contain is not there.
    """
    b.transcription = t
    # The variables, and what holds at both ends
    add_variables(b, t, lender)
    add_boundary_conditions(b, t)
    index = variable_index(b, t)
    # What holds all along, and at via points
    add_equations_of_motion(b, t, index)
    add_limits(b, t)
    if t.path.rows:
        add_path_constraints(b, t, index)
    if t.phase.via:
        add_via_points(b, t, index)
    # Where the solver starts
    set_guess(b, t)
    return index


def _blocks(m: Any, transcribed: TranscribedProblem) -> list[list]:
    """Return the Pyomo blocks of the trajectories, by scenario and phase: the model itself where there is but one."""
    runs: list[Any] = [m]
    names = [t.phase.name for t in transcribed.first]
    if len(transcribed.runs) > 1:
        m.scenario = pyo.Block(pyo.RangeSet(0, len(transcribed.runs) - 1))
        runs = [m.scenario[s] for s in range(len(transcribed.runs))]
    found = []
    for run in runs:
        if len(names) > 1:
            run.phase = pyo.Block(names)
        found.append([run.phase[name] for name in names] if len(names) > 1 else [run])
    for b in (b for run in found for b in run if b is not m and transcribed.problem.design):
        b.p = pyo.Reference(m.p)
    return found


def note_own(m: Any) -> None:
    """Note which components a planner's model has as it was made."""
    m.own_components = _names(m)


def changed_by_hand(m: Any) -> list[str]:
    """Return the names of the components that were added or deleted since, sorted."""
    return sorted(_names(m) ^ m.own_components)


def _names(m: Any) -> frozenset[str]:
    return frozenset(part.name for part in m.component_objects(descend_into=True))
