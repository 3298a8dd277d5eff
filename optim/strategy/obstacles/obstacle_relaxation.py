"""Relaxed obstacles: one variable lets the motion into all of them, at a price (exact penalty, big-M method)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ...errors import PlanError
from ...model.path_constraints import path_values, set_path_values
from ...model.read_solution import active_objective
from ...presolve.phase_transcription import PhaseTranscription
from ...results.attempt import Attempt
from ..solving import Solving

ROOM = 0.1  # share of the intrusion by which the start lies inside the relaxed limits; by trial
# Share of the intrusion before at which a price ten times as high has bought nothing: deep in a wall all ways out are
# as long. A ball is left at that price from 91 % of the first intrusion.
STUCK = 0.9
CLEARED = 1e-4  # share of the first intrusion that counts as none: 4 um of 4 cm


def solve_relaxed(
    what: str, model: Any, solving: Solving, before: tuple[Attempt, ...], price: float, factors: Sequence[float] = ()
) -> tuple[Attempt, ...]:
    """Solve a model with its obstacles relaxed, until they are cleared; return the attempts.

    Minimised is f + c tau; path values that the present motion violates may be violated by tau times as much. The
    start, tau = 1, satisfies all path constraints, so the solver does not have to leave the equations of motion to
    clear obstacles: from a start in violation, Newton steps of IPOPT are cut to a thousandth by the bounds, and then
    whirl the arm about. With a price c above what all obstacles together cost, tau ends at zero, and the motion is
    optimal for the obstacles themselves. What is clear keeps its limits: otherwise neighbouring stations of a link
    end on either side of an obstacle.

    Parameters
    ----------
    what : str
    model : ConcreteModel
    solving : Solving
    before : tuple of Attempt
    price : float
        Value of the objective that c is relative to.
    factors : sequence of float
        Of that value, one after the other; by default those of the settings.

    Raises
    ------
    PlanError
        Not cleared at any of these prices; its plan has all attempts.
    """
    settings, attempts = solving.settings, before
    solved, left = None, 1.0
    near: dict[str, float] = {}
    with _relaxed(model) as share:
        for factor in factors or settings.prices:
            with _priced(model, share, factor * price):
                solved = solving.attempt_easier(what, model, attempts, max_iter=settings.obstacle_patience, **near)
            attempts, near = solved.attempts, {"mu_init": settings.near_barrier}
            before_it, left = left, float(share.value)
            if left <= CLEARED:
                return attempts
            if STUCK * before_it < left < 1.0 and before_it < 1.0:
                break
    assert solved is not None
    name = solved.transcribed.dae.name
    raise PlanError(
        f"Plan of '{name}': obstacles are still in the way at {100 * left:.3g} % of the first intrusion.", solved, ()
    )


def trajectories(model: Any) -> Iterator[Any]:
    """Yield the blocks of all phases, which may be the model itself."""
    for block in model.block_data_objects(active=True):
        if isinstance(getattr(block, "transcription", None), PhaseTranscription):
            yield block


def lifted(t: PhaseTranscription) -> list[int]:
    """Return the indices of the path values that may be lifted: distances and expressions, not limits by name."""
    return [i for i, constraint in enumerate(t.path.constraints) if constraint.may_be_lifted]


@contextmanager
def _relaxed(model: Any) -> Iterator[Any]:
    """Relax the bounds of violated path values by a common variable, 1 at the present motion; yield it."""
    bounds = []
    block: Any = pyo.Block()
    model.relaxation = block
    share: Any = pyo.Var(bounds=(0.0, None), initialize=1.0)
    rows: Any = pyo.ConstraintList()
    block.share, block.rows = share, rows
    for b in trajectories(model):
        t = b.transcription
        values = path_values(b)
        set_path_values(b)
        for i in lifted(t):
            low, high = t.path_bounds[t.path.names[i]]
            below, above = float(np.max(low - values[..., i])), float(np.max(values[..., i] - high))
            for variable in (b.path[k, j, t.path.names[i]] for k in b.intervals for j in b.points):
                bounds.append((variable, variable.lb, variable.ub))
                if below > 0:
                    variable.setlb(None)
                    rows.add(variable + (1 + ROOM) * below * share >= low)
                if above > 0:
                    variable.setub(None)
                    rows.add(variable - (1 + ROOM) * above * share <= high)
    try:
        yield share
    finally:
        model.del_component(model.relaxation)
        for variable, low, high in bounds:
            variable.setlb(low)
            variable.setub(high)


@contextmanager
def _priced(model: Any, share: Any, price: float) -> Iterator[None]:
    """Add the price of the relaxation to the objective."""
    objective = active_objective(model)
    objective.deactivate()
    model.relaxation.objective = pyo.Objective(expr=objective.expr + price * share, sense=objective.sense)
    try:
        yield
    finally:
        model.relaxation.del_component(model.relaxation.objective)
        objective.activate()
