"""Steppers: an arm or a closed loop from sample to sample in one call of a compiled function, and many runs at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.noise import Noise
from flexblocks.errors import ComputationError, ParameterError, suggestion
from flexblocks.plausibility import computable
from flexblocks.simulation.implicit.settings import RADIUS, checked_radius, refuse_what_it_cannot
from flexblocks.simulation.integrators.fixed_step import FixedStep, generalized_alpha
from flexblocks.simulation.integrators.register import INTEGRATORS
from flexblocks.simulation.signals.noise import checked_seed, left_out
from flexblocks.simulation.stepping.arguments import held_inputs, number_of_runs, parameter_rows, start_rows
from flexblocks.simulation.stepping.choose_kernel import kernel_of
from flexblocks.simulation.stepping.drawn_inputs import with_drawn_inputs
from flexblocks.simulation.stepping.interpreted_kernel import InterpretedKernel
from flexblocks.simulation.stepping.rollout import rolled_out
from flexblocks.simulation.stepping.rollout_dataset import rollout_dataset
from flexblocks.simulation.stepping.samples import sample_schedule
from flexblocks.simulation.stepping.schedule import Schedule
from flexblocks.studies.pools import cores
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import NOT_COMPILED, RUNS_STOPPED

if TYPE_CHECKING:
    import xarray as xr

FixedMethodName = Literal["rk4", "rk8", "semi-implicit", "implicit"]

IMPLICIT = "implicit"
METHODS = {integrator.name: integrator.fixed for integrator in INTEGRATORS if integrator.fixed}
# Time of an instruction of the equations [s], as machine code and on CasADi's virtual machine, roughly.
COMPILED, INTERPRETED = 3e-10, 6e-9
# Residuals that an implicit step evaluates, roughly.
STEP_RESIDUALS = 10


def stepper(
    dae: DAE,
    dt: float,
    method: FixedMethodName = "rk4",
    *,
    substeps: int = 1,
    spectral_radius: float = RADIUS,
) -> Stepper:
    """Return steps of an arm, or of a closed loop with its samplers, as one compiled function.

    Parameters
    ----------
    dae : DAE
        It is compiled if it is not yet, see `DAE.compile`. A closed loop of `control.Sampled` laws has its samplers,
        delays and saturations inside: clocks tick at the start of a step and within it, wherever they fall.
    dt : float
        Time from sample to sample [s], over which inputs are held.
    method : str
        ``"rk4"``: the classical Runge-Kutta method of order 4. ``"rk8"``: that of Dormand and Prince, of 12 stages.
        ``"semi-implicit"``: the semi-implicit Euler method of order 1, which evaluates the equations once; joints'
        springs and dampers, friction and bent beams are implicit, so that they may be as stiff as they like; cables,
        contacts and springs between frames are not. ``"implicit"``: generalised alpha of order 2 on
        `DAE.residual`, for stiff arms and loops of any kind, see `simulate`.
    substeps : int
        Steps of the method within `dt`. Steps end at ticks, too, so that there are more where clocks tick in between.
    spectral_radius : float
        Of ``"implicit"``, rho_inf: 0 damps most what steps do not resolve, 1 nothing.

    Returns
    -------
    Stepper

    Raises
    ------
    ParameterError
        A step that is not > 0, an unknown method, one that does not take fixed steps, or that does not take this arm.

    Warns
    -----
    FlexblocksWarning
        There is no C compiler: CasADi's virtual machine takes the steps, with the same results, some 40 times slower.

    Examples
    --------
    >>> import numpy as np
    >>> import flexblocks as fb
    >>> from flexblocks import models
    >>> dae = fb.assemble(models.subudhi_morris_2002(modes=1))
    >>> step = fb.stepper(dae, 1e-3)
    >>> x = step(dae.x.start, {"motor1.torque": 0.1})
    >>> runs = step.rollout(U=np.zeros((64, 100, len(dae.u))))
    >>> runs.shape == (64, 101, len(dae.x))
    True
    """
    return Stepper(dae, dt, method, substeps=substeps, spectral_radius=spectral_radius)


class Stepper:
    """Steps of an arm from sample to sample; see `stepper`, whose arguments it takes.

    A call is one step, `rollout` many of them in many runs. It keeps no state of a run: x holds all of it, that of
    samplers and delays of a closed loop included, so that runs are independent and begin wherever x says. Steps of the
    implicit method keep their accelerations where x is the state that the last step returned: what steps do not
    resolve of these does not follow from a state.

    Attributes
    ----------
    dae : DAE
        Compiled, where there is a compiler.
    dt : float
        [s]
    method : str
    substeps : int
    spectral_radius : float
    """

    def __init__(
        self,
        dae: DAE,
        dt: float,
        method: FixedMethodName = "rk4",
        *,
        substeps: int = 1,
        spectral_radius: float = RADIUS,
    ) -> None:
        if not _is_number(dt) or not 0 < dt < np.inf:
            raise ParameterError(f"stepper: dt = {dt!r}; must be a number > 0, the time from sample to sample [s].")
        if not _is_whole(substeps):
            raise ParameterError(f"stepper: substeps = {substeps!r}; must be a whole number >= 1.")
        self._method = step_method(method, checked_radius(spectral_radius, "stepper"))
        if self._method.spectral_radius is not None:
            refuse_what_it_cannot(dae, "stepper")
        self.dt, self.method, self.substeps = float(dt), method, int(substeps)
        self.spectral_radius = float(spectral_radius)
        self.dae = dae if dae.library is not None else dae.compile(implicit=method == IMPLICIT)
        self._kernel = kernel_of(self.dae, self._method)
        if isinstance(self._kernel, InterpretedKernel):
            warn(
                f"stepper of '{dae.name}': it could not be compiled (no C compiler, or a cache that is not writable; "
                "the log has the reason); CasADi's virtual machine takes its steps, some 40 times slower.",
                NOT_COMPILED,
            )
        self._schedules: dict[float, Schedule] = {}
        self._memory = self._kernel.memory()

    def __repr__(self) -> str:
        return f"Stepper({self.dae.name!r}, dt={self.dt:g}, method={self.method!r}, substeps={self.substeps})"

    def __reduce__(self) -> Any:
        return _stepper_again, (self.dae, self.dt, self.method, self.substeps, self.spectral_radius)

    def __call__(
        self, x: Any, u: Any = None, p: Any = None, t: float | None = None, seed: int | None = None
    ) -> np.ndarray:
        """Return the state (nx,) after one step.

        Parameters
        ----------
        x : array (nx,) or dict
            State before the step, and before the ticks at its start.
        u : array (nu,) or dict, optional
            Inputs, held over the step; those that are left out are 0.
        p : array (np,) or dict, optional
            Parameters; by default those of the model.
        t : float, optional
            Time at the start [s], which says when clocks tick. By default it is a multiple of `dt`, which says enough
            where all clocks have periods that divide `dt`.
        seed : int, optional
            Of the noise of sensors that `u` does not give, as for `simulate`; it needs `t`. By default there is none.

        Raises
        ------
        NameUnknownError, ParameterError
            A name that the arm does not have; a value that is not finite or an array of another length; clocks of
            another period without `t`.
        ComputationError
            The state after the step is not finite, or the algebraic equations have no solution.
        """
        dae, where = self.dae, "stepper: "
        noises = _drawn(dae, u, seed, "stepper")
        if noises and t is None:
            raise ParameterError("stepper: t is missing; noise is that of a time: pass it with the seed [s].")
        X = np.append(dae.x.values(x, where), 0.0)[None]
        U = dae.u.values(u, where)[None, None] if u is not None else np.zeros((1, 1, len(dae.u)))
        values = dae.p.values(p, where)[None]
        schedule = self._schedule(0.0 if t is None else self._start(t, where), t is None)
        if noises and seed is not None:
            schedule, U = with_drawn_inputs(dae, noises, schedule, U, seed, 1)
        out, done = np.empty((1, 1, X.shape[1])), np.zeros(1, dtype=np.int64)
        self._kernel.take(schedule, X, U, values, out, done, memory=self._memory)
        if done[0] < len(schedule):
            raise ComputationError(
                f"stepper: the state of '{dae.name}' is not finite after a step of {self.dt / self.substeps:g} s, or "
                "its algebraic equations have no solution; take a smaller step, and check state and inputs."
            )
        return X[0, :-1]

    @overload
    def rollout(
        self,
        x0: Any = ...,
        U: Any = ...,
        p: Any = ...,
        *,
        threads: int | None = ...,
        t: float = ...,
        seed: int | None = ...,
        dataset: Literal[False] = ...,
    ) -> np.ndarray: ...
    @overload
    def rollout(
        self,
        x0: Any = ...,
        U: Any = ...,
        p: Any = ...,
        *,
        threads: int | None = ...,
        t: float = ...,
        seed: int | None = ...,
        dataset: Literal[True],
    ) -> xr.Dataset: ...
    def rollout(
        self,
        x0: Any = None,
        U: Any = None,
        p: Any = None,
        *,
        threads: int | None = None,
        t: float = 0.0,
        seed: int | None = 0,
        dataset: bool = False,
    ) -> np.ndarray | xr.Dataset:
        """Return the states of many runs with inputs that are held from sample to sample.

        Results are those of steps one by one, to the last digit, for any number of threads.

        Parameters
        ----------
        x0 : dict or array (nx,) or (runs, nx), optional
            Start states as for `simulate`; entries of a dict may be arrays (runs,).
        U : array (samples, nu) or (runs, samples, nu), or dict
            Inputs; by name, numbers, arrays (samples,) or (runs, samples), and 0 for those that are left out.
        p : dict or array (np,) or (runs, np), optional
            Parameters; entries of a dict may be arrays (runs,).
        threads : int, optional
            By default the number of cores. On CasADi's virtual machine it is one.
        t : float
            Time of the first sample [s], which says when clocks tick.
        seed : int, optional
            Of the noise of sensors in the first run, where inputs are given by name, as for `simulate`; the next runs
            have the next numbers. None means no noise.
        dataset : bool
            Whether to return an xarray Dataset with the variables by name, inputs included.

        Returns
        -------
        ndarray (runs, samples + 1, nx), or xarray.Dataset
            States at the samples, after the ticks there, as `simulate` has them; the last one, from which another
            rollout continues, is before them. What a run does not reach, as its state is not finite, is nan.

        Raises
        ------
        NameUnknownError
            A name that the arm does not have.
        ParameterError
            Shapes that do not go together, or values that are not finite.
        ComputationError
            Loops of a start state cannot be closed.

        Warns
        -----
        FlexblocksWarning
            Runs that did not reach the end.
        """
        dae, where = self.dae, "rollout"
        noises = _drawn(dae, U, seed, where)
        if U is None:
            raise ParameterError(
                f"rollout: U is missing; must be an array (runs, samples, {len(dae.u)}) of held inputs, or a dict by "
                "name."
            )
        begin = self._start(t, f"{where}: ")
        workers = _workers(threads)
        inputs = held_inputs(dae, U, where)
        parameters = parameter_rows(dae, p, where)
        starts = start_rows(dae, x0, parameters, where)
        runs = number_of_runs(where, x0=starts, U=inputs, p=parameters)
        X = np.zeros((runs, len(dae.x) + 1))
        X[:, :-1] = starts
        samples = inputs.shape[1]
        schedule = sample_schedule(dae.clocks, begin, self.dt, samples, self.substeps, self._method.evaluations)
        workers = 1 if isinstance(self._kernel, InterpretedKernel) else min(workers, runs)
        if noises and seed is not None:
            schedule, inputs = with_drawn_inputs(dae, noises, schedule, inputs, seed, runs)
        kept, taken = rolled_out(self._kernel, schedule, X, inputs, parameters, samples, self._step_time, workers)
        if np.any(taken < len(schedule)):
            self._warn_of_unfinished(schedule, taken)
        states = kept[:, :, :-1]
        if not dataset:
            return states
        times, shown = begin + self.dt * np.arange(samples + 1), inputs[:, schedule.rows[schedule.kept >= 0, 0]]
        return rollout_dataset(dae, times, states, shown)

    def advance(self, x: np.ndarray, u: np.ndarray, p: np.ndarray, *, threads: int | None = None) -> np.ndarray:
        """Return the states (runs, nx) of many runs after one step: a `rollout` whose arrays are not checked.

        For loops that go on from one step to the next in Python, which check what they begin with.

        Parameters
        ----------
        x : ndarray (runs, nx)
            States; those of loops are closed.
        u : ndarray (runs, nu)
            Inputs, held over the step.
        p : ndarray (runs, np)
            Parameters.
        threads : int, optional
            By default the number of cores.

        Returns
        -------
        ndarray (runs, nx)
            nan in runs whose state is not finite.

        Raises
        ------
        ParameterError
            Clocks have periods that do not divide `dt`.
        """
        schedule, runs = self._schedule(0.0, True), len(x)
        X = np.append(x, np.zeros((runs, 1)), axis=1)
        workers = 1 if isinstance(self._kernel, InterpretedKernel) else min(_workers(threads), runs)
        kept, _ = rolled_out(self._kernel, schedule, X, u[:, None], p, 1, self._step_time, workers)
        return kept[:, -1, :-1]

    def _schedule(self, begin: float, assumed: bool) -> Schedule:
        """Return the schedule of one step from a time [s]."""
        if assumed and not self._is_periodic:
            periods = ", ".join(f"{clock.period:g}" for clock in self.dae.clocks)
            raise ParameterError(
                f"stepper: t is missing; clocks of '{self.dae.name}' tick every {periods} s, and steps of "
                f"{self.dt:g} s are not all alike: pass the time at the start of the step [s]."
            )
        begin = begin if self.dae.clocks else 0.0
        schedule = self._schedules.get(begin)
        if schedule is None:
            schedule = sample_schedule(self.dae.clocks, begin, self.dt, 1, self.substeps, self._method.evaluations)
            self._schedules = {begin: schedule}  # the last one: most steps are all alike
        return schedule

    @cached_property
    def _is_periodic(self) -> bool:
        turns = np.array([self.dt / clock.period for clock in self.dae.clocks])
        return bool(np.all((np.abs(turns - np.round(turns)) <= 1e-9 * turns) & (turns > 0.5)))

    @property
    def _step_time(self) -> float:
        if self._method.spectral_radius is not None:
            instructions = STEP_RESIDUALS * self.dae.interpreted.residual.n_instructions()
        else:
            instructions = self.dae.interpreted.motion.n_instructions()
        return self._method.evaluations * instructions * (COMPILED if self.dae.library else INTERPRETED) + 1e-7

    def _start(self, t: Any, where: str) -> float:
        if not _is_number(t) or not computable(float(t)):
            raise ParameterError(f"{where}t = {t!r}; must be a finite number, the time of the first sample [s].")
        return float(t)

    def _warn_of_unfinished(self, schedule: Schedule, taken: np.ndarray) -> None:
        stopped = np.flatnonzero(taken < len(schedule))
        first = int(stopped[np.argmin(taken[stopped])])
        warn(
            f"rollout of '{self.dae.name}': {len(stopped)} of {len(taken)} runs did not reach the end, as a state is "
            f"not finite, and are nan from there on; the first is run {first} at t = "
            f"{schedule.starts[taken[first]]:.6g} s. Take smaller steps (dt / substeps), and check start states and "
            "inputs.",
            RUNS_STOPPED,
        )


def step_method(name: Any, spectral_radius: float) -> FixedStep:
    """Return a method of fixed steps by name; the implicit one has a spectral radius at infinite frequency.

    Raises
    ------
    ParameterError
    """
    if name == IMPLICIT:
        return generalized_alpha(spectral_radius)
    if name not in METHODS:
        raise ParameterError(
            f"stepper: method = {name!r}{suggestion(name, (*METHODS, IMPLICIT), 'must be one of')} Methods that choose "
            "their steps are those of fb.simulate."
        )
    return METHODS[name]()


def _stepper_again(dae: DAE, dt: float, method: FixedMethodName, substeps: int, spectral_radius: float) -> Stepper:
    return Stepper(dae, dt, method, substeps=substeps, spectral_radius=spectral_radius)


def _drawn(dae: DAE, u: Any, seed: Any, where: str) -> tuple[tuple[Clock, Noise], ...]:
    """Return the noises that are drawn: those of sensors that inputs by name leave out."""
    if checked_seed(seed, where) is None or not (u is None or isinstance(u, Mapping)):
        return ()
    return left_out(dae.clocks, u)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 1)


def _workers(threads: Any) -> int:
    if threads is None:
        return cores()
    if not _is_whole(threads):
        raise ParameterError(f"rollout: threads = {threads!r}; must be a whole number >= 1.")
    return int(threads)
