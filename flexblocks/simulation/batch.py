"""Simulation of many runs at once: in threads, with equations and integrators that are built once in each."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.dae.dae import DAE
from flexblocks.errors import ComputationError, FlexblocksWarning, ParameterError
from flexblocks.progress import ProgressDisplay
from flexblocks.simulation.cases import Cases, cases
from flexblocks.simulation.chunks import DEFAULT_STEPS, Budget, checked_budget
from flexblocks.simulation.inputs import Inputs, inputs
from flexblocks.simulation.interrupt import Interrupt
from flexblocks.simulation.method import Method, checked_method
from flexblocks.simulation.run import Record
from flexblocks.simulation.sampling import output_times, sampled_trajectory
from flexblocks.simulation.solver import Solver

if TYPE_CHECKING:
    import xarray as xr

HERE = "simulate_batch"
MOST_NAMED = 5  # runs that a warning tells about one by one


def simulate_batch(
    dae: DAE,
    t: tuple[float, float] | Sequence[float] | np.ndarray,
    u: Mapping[str, Any] | None = None,
    x0: Mapping[str, Any] | np.ndarray | None = None,
    p: Mapping[str, Any] | np.ndarray | None = None,
    method: str = "auto",
    *,
    product: bool = False,
    threads: int | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-11,
    step: float | None = None,
    max_steps: float = DEFAULT_STEPS,
    progress: bool | None = None,
) -> xr.Dataset:
    """Integrate the equations of motion of an arm many times, under different inputs, start values or parameters.

    Every run is what `simulate` gives for its inputs, start values and parameters, to the last digit.

    Parameters
    ----------
    dae : DAE
    t : tuple of 2 floats, or array (k,)
        As for `simulate`, for all runs.
    u : dict, optional
        Inputs by name, as for `simulate`; a **list** has one signal (or number) for each run. An array over the output
        times is given as the pair ``(times, values)``.
    x0, p : dict or array, optional
        Start values and parameters by name, as for `simulate`; a list or array has one value for each run.
        An array (K, nx) or (K, np) has all of them for each run.
    method : str
        As for `simulate`; ``"auto"`` decides run by run.
    product : bool
        False: everything that varies has as many values as there are runs. True: every value of one goes with every
        value of the others, the last of u, x0, p fastest.
    threads : int, optional
        Threads to run in; by default as many as there are cores. Inputs that call Python functions back take
        one, whatever is given.
    rtol, atol, step, max_steps
        As for `simulate`, for each run. There is no limit on time, so that no clock has a say in what a run gives.
    progress : bool, optional
        Whether to show a progress bar; by default in a terminal, if the batch will take more than 2 s.

    Returns
    -------
    xarray.Dataset
        A variable (run, time) for each name, with attributes ``units`` and ``group`` as in `Trajectory.to_xarray`.
        What varies is a coordinate over ``run``: ``u[name]``, ``x0[name]`` or ``p[name]``; for signals that are not
        numbers, their position in the list. The coordinate ``complete`` tells which runs reached the end. A run
        that could not go on is nan from there on, with a FlexblocksWarning that says which and why. After
        Ctrl-C, the same holds for all runs that were not finished.

    Raises
    ------
    NameUnknownError
        An input, state or parameter that the arm does not have.
    ParameterError
        Something given is not finite, of the wrong length or of the wrong kind; the message says in which run.

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

    times, whole = output_times(t, HERE)
    settings = checked_method(method, rtol, atol, step, HERE)
    budget = checked_budget(max_steps, None, HERE)
    workers = _threads(threads)
    batch = cases(dae, u, x0, p, product, HERE)
    jobs = _jobs(dae, batch, times, whole)
    if any(job[0].symbol_type is ca.MX for job in jobs):
        workers = 1
    runs = Runs(dae, times, batch)
    reader = Solver(dae, settings)  # for the samples, while the others integrate
    stopped: dict[int, str] = {}
    began = time.perf_counter()
    with (
        ProgressDisplay(f"Simulating {dae.name}", len(jobs), progress) as bar,
        Interrupt() as interrupt,
        closing(_records(dae, settings, budget, jobs, times, workers, interrupt)) as records,
    ):
        for done, (run, record) in enumerate(records, start=1):
            given, values, _ = jobs[run]
            failure = record.failure
            if record.X:
                try:
                    runs.put(run, sampled_trajectory(reader.system(given, values), times, record))
                except ComputationError as error:
                    failure = str(error)
            if failure is not None:
                stopped[run] = f"run {run} at t = {record.reached:.6g} s: {failure}"
            bar.update(f"{done} of {len(jobs)} runs", done, (time.perf_counter() - began) * len(jobs) / done)
    found = runs.dataset()
    if interrupt.asked:
        _warn(f"{HERE} of '{dae.name}' was interrupted; {int(found['complete'].sum())} of {len(jobs)} runs are whole.")
    if stopped:
        texts = [stopped[run] for run in sorted(stopped)]
        more = f"; and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
        _warn(
            f"{HERE} of '{dae.name}': {len(texts)} of {len(jobs)} runs stopped before {times[-1]:.9g} s and are nan "
            f"from there on: {'; '.join(texts[:MOST_NAMED])}{more}. {settings.advice}"
        )
    return found


Job = tuple[Inputs, np.ndarray, np.ndarray]  # inputs, parameters (np,), start state (nx,)


def _jobs(dae: DAE, batch: Cases, times: np.ndarray, whole: bool) -> list[Job]:
    """Return what is integrated in each run; all that the user gave is checked before anything is integrated."""
    found: list[Job] = []
    known: dict[tuple[int, ...], Inputs] = {}
    for run in range(len(batch)):
        where = f"{HERE}: run {run}"
        key = batch.key("u", run)
        if key not in known:
            known[key] = inputs(dae.u, batch.given("u", run), times, whole, where, dae.clocks)
        values = dae.p.values(batch.given("p", run), f"{where}: p: ")
        x, _ = consistent_state(dae, batch.given("x0", run), values, f"{where}: x0: ")
        found.append((known[key], values, x))
    return found


def _records(
    dae: DAE,
    method: Method,
    budget: Budget,
    jobs: Sequence[Job],
    times: np.ndarray,
    workers: int,
    interrupt: Interrupt,
) -> Generator[tuple[int, Record], None, None]:
    """Yield number and record of each run as they end."""
    solvers: SimpleQueue[Solver] = SimpleQueue()
    for _ in range(workers):
        solvers.put(Solver(dae, method))

    def integrate(run: int) -> Record:
        given, values, x = jobs[run]
        if interrupt.asked:
            return Record([], [], times[0], interrupted=True)
        solver = solvers.get()
        try:
            return solver.integrate(given, values, x, times, interrupt, budget=budget)
        except ComputationError as failure:
            return Record([], [], times[0], failure=str(failure))
        finally:
            solvers.put(solver)

    forms = {form: number for number, form in enumerate(dict.fromkeys(job[0].form for job in jobs))}
    order = sorted(range(len(jobs)), key=lambda run: forms[jobs[run][0].form])  # one form after the other
    if workers == 1:
        yield from ((run, integrate(run)) for run in order)
    else:
        yield from _in_threads(integrate, order, workers, interrupt)


def _in_threads(
    integrate: Callable[[int], Record], order: Sequence[int], workers: int, interrupt: Interrupt
) -> Generator[tuple[int, Record], None, None]:
    pool = ThreadPoolExecutor(workers, thread_name_prefix=HERE)
    try:
        waiting = {pool.submit(integrate, run): run for run in order}
        for future in as_completed(waiting):
            yield waiting.pop(future), future.result()
    finally:
        interrupt.asked |= bool(waiting)
        pool.shutdown(cancel_futures=True)


def _threads(given: Any) -> int:
    if given is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise ParameterError(f"{HERE}: threads = {given!r}; must be a whole number >= 1.")
    return int(given)


def _warn(message: str) -> None:
    warnings.warn(message, FlexblocksWarning, stacklevel=3)
