"""Build the Pyomo model of a planning problem."""

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
from ..presolve.bounds import held_inputs
from ..presolve.phase_transcription import PhaseTranscription
from ..presolve.transcribe import transcribe
from ..presolve.transcribed_problem import TranscribedProblem
from ..problem.problem import Problem
from ..problem.rest_to_rest import RestToRest
from .bounds import add_limits
from .ends.boundary_conditions import add_boundary_conditions
from .ends.reached_state import add_reached_state
from .equations_of_motion import add_equations_of_motion
from .initial_guess import set_guess
from .magnitudes import declare_magnitudes
from .objective import PhaseCosts, add_objective
from .path_constraints import add_path_constraints
from .phase_linking import link_period, link_phases
from .trajectories import PhaseTrajectory
from .variable_index import VariableIndex, variable_index
from .variables import add_variables, fix_known_inputs
from .via_points import add_via_points


@takes_transcription_options
def pyomo_model(
    dae: DAE, problem: Problem | RestToRest, *, p: Any = None, **transcription: Unpack[TranscriptionArguments]
) -> pyo.ConcreteModel:
    """Return the unsolved Pyomo model of a planning problem, initialised with the default guess.

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
        The problem is malformed, contains an unknown name, or its start or goal is infeasible.

    Notes
    -----
    Vars, by mesh point k = 0..K or interval k = 0..K-1, collocation point j = 1..d, and *name*, in SI units:

    * ``m.q[k, "joint1.angle"]`` and its rate ``m.v[k, "joint1.angle"]``; ``m.w[k, name]``, first-order states;
    * ``m.a[k, j, "joint1.angle"]``, accelerations; ``m.dw[k, j, name]``, rates of first-order states;
      ``m.z[k, j, name]``, algebraic variables; ``m.f[k, j, name]``, loop-closure forces and torques; ``m.e[k, j,
      mode]``, displacements of quasi-static modes;
    * ``m.u[k, "motor1.torque"]`` and, for cubic inputs, the rates ``m.du[k, "motor1.torque"]``;
    * ``m.path[k, j, name]``, path values: limited outputs and distances from regions.

    The Param ``m.t[k]`` holds the mesh times. A free duration is the Var ``m.T`` [s], and the mesh times are
    Expressions of it. Start and goal are fixed Vars (with closed loops only the independent ones at the goal; the
    others follow), and so are the inputs there if they begin and end at holding values. The last interval ends in
    ``m.reached_q[name]`` and ``m.reached_v[name]`` if the goal leaves open modes that the mesh does not resolve.
    ``m.transcription`` is the `PhaseTranscription` that the model was made from.
    """
    return model_of(dae, problem, transcription_options(transcription), p)


def model_of(
    dae: DAE,
    problem: Problem | RestToRest,
    options: TranscriptionOptions,
    p: Any = None,
    before: TranscribedProblem | None = None,
) -> Any:
    """Return the unsolved model of a planning problem under validated options; see `pyomo_model` and `transcribe`."""
    started = perf_counter()
    with PauseGC():  # many objects, no cycles to collect
        m = _model(transcribe(dae, problem, options, p, before=before))
    m.build_time = perf_counter() - started
    return m


def _model(transcribed: TranscribedProblem) -> Any:
    """Write a transcribed problem as one Pyomo model."""
    dae = transcribed.dae
    m: Any = pyo.ConcreteModel(f"{dae.name}: {', '.join(phase.name for phase in transcribed.problem.phases)}")
    m.transcribed = transcribed
    # Design parameters
    design = transcribed.problem.design
    if design:
        start = {name: float(transcribed.p[dae.p.index(name)]) for name in design}
        m.p = pyo.Var(list(start), bounds=lambda _, name: design[name], initialize=start, doc="design")
    # Phases of all scenarios, linked to trajectories
    blocks = _blocks(m, transcribed)
    scenarios = []
    for s, (phases, transcriptions) in enumerate(zip(blocks, transcribed.runs, strict=True)):
        # All scenarios share the inputs of the first
        lenders = blocks[0] if s else [None] * len(phases)
        indices = [add_phase(b, t, lender) for b, t, lender in zip(phases, transcriptions, lenders, strict=True)]
        for before, after in pairwise(PhaseTrajectory(b, t) for b, t in zip(phases, transcriptions, strict=True)):
            link_phases(before, after)
        if transcribed.problem.periodic:
            link_period(*(PhaseTrajectory(phases[i], transcriptions[i]) for i in (0, -1)))
        scenarios.append([PhaseCosts(*parts) for parts in zip(phases, transcriptions, indices, strict=True)])
    # Objective; components added from here on are the user's
    add_objective(m, transcribed, scenarios)
    record_components(m)
    return m


def add_phase(b: Any, t: PhaseTranscription, lender: Any = None) -> VariableIndex:
    """Add a phase to a Pyomo block or model: variables, boundary conditions, equations of motion and limits.

    Everything added to the block `b` is determined by its `PhaseTranscription`, ``b.transcription``. The inputs may be
    those of another block, the `lender`. Components that a phase does not need are not created.
    """
    b.transcription = t
    # Variables and boundary conditions
    add_variables(b, t, lender)
    add_boundary_conditions(b, t, lender)
    add_reached_state(b, t)
    if t.problem.prescribed or held_inputs(t.dae, t.limits):
        fix_known_inputs(b, t)
    index = variable_index(b, t)
    # Constraints along the path, and at via points
    add_equations_of_motion(b, t, index)
    add_limits(b, t)
    if t.path.rows:
        add_path_constraints(b, t, index)
    if t.phase.via:
        add_via_points(b, t, index)
    # Initial guess, and the scaling
    set_guess(b, t)
    declare_magnitudes(b, t)
    return index


def _blocks(m: Any, transcribed: TranscribedProblem) -> list[list]:
    """Return the Pyomo blocks of the trajectories, by scenario and phase: the model itself if there is only one."""
    runs: list[Any] = [m]
    names = [t.phase.name for t in transcribed.first]
    if len(transcribed.runs) > 1:
        m.scenario = pyo.Block(pyo.RangeSet(0, len(transcribed.runs) - 1))
        runs = [m.scenario[s] for s in range(len(transcribed.runs))]
    blocks = []
    for run in runs:
        if len(names) > 1:
            run.phase = pyo.Block(names)
        blocks.append([run.phase[name] for name in names] if len(names) > 1 else [run])
    for b in (b for run in blocks for b in run if b is not m and transcribed.problem.design):
        b.p = pyo.Reference(m.p)
    return blocks


def record_components(m: Any) -> None:
    """Record the components of a planner's model, to detect later modifications."""
    m.original_components = _names(m)


def modified_components(m: Any) -> list[str]:
    """Return the names of the components added or deleted since the model was built, sorted."""
    return sorted(_names(m) ^ m.original_components)


def _names(m: Any) -> frozenset[str]:
    return frozenset(part.name for part in m.component_objects(descend_into=True))
