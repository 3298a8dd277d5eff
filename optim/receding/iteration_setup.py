"""What an iteration is made of: functions of the arm, scales, limits, costs; checked and computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import casadi as ca
import numpy as np

from flexblocks.constraints.closed_state import closed_state
from flexblocks.constraints.loop_equations import closure_equations, gap
from flexblocks.constraints.loop_newton import CLOSED, nearest, polished
from flexblocks.control.sensing.sampler import split_delay
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, NameUnknownError, ParameterError, listing
from flexblocks.interfaces.variables import Variables

from ..problem.objectives.tracking import Tracking
from ..problem.path_constraints.path_constraint import PathConstraint
from .compiled_iteration import HIDDEN, CompiledIteration, iteration_source
from .costs import Costs, checked_sizes, named_values
from .grid import geometric_grid
from .interpreted.callback import Interpreted, IterationCallback
from .interpreted.iteration import Iteration
from .layout import COUNTERS, memory_variables
from .limit_checks import check_limits
from .machine import compiled_or_interpreted
from .prediction import Prediction, prediction
from .references import reference_function
from .scales import SHARE, state_scales
from .soft_limits import bounded_values, soft_limits
from .solver_libraries import solver_libraries

# Where the start is a singular posture, costs are weighed so far beside it [rad].
BESIDE = 0.3
# Plans farther from linearised ones than so many scales are no plans: half the reach.
FARTHEST = 5.0
# What of an input's limit counts as a signal that is off by its tolerance; with all of it, inputs jump between limits.
EFFORT = 0.1
# The stabilising law brakes within this share of the horizon.
BRAKE = 0.1
# Failures in a row in which the last plan goes on.
SHIFTS = 5
# Of equations of intervals in a plan that begins anew.
NEWTON_STEPS = 6
# Of a disturbance's estimate: forces whose effect within a sample is this share of others' follow that much slower.
REGULARISED = 1e-2
# Closures that are violated close within this share of the horizon.
CLOSING = 0.05
# In units in which the largest curvature of the cost is one: what keeps the programme strictly convex, tolerance of its
# solver, residuals that still make a plan, prices of violated limits.
REGULAR, TOLERANCE, ACCEPTED = 1e-8, 1e-10, 1e-6
SLACK_LINEAR, SLACK_SQUARE = 10.0, 100.0
QP_LIMIT = 40
# Active sets that are tried before an interior-point method is; those in a row that may exchange several inputs at once
# without fewer being left.
ACTIVE_SETS, PIVOTS = 40, 3
# Of the collocation.
STAGES = 2
# Memories and times that are kept of the last steps of all runs: a chunk of a run that is taken again has fewer.
KEPT, TIMED = 2048, 65536
# Files of each solver of the quadratic programme.
SOLVERS = {
    "condensed": (
        "condensed_headers.h",
        "products.c",
        "interval.c",
        "programme.h",
        "condensed_qp.c",
        "riccati_qp.c",
        "iteration.c",
    ),
    "hpipm": ("hpipm_headers.h", "products.c", "interval.c", "programme.h", "hpipm_qp.c", "iteration.c"),
}
# How it is called: from loops that are simulated, or by itself.
IN_LOOPS, ALONE = ("ring.c", "store.c"), ("export.c",)
# First slacks and products of slacks and prices of the condensed one; curvatures and inputs are near one.
FIRST_SLACK, FIRST_PRICE = 0.1, 1e-3


class Asked(Protocol):
    """The arguments of a law."""

    dae: DAE
    objective: Tracking
    sample_time: float
    horizon: float
    intervals: int
    delay: float
    disturbance_time: Any
    limits: Mapping[str, tuple[float, float]]
    path: tuple[PathConstraint, ...]
    rates: Mapping[str, float]
    effort: Any
    inputs: Any
    at: Mapping[str, float]
    solver: str
    deadline: float | None


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything that an iteration needs.

    Attributes
    ----------
    model : Prediction
    grid : ndarray (intervals,)
    functions, sizes, constants : dict
        As `iteration_source` takes them.
    left_out : float or None
    signal_units : tuple of str
    start_values : ndarray (k,)
        Of the signals.
    solver : str
    deadline : float or None
        [s]
    """

    model: Prediction
    grid: np.ndarray
    functions: Mapping[str, ca.Function]
    sizes: Mapping[str, int | str]
    constants: Mapping[str, np.ndarray | float]
    left_out: float | None
    signal_units: tuple[str, ...]
    start_values: list[float]
    solver: str
    deadline: float | None

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.model.inputs

    def states(self, name: str) -> Variables:
        """Return the states that it adds to a closed loop."""
        dae, n = self.model.dae, self.model.n
        return memory_variables(name, dae.q_names, dae.x.units[:n])

    def source(self) -> tuple[str, str]:
        """Return name and C code of the iteration."""
        return iteration_source(self.functions, self.sizes, self.constants, (*SOLVERS[self.solver], *IN_LOOPS))

    def controller_source(self, name: str) -> str:
        """Return the C code of a controller by itself, whose functions have this name."""
        values = ", ".join(repr(float(value)) for value in self.model.dae.p.start) or "0.0"
        sizes = dict(self.sizes) | {"PARAMETERS": values, "CLOCKED": int(self.deadline is not None)}
        sizes["RELEASED"] = int(self.release is not None)
        return iteration_source(self.functions, sizes, self.constants, (*SOLVERS[self.solver], *ALONE), name)[1]

    @property
    def memory_size(self) -> int:
        """How many numbers the memory of a run is."""
        size = {name: int(value) for name, value in self.sizes.items()}
        nx, nu, intervals, rows = size["NX"], size["NU"], size["N"], STAGES * size["RATES_"]
        plan = (intervals + 1) * nx + intervals * (nu + rows)
        return plan + nu + (size["WAITING"] + 1) * nu + nx + size["NF"] + 3 + size["COUNTERS"]

    @property
    def release(self) -> float | None:
        """From a sample to the moment in it at which a command takes effect [s]; None for the sample itself."""
        release = float(self.constants["RELEASE"])  # pyright: ignore[reportArgumentType]
        return release if release < self.grid[0] else None

    @cached_property
    def iteration(self) -> CompiledIteration | Interpreted:
        """The iteration in machine code, or in NumPy where there is no compiler."""
        name, source = self.source()
        flags = (HIDDEN, *(solver_libraries().flags if self.solver == "hpipm" else ()))
        return compiled_or_interpreted(
            "MPC", name, source, flags, lambda name: IterationCallback(name, self.interpreted)
        )

    @property
    def interpreted(self) -> Iteration:
        """The iteration in NumPy."""
        return Iteration(self.functions, {name: int(value) for name, value in self.sizes.items()}, self.constants)


def setup(asked: Asked) -> Setup:
    """Return what the iterations of a law are made of.

    Raises
    ------
    FlexblocksError
        See `MPC`.
    """
    dae, where = asked.dae, "MPC"
    if asked.solver not in SOLVERS:
        raise ParameterError(f"MPC: solver = {asked.solver!r}; must be one of {', '.join(SOLVERS)}.")
    if asked.solver == "hpipm":
        solver_libraries()
    model = prediction(dae, asked.inputs, 1.0 / (CLOSING * asked.horizon), where)
    x, p = closed_state(dae, dict(asked.at) or None, dae.p.start, "MPC: at: "), dae.p.start
    n, nx, nu = model.n, len(dae.x), len(model.inputs)
    signals = tuple(asked.objective.paths)
    named_values(model, signals)
    low, high, rate = _input_limits(asked, model)
    check_limits(model, asked.limits, asked.path, asked.objective.paths, x)
    effort = _efforts(asked, model, low, high)
    sizes_u = np.where(np.isfinite(high - low), (high - low) / 2, effort)
    driving = np.zeros(len(dae.u))
    driving[[dae.u.index(name) for name in model.inputs]] = sizes_u
    scales = state_scales(dae, x, asked.horizon, driving)
    tolerances = np.array([asked.objective.tolerance_of(name) for name in signals])
    # Commands on their way: of whole samples, and one that takes effect within a sample.
    whole, remainder = split_delay(asked.delay, asked.sample_time)
    costs = Costs(model, signals, tolerances, effort, scales, x)
    soft = {name: pair for name, pair in asked.limits.items() if name not in dae.u}
    limited = bounded_values(model, soft, asked.path)
    grid = geometric_grid(asked.sample_time, asked.horizon, asked.intervals)
    # Terminal cost.
    size = costs.features.shape[0]
    beside = _beside(dae, x)
    weights, left_out = np.diag((np.arange(size) < len(signals)) * grid[-1]), None
    for posture in (x, beside):
        try:
            weights, left_out = costs.cost_to_go(posture, p)
            break
        except (ComputationError, np.linalg.LinAlgError):
            continue  # beside a singular posture, where signals do not move
    curvature = 0.0
    for posture in (x, beside):
        T = costs.terminal_function("arm_terminal")(posture, 0, 0, p, np.zeros(n))[1].full() * scales
        Jx = costs.at(posture, p)[1] * scales
        along, at_end = np.sum(Jx**2, axis=0) * asked.horizon, np.diag(T.T @ weights @ T)
        curvature = max(curvature, float(np.max(along)), float(np.max(at_end, initial=0.0)))
    caps = np.maximum(costs.caps(x, p), costs.caps(beside, p))
    groups = costs.groups()
    caps = np.array([max(caps[k] * tolerances[k] for k in range(len(caps)) if groups[k] == group) for group in groups])
    caps = caps / tolerances
    own = costs.of_posture
    rest = [i for i in range(len(signals)) if i not in own]
    terminal_caps = np.full(size, np.inf)
    terminal_caps[: len(own)], terminal_caps[size - len(rest) :] = caps[own], caps[rest]
    terminal_groups = np.arange(size)
    terminal_groups[: len(own)] = [own.index(groups[i]) if groups[i] in own else k for k, i in enumerate(own)]
    start = costs.at(x, p)[0]
    functions = {
        "RESIDUAL": model.residual_function("arm_residual"),
        "STABILISING": model.stabilizing_function("arm_stabilising", max(BRAKE * asked.horizon, 2 * asked.sample_time)),
        "STAGE": costs.stage_function("arm_stage"),
        "TERMINAL": costs.terminal_function("arm_terminal"),
        "REFERENCE": reference_function("arm_reference", asked.objective.paths, where),
    }
    constants: dict[str, np.ndarray | float] = {
        "GRID": grid,
        "SIGMA": scales,
        "SIZE": sizes_u,
        "ULOW": low,
        "UHIGH": high,
        "RATE": rate,
        "LIMIT_LOW": np.zeros(0),
        "LIMIT_HIGH": np.zeros(0),
        "LIMIT_SIZE": np.zeros(0),
        "SHARE": SHARE,
        "REST": np.maximum(costs.speeds(x, p), costs.speeds(beside, p)),
        "CAP": np.concatenate([caps, np.full(nu, np.inf)]),
        "GROUP": np.concatenate([np.array(groups, dtype=int), len(signals) + np.arange(nu)]).astype(int),
        "TERMINAL_CAP": terminal_caps,
        "TERMINAL_GROUP": terminal_groups,
        "COST_TO_GO": weights,
        "COST": 1.0 / curvature if curvature > 0 else 1.0,
        "DELAY": asked.delay,
        "RELEASE": remainder or asked.sample_time,
        "DEADLINE": np.inf if asked.deadline is None else asked.deadline,
        "FILTER": 0.0 if asked.disturbance_time is None else min(1.0, asked.sample_time / asked.disturbance_time),
        "REGULARISED": REGULARISED,
        "REGULAR_X": REGULAR,
        "REGULAR_U": REGULAR,
        "FARTHEST": FARTHEST,
        "QP_TOLERANCE": TOLERANCE,
        "QP_ACCEPTED": ACCEPTED,
        "FIRST_SLACK": FIRST_SLACK,
        "FIRST_PRICE": FIRST_PRICE,
        "SLACK_LINEAR": SLACK_LINEAR,
        "SLACK_SQUARE": SLACK_SQUARE,
    }
    of_inputs = False
    if limited:
        functions["LIMITS"], more = soft_limits(model, limited, scales, x, p)
        of_inputs = any(ca.depends_on(each.value, model.u) for each in limited)
        constants |= more
    is_rated = bool(np.any(np.isfinite(rate)))
    sizes = {
        "N": asked.intervals,
        "NX": nx,
        "NQ": n,
        "NU": nu,
        "NP": len(dae.p),
        "NF": n,
        "NR": len(signals) + nu,
        "NT": size,
        "NREF": len(signals),
        "NLIM": len(limited),
        "INPUTS_LIMITED": int(of_inputs),
        "NPREV": nu if is_rated else 0,
        "NG": len(limited) + (nu if is_rated else 0),
        "RATES_": model.rates.shape[0],
        "WAITING": whole + (remainder > 0),
        "COUNTERS": len(COUNTERS),
        "KEPT": KEPT,
        "TIMED": TIMED,
        "SHIFTS": SHIFTS,
        "NEWTON_STEPS": NEWTON_STEPS,
        "QP_LIMIT": QP_LIMIT,
        "ACTIVE_SETS": ACTIVE_SETS,
        "PIVOTS": PIVOTS,
        "QP_MODE": 2,
    }
    units = tuple(_unit(dae, name) for name in signals)
    return Setup(
        model, grid, functions, sizes, constants, left_out, units, start.tolist(), asked.solver, asked.deadline
    )


def _beside(dae: DAE, x: np.ndarray) -> np.ndarray:
    """Return a posture beside another, with all angles moved unlike each other: no singular one, unless loops jam."""
    n, moved = dae.tree.size, x.copy()
    is_angle = np.array([unit == "rad" for unit in dae.x.units[:n]])
    moved[:n] += np.where(is_angle, BESIDE * (1 + np.modf(0.618034 * np.arange(n))[0]), 0.0)
    if not dae.tree.loops.closures:
        return moved
    equations, p = closure_equations(dae), dae.p.start
    moved[:n] = polished(equations, nearest(equations, moved[:n], p, is_angle), p, is_angle)
    closed = gap(equations, moved[:n], p) <= CLOSED
    return moved if closed else x  # linkages need not move so far


def checked_limits(given: Mapping[str, Any] | None, what: str) -> dict[str, tuple[float, float]]:
    """Return limits as (low, high) by name.

    Raises
    ------
    ParameterError
        One is not a magnitude > 0 or a pair of rising numbers.
    """
    found = {}
    for name, value in (given or {}).items():
        pair = value if isinstance(value, (tuple, list)) else (-abs(value), value) if _is_number(value) else ()
        if len(pair) != 2 or not all(map(_is_number, pair)) or not pair[0] < pair[1]:
            raise ParameterError(
                f"MPC: {what}: {name} = {value!r}; must be a magnitude > 0, or (low, high), low < high."
            )
        found[name] = (float(pair[0]), float(pair[1]))
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and not np.isnan(value)


def _input_limits(asked: Asked, model: Prediction) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return low and high (nu,) of the inputs, and their largest rates (nu,) [1/s]."""
    u = asked.dae.u
    if wrong := [name for name in asked.limits if name in u and name not in model.inputs]:
        raise ParameterError(f"MPC: limits of {listing(wrong)}, which it does not drive; must be of what it drives.")
    own = [float(u.limits[u.index(name)]) for name in model.inputs]
    pairs = [asked.limits.get(name, (-limit, limit)) for name, limit in zip(model.inputs, own, strict=True)]
    if unknown := [name for name in asked.rates if name not in model.inputs]:
        raise NameUnknownError(f"MPC: rates of {listing(unknown)}; it drives {listing(model.inputs)}.")
    rates = [asked.rates.get(name, np.inf) for name in model.inputs]
    for name, value in asked.rates.items():
        if not _is_number(value) or value <= 0:
            raise ParameterError(f"MPC: rates: {name} = {value!r}; must be a number > 0 [unit/s].")
    low, high = np.array(pairs).T
    # An actuator saturates there, whatever the limits given.
    return np.maximum(low, -np.array(own)), np.minimum(high, np.array(own)), np.array(rates, dtype=float)


def _efforts(asked: Asked, model: Prediction, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    if asked.effort is not None:
        return checked_sizes(asked.effort, model.inputs, "effort", "MPC")
    largest = np.maximum(np.abs(low), np.abs(high))
    if endless := [name for name, limit in zip(model.inputs, largest, strict=True) if not np.isfinite(limit)]:
        raise ParameterError(
            f"MPC: {listing(endless)}: no limit; must have one, in the model or in limits=, or give effort=, what "
            "of it counts as much as a signal that is off by its tolerance."
        )
    return EFFORT * largest


def _unit(dae: DAE, name: str) -> str:
    if name in dae.x:
        return dae.x.unit(name)
    if name in dae.y:
        return dae.y.unit(name)
    try:
        return dae.with_outputs([name]).y.unit(name)
    except NameUnknownError:
        return "J"
