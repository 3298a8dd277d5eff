"""Batch simulation: many runs in threads, each of which builds equations and integrators once."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Literal

import casadi as ca
import numpy as np

from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, ParameterError, listing
from flexblocks.interrupt import Interrupt
from flexblocks.plausibility import warn_of_degrees
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.cases import Cases, cases
from flexblocks.simulation.chunks import DEFAULT_STEPS, Budget, checked_budget
from flexblocks.simulation.loops import Passages, ahead, at_times, opened, passages, watched_times, words
from flexblocks.simulation.method import Method, MethodName, checked_method
from flexblocks.simulation.run import Record
from flexblocks.simulation.sampling import balances, excesses, known_forces, output_times, sampled_trajectory
from flexblocks.simulation.signals.inputs import Inputs, inputs
from flexblocks.simulation.signals.noise import checked_seed, with_noise
from flexblocks.simulation.signals.parameters import (
    PICK_UPS,
    Parameters,
    change,
    parameters,
    refuse_changes,
    refuse_pick_up,
)
from flexblocks.simulation.signals.reference_rates import with_reference_rates
from flexblocks.simulation.solver import Solver, integrate_parts
from flexblocks.studies.pools import cores
from flexblocks.studies.pools import threads as pool_of_threads
from flexblocks.studies.schedule import completed
from flexblocks.user_warning import warn
from flexblocks.validity.deflection_error import DeflectionError
from flexblocks.validity.energy_balance import warn_of_balances, warn_of_dissipation
from flexblocks.validity.input_limits import Excess, warn_of_limits
from flexblocks.validity.large_deflections import is_quiet, large_deflections, left_out_deflections, warn_of_cases
from flexblocks.validity.left_out_planes import LeftOut, warn_of_left_out_planes
from flexblocks.validity.state_ranges import beyond_state_ranges, warn_of_states
from flexblocks.warning_kinds import CHANGE_POINT, INTERRUPTED, RUNS_STOPPED

if TYPE_CHECKING:
    import xarray as xr

HERE = "simulate_batch"
MOST_NAMED = 5  # failed runs that a warning lists individually


def simulate_batch(
    dae: DAE,
    t: tuple[float, float] | Sequence[float] | np.ndarray,
    u: Mapping[str, Any] | None = None,
    x0: Mapping[str, Any] | np.ndarray | None = None,
    p: Mapping[str, Any] | np.ndarray | None = None,
    method: MethodName = "auto",
    *,
    product: bool = False,
    threads: int | None = None,
    saturate: bool = False,
    rtol: float = 1e-9,
    atol: float | None = None,
    step: float | None = None,
    pick_up: Literal["matched", "impact"] = "matched",
    max_steps: float = DEFAULT_STEPS,
    progress: bool | None = None,
    seed: int | None = 0,
) -> xr.Dataset:
    """Simulate an arm many times, with different inputs, start values or parameters.

    Every run equals that of `simulate` for its inputs, start values and parameters, to the last digit.

    Parameters
    ----------
    dae : DAE
    t : tuple of 2 floats, or array (k,)
        As for `simulate`, for all runs.
    u : dict, optional
        Inputs by name, as for `simulate`; a **list** has one signal (or number) for each run. Samples over the output
        times must be passed as the pair ``(times, values)``.
    x0, p : dict or array, optional
        Start values and parameters by name, as for `simulate`, parameters that change included; a list or array has one
        value for each run. An array (K, nx) or (K, np) has a row for each run.
    method : str
        As for `simulate`; ``"auto"`` chooses run by run.
    product : bool
        False: everything that varies has one value for each run. True: full factorial, all combinations of the values,
        the last of u, x0, p fastest.
    threads : int, optional
        Number of threads; by default the number of cores. Inputs that call back Python functions always use one.
    saturate : bool
        Whether inputs saturate at the limits of their actuators, as for `simulate`.
    rtol, atol, step, pick_up, max_steps
        As for `simulate`, for each run. There is no limit on wall time, so that results do not depend on the machine.
    progress : bool, optional
        Whether to show a progress bar; by default in a terminal, if the batch will take more than 2 s.
    seed : int, optional
        Of the noise of sensors in the first run, as for `simulate`; the next runs have the next numbers.

    Returns
    -------
    xarray.Dataset
        A variable (run, time) for each name, with attributes ``units`` and ``group`` as in `Trajectory.to_xarray`.
        What varies is a coordinate over ``run``: ``u[name]``, ``x0[name]`` or ``p[name]``; for signals that are not
        numbers, their position in the list. The coordinate ``complete`` says which runs reached the end. A run that
        failed is nan from that time on, and a FlexblocksWarning says which and why. After Ctrl-C, all unfinished runs
        are nan likewise.

    Raises
    ------
    NameUnknownError
        An input, state or parameter that the arm does not have.
    ParameterError
        A value is not finite, of the wrong length or of the wrong type; the message names the run.

    Warns
    -----
    FlexblocksWarning
        Runs failed, or it was interrupted; inputs exceed the limits of their actuators; loops pass a change point;
        energies are out of balance; a beam deflects beyond the small deflections that it is modelled for, or forces act
        across a plane in which it does not bend, as for `simulate`.

    Examples
    --------
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> dae = fb.assemble(models.subudhi_morris_2002())
    >>> runs = fb.simulate_batch(dae, (0.0, 0.5), u={"motor1.torque": [fb.bang_bang(a, 0.2) for a in (0.1, 0.2)]})
    >>> runs["payload.x"].shape
    (2, 1001)
    """
    from flexblocks.simulation.runs_dataset import Runs  # xarray takes long to import

    # Check all arguments before anything is computed.
    times, sampled = output_times(t, HERE)
    settings = checked_method(method, rtol, atol, step, HERE)
    budget = checked_budget(max_steps, None, HERE)
    workers = _workers(threads)
    if pick_up not in PICK_UPS:
        refuse_pick_up(pick_up, HERE)
    batch = cases(dae, u, x0, p, product, HERE)
    jobs = _jobs(dae, batch, times, sampled, saturate, pick_up, checked_seed(seed, HERE))
    _, values, x = jobs[0]
    watched = watched_times(dae, times, x, values.values[0]) if dae.tree.loops.closures else times
    if any(job[0].symbol_type is ca.MX for job in jobs):
        workers = 1
    workers = min(workers, len(jobs))
    # Integrate in threads; evaluate outputs of finished runs in this one.
    runs = Runs(dae, times, batch)
    reader = Solver(dae, settings)
    stopped: dict[int, str] = {}
    passing: dict[int, Passages] = {}
    deflected: dict[int, list[DeflectionError]] = {}
    across: dict[str, list[LeftOut]] = {}
    beyond: dict[str, str] = {}
    off: dict[int, dict[str, str]] = {}
    lost: dict[str, tuple[float, np.ndarray]] = {}
    driven: dict[str, list[Excess]] = {}
    began = time.perf_counter()
    with (
        ProgressDisplay(f"Simulating {dae.name}", len(jobs), progress) as bar,
        Interrupt() as interrupt,
        closing(_records(dae, settings, budget, jobs, times, watched, workers, interrupt)) as records,
    ):
        for done, (run, whole) in enumerate(records, start=1):
            signals, values, _ = jobs[run]
            record = at_times(whole, watched, times)
            failure, reached = record.failure, record.reached
            if record.X:
                try:
                    system = reader.system(signals, values.values[0])
                    motion = sampled_trajectory(system, times, record, values)
                    driven[f"in run {run}"] = excesses(system, motion)
                    if (open_from := opened(dae, motion, values)) is not None:
                        failure, reached, motion = open_from.words, open_from.time, open_from.before
                    elif passed := passages(dae, watched, whole, values):
                        passing[run] = passed
                    if record.failure is not None and open_from is None:
                        failure = record.failure + ahead(dae, times, record, values).rstrip(".")
                    runs.put(run, motion)
                    if not is_quiet():
                        point = (
                            motion.x,
                            motion.z,
                            motion.u,
                            values.along(motion.t) if len(values.changes) else values.values[0],
                        )
                        along = known_forces(dae, record) if len(motion) == len(record.X) else None
                        deflected[run] = large_deflections(dae, *point, along=along)
                        across[f"in run {run}"] = left_out_deflections(dae, *point)
                        beyond[f"in run {run}, "] = beyond_state_ranges(dae, motion.x, motion.t)
                        if motion.dissipated is not None:
                            lost[f"in run {run}, "] = motion.dissipated, motion.energy
                        else:
                            off[run] = balances(dae, motion, values, f"in run {run}, ")
                except ComputationError as error:
                    failure = str(error)
            if failure is not None:
                stopped[run] = f"run {run} at t = {reached:.6g} s: {failure}"
            bar.update(f"{done} of {len(jobs)} runs", done, (time.perf_counter() - began) * len(jobs) / done)
    # Report what is out of range, and what is incomplete.
    deflected_runs = {f"in run {run}": errors for run, errors in deflected.items()}
    warn_of_cases(f"{HERE} of '{dae.name}'", "in {} runs", deflected_runs, times)
    warn_of_left_out_planes(f"{HERE} of '{dae.name}'", "in {} runs", across)
    warn_of_states(f"{HERE} of '{dae.name}'", beyond)
    unbalanced = {name: text for run in sorted(off) for name, text in off[run].items()}
    warn_of_balances(f"{HERE} of '{dae.name}'", unbalanced)
    warn_of_dissipation(f"{HERE} of '{dae.name}'", lost)
    warn_of_limits(f"{HERE} of '{dae.name}'", driven)
    if passing:
        which = listing([str(run) for run in sorted(passing)], MOST_NAMED)
        warn(f"{HERE} of '{dae.name}': run {which}: {words([*passing.values()])}", CHANGE_POINT)
    dataset = runs.dataset()
    if interrupt.asked:
        warn(
            f"{HERE} of '{dae.name}' was interrupted; {int(dataset['complete'].sum())} of {len(jobs)} runs are "
            "complete, the others are nan from the interruption on.",
            INTERRUPTED,
        )
    if stopped:
        texts = [stopped[run] for run in sorted(stopped)]
        more = f"; and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
        warn(
            f"{HERE} of '{dae.name}': {len(texts)} of {len(jobs)} runs stopped before {times[-1]:.9g} s and are nan "
            f"from there on: {'; '.join(texts[:MOST_NAMED])}{more}. {settings.advice}",
            RUNS_STOPPED,
        )
    return dataset


Job = tuple[Inputs, Parameters, np.ndarray]  # inputs, parameters, start state (nx,)


def _jobs(
    dae: DAE, batch: Cases, times: np.ndarray, sampled: bool, saturate: bool, pick_up: str, seed: int | None
) -> list[Job]:
    """Return inputs, parameters and start state of each run, checked."""
    jobs: list[Job] = []
    known: dict[tuple[int, ...], Inputs] = {}
    suspected = False  # of being in degrees
    for run in range(len(batch)):
        where = f"{HERE}: run {run}"
        key = (*batch.key("u", run), *([run] if any(clock.noises for clock in dae.clocks) else []))
        if key not in known:
            given = batch.arguments("u", run)
            if any(dae.u.derivative_of):
                given = with_reference_rates(dae, given, times, sampled, where)
            given = with_noise(dae.clocks, given, times, None if seed is None else seed + run, where)
            known[key] = inputs(dae.u, given, times, sampled, where, dae.clocks, saturate)
        given = batch.arguments("p", run)
        if change(given):
            values = parameters(dae, given, times, where, pick_up)
        else:
            values = Parameters(np.zeros(0), dae.p.values(given, f"{where}: p: ")[None])
        start = batch.arguments("x0", run)
        x, _ = consistent_state(dae, start, values.values[0], f"{where}: x0: ")
        refuse_changes(dae, values, x, where)
        suspected = suspected or warn_of_degrees(f"{where}: x0: ", dae, start)
        jobs.append((known[key], values, x))
    return jobs


def _records(
    dae: DAE,
    method: Method,
    budget: Budget,
    jobs: Sequence[Job],
    times: np.ndarray,
    watched: np.ndarray,
    workers: int,
    interrupt: Interrupt,
) -> Generator[tuple[int, Record], None, None]:
    """Yield number and record of each run as it ends."""
    solvers: SimpleQueue[Solver] = SimpleQueue()
    for _ in range(workers):
        solvers.put(Solver(dae, method))

    def integrate(run: int) -> Record:
        signals, values, x = jobs[run]
        if interrupt.asked:
            return Record([], [], times[0], (x, dae.z.start), interrupted=True)
        solver = solvers.get()
        try:
            if len(values.changes):
                return integrate_parts(solver, signals, values, x, times, interrupt, None, budget, watched)
            return solver.integrate(signals, values.values[0], x, times, interrupt, budget=budget, watched=watched)
        except ComputationError as failure:
            return Record([], [], times[0], (x, dae.z.start), failure=str(failure))
        finally:
            solvers.put(solver)

    # Runs whose inputs have the same form follow one another, as they share equations and integrators.
    forms = {form: number for number, form in enumerate(dict.fromkeys(job[0].form for job in jobs))}
    order = iter(sorted(range(len(jobs)), key=lambda run: forms[jobs[run][0].form]))
    pool = pool_of_threads(workers, HERE)

    def submit() -> Future[tuple[int, Record]] | None:
        run = next(order, None)
        return None if run is None else pool.submit(lambda: (run, integrate(run)))

    try:
        for future in completed(pool, submit, interrupt):
            yield future.result()
        order = iter(())
    finally:
        if next(order, None) is not None:
            interrupt.ask()
        pool.close()


def _workers(threads: Any) -> int:
    if threads is None:
        return cores()
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ParameterError(f"{HERE}: threads = {threads!r}; must be a whole number >= 1.")
    return int(threads)
